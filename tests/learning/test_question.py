"""Questions: what they say, and when two are the same."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.question import ItemQuestion
from corollary.learning.session.options import Asking, Reading
from corollary.learning.session.session import Question, Session


def test_a_question_tells_what_each_answer_would_settle(animals):
    beliefs = np.full((1, 7), 0.1)
    beliefs[0, 1] = 0.6
    (question,) = Session(
        animals, beliefs=beliefs, asking=Asking(score="probability"), item_ids=["robin"]
    ).ask()
    assert str(question) == "Should robin be labelled bird?"
    assert question.if_yes == {
        "animal": True, "fish": False, "mammal": False, "place": False, "city": False, "river": False,
    }  # fmt: skip
    assert question.if_no == {}


def test_a_question_shows_the_text_and_the_readable_name():
    onto = co.Ontology(["freeze_account", "GO:1"], [co.exclusive("freeze_account", "GO:1")])
    long = "somebody has stolen my card in the train this morning, so please block it at once"
    beliefs = [[0.5, 0.01]]
    (question,) = Session(onto, beliefs=beliefs).ask()
    assert str(question) == "Should 0 be labelled freeze account?"
    session = Session(
        onto,
        [long, "hello"],
        reading=Reading(names={"GO:1": "grave offence (GO:1)"}),
        item_ids=["a", "b"],
        asking=Asking(item_cost=1.0),
    )
    words = {str(one) for one in session.ask(10)}
    assert any(
        "“somebody has stolen my card in the train this morning, so …”" in text for text in words
    )
    assert any("grave offence (GO:1)" in text for text in words)
    assert not any("_" in text for text in words)
    with pytest.raises(co.CorollaryError, match="names: unknown label 'GO:2'; did you mean 'GO:1'"):
        Session(onto, beliefs=beliefs, reading=Reading(names={"GO:2": "x"}))
    with pytest.raises(co.CorollaryError, match="names must be a dict"):
        Session(onto, beliefs=beliefs, reading=Reading(names=["x"]))


def test_questions_compare_by_cell():
    assert Question("robin", "bird", 0.5, {}, {}) == Question(
        "robin", "bird", 0.1, {"animal": True}, {}
    )


def test_a_whole_item_is_answered_by_its_labels(animals):
    session = Session(
        animals,
        beliefs=np.full((3, 7), 0.5),
        asking=Asking(item_cost=1.0),
        item_ids=["robin", "rome", "x"],
    )
    settled = session.answer(("robin", None), ["bird"])
    assert {s.label: s.value for s in settled} == {
        label: label in ("animal", "bird") for label in animals.labels
    }
    assert (session.answers[0] >= 0).all()
    with pytest.raises(co.CorollaryError, match="labelled as a whole"):
        session.retract(("robin", "bird"))
    before = session.facts
    with pytest.raises(co.Contradiction):
        session.answer(("rome", None), ["bird", "city"])
    np.testing.assert_array_equal(session.facts, before)
    assert session.answer(("x", None), None) == ()
    assert not any(isinstance(q, ItemQuestion) and q.item == "x" for q in session.ask(20))
    session.answer(("rome", None), [])
    assert (session.facts[1] == 0).all()
    session.retract(("robin", None))
    assert (session.facts[0] < 0).all()
    with pytest.raises(co.CorollaryError, match="nothing to retract"):
        session.retract(("robin", None))
    with pytest.raises(co.CorollaryError, match="the labels that 'robin' has must be a list"):
        session.answer(("robin", None), True)
    with pytest.raises(co.CorollaryError, match="did you mean 'bird'"):
        session.answer(("robin", None), ["brid"])
