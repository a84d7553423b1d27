"""What is believed of an item does not come from what was said of it."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning import testimony
from corollary.learning.session.held_out import PARTS


class Memory:
    """A learner that repeats what it was taught, and knows nothing else."""

    def fit(self, X, facts):
        self.facts = facts
        return self

    def predict_proba(self, X):
        facts = self.facts[np.asarray(X)[:, 0].astype(int)] if isinstance(X, np.ndarray) else self.facts
        return np.where(facts >= 0, 0.01 + 0.98 * facts, 0.5)


def test_a_learner_that_remembers_does_not_confirm_what_it_was_told():
    onto = co.Ontology(["a", "b"])
    facts = np.full((30, 2), -1, np.int8)
    facts[0] = 1, 0
    session = co.Session(onto, np.arange(30.0)[:, None], learner=Memory(), facts=facts, fallible=True)
    for i in range(1, 20):
        session.answer((i, "a"), i % 2 == 0, who="someone")
    session.retrain()
    np.testing.assert_allclose(session.beliefs[1:], 0.5)
    np.testing.assert_allclose(session.beliefs[0], [0.99, 0.01])
    assert (session.posterior[2:20:2, 0] > 0.8).all()  # by what was said, once
    assert PARTS > 1


def test_tables_that_cannot_be_cut_are_predicted_whole():
    onto = co.Ontology(["a"])
    texts = ["robin bird", "cod fish", "hawk bird", "eel fish"] * 5
    session = co.Session(onto, texts, learner=Memory(), fallible=True)
    session.answer((0, "a"), True)
    session.retrain()
    assert session.beliefs[0, 0] == 0.5


class Fickle:
    """A learner that says something else after each training, the same of every item."""

    now = 0.5

    def fit(self, X, facts):
        return self

    def predict_proba(self, X):
        return np.full((len(X), 1), self.now)

    def __deepcopy__(self, memo):
        return self


@pytest.mark.parametrize(("errors", "share"), [(0.0, 0.0), (0.006, 0.1), (0.03, 0.5), (0.3, 0.5)])
def test_what_was_believed_before_counts_by_how_often_people_err(errors, share, monkeypatch):
    monkeypatch.setattr(testimony.Testimony, "errors", errors)
    learner = Fickle()
    session = co.Session(co.Ontology(["a"]), np.zeros((6, 1)), learner=learner, fallible=True)
    expected = None
    for said in (0.9, 0.2, 0.2, 1.0, 0.4):
        learner.now = said
        session.retrain()
        odds = np.log(said / (1 - said)) if said < 1 else np.log(1e12)  # 1 is no fact: it is moved inside
        expected = odds if expected is None else share * expected + (1 - share) * odds
        np.testing.assert_allclose(session.beliefs, 1 / (1 + np.exp(-expected)), rtol=1e-4)
        session.answer((0, "a"), True)
    for _ in range(60):
        session.retrain()
    np.testing.assert_allclose(session.beliefs, 0.4)


def test_answers_that_are_certain_leave_nothing_of_what_was_believed_before():
    learner = Fickle()
    session = co.Session(co.Ontology(["a"]), np.zeros((6, 1)), learner=learner)
    for learner.now in (0.9, 0.2):
        session.retrain()
    np.testing.assert_array_equal(session.beliefs, 0.2)


@pytest.mark.parametrize("rubbish", [np.nan, 1.5, -0.1])
def test_rubbish_of_a_learner_is_refused_and_leaves_no_trace(rubbish):
    learner = Fickle()
    session = co.Session(co.Ontology(["a"]), np.zeros((6, 1)), learner=learner, fallible=True)
    session.retrain()
    learner.now = rubbish
    with pytest.raises(co.CorollaryError, match="between 0 and 1; item 0, label 'a' has"):
        session.retrain()
    np.testing.assert_array_equal(session.beliefs, 0.5)
    learner.now = 0.5
    session.retrain()
    np.testing.assert_allclose(session.beliefs, 0.5)
