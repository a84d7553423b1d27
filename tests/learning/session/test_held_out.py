"""What is believed of an item does not come from what was said of it."""

from __future__ import annotations

import numpy as np

import corollary as co
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
