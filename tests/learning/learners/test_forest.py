"""Trees as fields: their scores are what they predict, and they learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.learners import forest
from corollary.learning.learners.forest import DOUBT, Trees

from .test_crf import made_up


@pytest.mark.parametrize("kind", ["forest", "boosting"])
def test_they_learn_from_items_known_in_full(kind):
    onto, X, Y = made_up()
    facts = np.where(np.arange(300)[:, None] < 150, Y, -1).astype(np.int8)
    facts[100:150, 2] = -1
    learner = Trees(onto, kind=kind, size=30).fit(X, facts)
    predicted = onto.most_probable(learner.predict_proba(X[150:]))
    assert (predicted == Y[150:]).mean() > 0.93
    again = Trees(onto, kind=kind, size=30).fit(X, facts)
    np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))


def test_the_posterior_is_what_the_trees_predict():
    onto, X, Y = made_up()
    learner = Trees(onto, size=20).fit(X[:100], Y[:100])
    frequency = (Y[:100].sum(axis=0) + onto.posterior(np.full((1, len(onto)), 0.5))[0]) / 101
    predicted = learner.model_.predict_proba(X[100:]) @ np.unique(Y[:100], axis=0)
    expected = (1 - DOUBT) * predicted + DOUBT * frequency
    np.testing.assert_allclose(onto.posterior(learner.predict_proba(X[100:])), expected, atol=1e-6)


def test_more_worlds_than_labels():
    onto = co.Ontology(list("abcd"), [co.implies("a", "b")])
    rng = np.random.default_rng(0)
    Y = onto.most_probable(rng.random((200, 4)))
    X = Y + rng.normal(0, 0.3, Y.shape)
    learner = Trees(onto, size=30).fit(X[:100], Y[:100])
    assert len(learner.worlds_) > 4
    assert (onto.most_probable(learner.predict_proba(X[100:])) == Y[100:]).mean() > 0.9


def many_worlds(n=200, n_labels=12):
    labels = [f"l{k}" for k in range(n_labels)]
    onto = co.Ontology(labels, [co.implies(labels[k], labels[0]) for k in range(1, n_labels)])
    rng = np.random.default_rng(0)
    Y = onto.most_probable(rng.random((n, n_labels)))
    return onto, Y + rng.normal(0, 0.3, Y.shape), Y


def test_leaves_hold_what_the_forest_was_grown_by(monkeypatch):
    onto, X, Y = many_worlds()
    monkeypatch.setattr(forest, "AT_ONCE", 7)
    learner = Trees(onto, size=20).fit(X[:100], Y[:100])
    np.testing.assert_allclose(learner._leaves.predict(X), learner.model_.predict(X), atol=1e-12)
    X[50:100] = X[:50]  # leaves with several worlds
    learner.fit(X[:100], Y[:100])
    np.testing.assert_allclose(learner._leaves.predict(X), learner.model_.predict(X), atol=1e-12)


def test_mixtures_of_labels_grow_trees_that_predict_labels(monkeypatch):
    onto, X, Y = many_worlds(600)
    wrong = {}
    for mixtures in (12, 6):
        monkeypatch.setattr(forest, "MIXTURES", mixtures)
        learner = Trees(onto, size=60).fit(X[:300], Y[:300])
        assert learner.model_.n_outputs_ == mixtures
        wrong[mixtures] = (onto.most_probable(learner.predict_proba(X[300:])) != Y[300:]).mean()
    assert wrong[12] < 0.15
    assert wrong[6] < 2 * wrong[12]


def test_one_world_or_none_is_known():
    onto, X, Y = made_up(30)
    even = onto.posterior(np.full(Y.shape, 0.5))
    learner = Trees(onto, size=5).fit(X, np.full(Y.shape, -1))
    np.testing.assert_allclose(onto.posterior(learner.predict_proba(X)), even, atol=1e-9)
    facts = np.where(np.arange(30)[:, None] < 4, Y[0], -1)
    posterior = onto.posterior(learner.fit(X, facts).predict_proba(X))
    np.testing.assert_allclose(posterior, (4 * Y[0] + even) / 5, atol=1e-9)


def test_bad_input():
    onto, X, Y = made_up(20)
    for make, message in (
        (
            lambda: Trees(onto, kind="oak").fit(X, Y),
            "kind must be 'forest' or 'boosting', got 'oak'",
        ),
        (lambda: Trees(onto).fit(sparse.csr_array(X), Y), "dense"),
        (lambda: Trees(onto).fit(X[:5], Y), "5 rows"),
        (lambda: Trees(onto).predict_proba(X), "not fitted"),
    ):
        with pytest.raises(co.CorollaryError, match=message):
            make()


def test_one_label_keeps_its_column():
    X, y = np.random.default_rng(0).random((8, 3)), np.array([[0], [1]] * 4)
    assert Trees(co.Ontology(["a"]), size=5).fit(X, y).predict_proba(X).shape == (8, 1)
