"""Which question a person gets next."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary import CorollaryError
from corollary.campaign.items import Item
from corollary.campaign.live.next_question import choose, draw, sentence, whole_sentence
from corollary.campaign.settings import Settings
from corollary.campaign.state.state import State

from ..state.stories import ONTOLOGIES, made


def test_a_flagged_item_is_held_for_its_flagger_only():
    state = State(["i", "j"], {1: co.Ontology(["a"])})
    state.apply(made("flag", state, who="ann", item="i", detail={"reason": "text"}))
    assert choose(state, "ann", 0) == ("j", "a")
    assert choose(state, "ben", 0) == ("i", "a")
    assert list(state.marked) == ["i"]
    state.apply(made("unflag", state, item="i", refers=1))
    assert choose(state, "ann", 0) == ("i", "a")
    assert not state.marked


def test_whole_items_are_asked_where_that_is_cheap():
    state = State(["i"], {1: ONTOLOGIES[1]}, settings=Settings(item_cost=1.0))
    assert choose(state, "ann", 0) == ("i", None)
    options = list(state.onto.labels)
    state.apply(
        made("answer", state, who="ann", item="i", value=["bird"], detail={"options": options})
    )
    assert (state.facts >= 0).all()
    assert state.tally.done == 1
    assert choose(state, "ann", 1) is None


def test_people_may_stay_on_a_label_each_on_their_own(make):
    campaign = make(8, onto="exclusive: a, b\nexclusive: c, d", stay="label")
    for who, label in (("ann", "b"), ("ben", "d")):
        campaign.answer(who, "i7", label, False)
    for _ in range(2):
        for who, label in (("ann", "b"), ("ben", "d")):
            (asking,) = campaign.next(who)
            assert asking.label == label
            campaign.answer(who, asking.item.id, label, False, lease=asking.id)


def drawing(n=200, **settings):
    """A state with a model that is sure of all items, the more so the later they come."""
    onto = co.Ontology(["a", "b"])
    beliefs = np.tile(np.linspace(0.6, 0.99, n)[:, None], (1, 2))
    model = made("model", State([], {1: onto}), value=1, detail={"upto": 0, "sha256": ""})
    return State(
        [f"i{k}" for k in range(n)],
        {1: onto},
        [model],
        settings=Settings(**settings),
        beliefs=beliefs,
    )


def test_a_share_of_the_questions_is_about_items_that_chance_draws():
    state = drawing(by_chance=0.1)
    drawn = [found for number in range(3000) if (found := draw(state, "ann", number)) is not None]
    assert 0.08 < len(drawn) / 3000 < 0.12
    rows = np.array([state.row(item) for item, _ in drawn])
    assert 80 < rows.mean() < 120  # sure or not, all are as probable
    assert drawn[0] == next(one for number in range(3000) if (one := draw(state, "ann", number)))
    assert [draw(state, "ben", number) for number in range(50)] != [
        draw(state, "ann", number) for number in range(50)
    ]


def test_nothing_is_drawn_without_a_model_or_where_nothing_is_open_or_flagged():
    assert (
        draw(State(["i"], {1: co.Ontology(["a"])}, settings=Settings(by_chance=1.0)), "ann", 0)
        is None
    )
    assert draw(drawing(by_chance=0.0), "ann", 0) is None
    state = drawing(2, by_chance=1.0)
    assert draw(state, "ann", 0) is not None
    for item in ("i0", "i1"):
        state.apply(made("flag", state, who="ann", item=item, detail={"reason": "text"}))
    assert draw(state, "ann", 0) is None
    assert draw(state, "ben", 0) is not None
    state.hold("i0", True)
    assert {draw(state, "ben", number)[0] for number in range(20)} == {"i1"}
    state.hold("i1", True)
    assert draw(state, "ben", 0) is None


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
