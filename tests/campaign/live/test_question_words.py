"""A question as people read it: a label's own words, the campaign's, or the usual ones."""

from __future__ import annotations

import pytest

from corollary import CorollaryError
from corollary.campaign.items import Item
from corollary.campaign.live.question_words import sentence, whole_sentence
from corollary.campaign.settings import Settings

ROBIN = Item("r", text="robin")
OWN = {"bird": {"question": "Does {item} fly?"}}


def test_the_usual_words_need_no_article_and_have_no_underscores():
    assert (
        sentence(ROBIN, "freeze_account", Settings())
        == "Should “robin” be labelled freeze account?"
    )
    names = {"GO:1": "process (GO:1)"}
    assert (
        sentence(ROBIN, "GO:1", Settings(), names) == "Should “robin” be labelled process (GO:1)?"
    )


def test_a_labels_own_question_wins_over_the_campaigns():
    settings = Settings(question="Is {item} a {label}?", labels=OWN)
    assert sentence(ROBIN, "bird", settings) == "Does “robin” fly?"
    assert sentence(ROBIN, "utility", settings) == "Is “robin” a utility?"
    assert sentence(ROBIN, "animal", settings) == "Is “robin” an animal?"


def test_long_texts_and_those_of_several_lines_stand_below_the_question():
    for text in ("x " * 40, "two\nlines", None):
        assert whole_sentence(Item("r", text=text), Settings()) == "Which of these is it?"


def test_a_pick_is_asked_for_in_the_leads_words():
    assert whole_sentence(ROBIN, Settings()) == "Which of these is “robin”?"
    for words, told in (
        ("What does this customer want?", "What does this customer want?"),
        ("Where does {item} live?", "Where does “robin” live?"),
    ):
        assert whole_sentence(ROBIN, Settings(pick_question=words)) == told
    with pytest.raises(
        CorollaryError, match=r"'pick_question' must be a question without \{label\}"
    ):
        Settings(pick_question="Is {item} a {label}?")


@pytest.mark.parametrize("question", ["Is it?", 3])
def test_a_question_for_all_labels_says_which(question):
    with pytest.raises(CorollaryError, match=r"'question' must be a question with \{label\} in it"):
        Settings(question=question)


def test_questions_change_at_once(make):
    campaign = make()
    (before,) = campaign.next("ann")
    campaign.change_settings(
        "mara", {"question": "{label}: {item}", "labels": {before.label: {"name": "Code 7"}}}
    )
    (after,) = campaign.next("ann")
    assert (after.id, after.name) == (before.id, f"Code 7 ({before.label})")
    assert after.text == f"Code 7 ({before.label}): “{before.item.text}”"
    assert campaign.names[before.label] == after.name
    assert make.again(campaign).names == campaign.names


def test_picks_change_at_once(make):
    campaign = make(item_cost=1.0)
    (before,) = campaign.next("ann")
    assert before.text == f"Which of these is “{before.item.text}”?"
    campaign.change_settings("mara", {"pick_question": "What is it?", "guidelines": "Look twice."})
    (after,) = campaign.next("ann")
    assert (after.id, after.text) == (before.id, "What is it?")
    assert make.again(campaign).settings.guidelines == "Look twice."
