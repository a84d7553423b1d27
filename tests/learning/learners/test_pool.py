"""The pool: its weights are the best ones, and it is at least as good as its members."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.pool import Pool, PoolWarning, best_weights, default_members

from .test_crf import made_up


def log_loss(onto, scores, facts):
    _, free = onto.marginals(scores)
    _, with_facts = onto.marginals(scores, facts)
    return float((free - with_facts).sum())


def test_the_weights_are_those_of_a_search():
    onto, _, Y = made_up(60)
    rng = np.random.default_rng(0)
    good = np.where(Y == 1, 2.0, -2.0) + rng.normal(0, 1.5, Y.shape)
    scores = np.array([good, rng.normal(0, 1, Y.shape)])

    def loss(weights):
        return (
            log_loss(onto, np.tensordot(weights, scores, axes=1), Y)
            + 0.5 * ((np.array(weights) - 0.5) ** 2).sum()
        )

    found = best_weights(onto, scores, Y)
    best = min(loss((a, b)) for a in np.linspace(0, 3, 31) for b in np.linspace(0, 3, 31))
    assert loss(found) <= best + 1e-6
    assert found[0] > 5 * found[1]


def test_it_is_as_good_as_its_members_on_what_none_has_seen():
    onto, X, Y = made_up(240)
    Y = Y.copy()
    facts = np.where(np.arange(240)[:, None] < 120, Y, -1).astype(np.int8)
    members = [
        ("linear", CRF(onto, l2=0.1)),
        ("gaussian", CRF(onto, kernel="rbf", landmarks=40, l2=0.03)),
        ("forest", Trees(onto, size=30)),
    ]
    pool = Pool(onto, members=members).fit(X, facts)
    beliefs = pool.predict_proba(X[120:])
    odds = np.log(beliefs / (1 - beliefs)).clip(-500, 500)
    alone = [
        log_loss(onto, member.fit(X, facts).decision_function(X[120:]), Y[120:])
        for _, member in members
    ]
    assert log_loss(onto, odds, Y[120:]) <= min(alone)
    assert list(pool.weights_) == ["linear", "gaussian", "forest"]
    np.testing.assert_array_equal(
        Pool(onto, members=members).fit(X, facts).predict_proba(X[120:]), beliefs
    )


def test_weights_are_found_again_only_when_much_more_is_known():
    onto, X, Y = made_up(240)
    facts = np.where(np.arange(240)[:, None] < 50, Y, -1).astype(np.int8)
    pool = Pool(onto, members=[("light", CRF(onto)), ("heavy", CRF(onto, l2=5.0))]).fit(X, facts)
    assert pool.weights_ == {"light": 0.5, "heavy": 0.5}
    facts[:120] = Y[:120]
    first = pool.fit(X, facts).weights_
    assert first["light"] > first["heavy"]
    facts[120:130] = Y[120:130]
    assert pool.fit(X, facts).weights_ is first
    facts[:200] = Y[:200]
    assert pool.fit(X, facts).weights_ is not first


def test_little_is_known_and_bad_input():
    onto, X, Y = made_up(30)
    pool = Pool(onto)
    with pytest.raises(co.CorollaryError, match="not fitted"):
        pool.predict_proba(X)
    np.testing.assert_array_equal(pool.fit(X, np.full(Y.shape, -1)).predict_proba(X), 0.5)
    assert pool.left_out_ == dict.fromkeys(("forest", "boosting"), "no item is known in full")
    with pytest.raises(co.CorollaryError, match="30 items, got 10"):
        pool.fit(X[:10], Y[:10])


def test_members_without_weight_are_not_fitted_and_the_others_share():
    onto, X, Y = made_up(120)

    class Misled(BaseEstimator):
        """Says the opposite of what is known."""

        def fit(self, X, facts):
            self.mean = np.where(facts >= 0, facts, 0.5).mean(axis=0)
            self.rows = len(X)
            return self

        def decision_function(self, X):
            return np.tile(np.where(self.mean > 0.3, -9.0, 9.0), (len(X), 1))

    pool = Pool(onto, members=[("misled", Misled()), ("linear", CRF(onto))]).fit(X, Y)
    assert pool.weights_["misled"] == 0
    assert pool.weights_["linear"] > 0.5
    assert not hasattr(pool.members_["misled"], "rows")
    assert (onto.most_probable(pool.predict_proba(X)) == Y).mean() > 0.9


def test_what_takes_too_long_is_left_out_and_told():
    onto, X, Y = made_up(90)
    full = Pool(onto).fit(X, Y)
    assert list(full.members_) == [name for name, _ in default_members(onto, X)][:-1]
    assert full.left_out_ == {"boosting": "90 items are known in full, fewer than 1000"}
    some = Pool(onto, seconds=0.05).fit(X, Y)
    assert next(iter(some.members_)) == "linear"
    assert "s are left" in " ".join(some.left_out_.values())
    with pytest.warns(
        PoolWarning, match=r"logistic regression for each label serves: linear takes about"
    ):
        least = Pool(onto, seconds=0.0).fit(X, Y)
    assert list(least.members_) == ["logistic"]
    assert ((least.fit(X, Y).predict_proba(X) > 0.5) == Y).mean() > 0.8  # and does not warn again


def test_boosting_is_for_few_worlds():
    onto = co.Ontology(list("abcdef"), [])
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (1200, 6)).astype(np.int8)
    X = Y + rng.normal(0, 0.1, Y.shape)
    members = [("linear", CRF(onto)), ("boosting", Trees(onto, kind="boosting", size=3))]
    assert "more than 30" in Pool(onto, members=members).fit(X, Y).left_out_["boosting"]
    Y[:, 4:] = 0
    assert not Pool(onto, members=members).fit(X, Y).left_out_


@pytest.mark.parametrize("thin", [False, True])
def test_a_session_with_the_default(thin):
    onto, X, Y = made_up(100)
    if thin:
        rng = np.random.default_rng(2)
        X = sparse.csr_array(
            rng.poisson(0.05 + Y @ rng.gamma(0.3, 1.0, (len(onto), 40))).astype(float)
        )
    facts = np.where(np.arange(100)[:, None] < 15, Y, -1).astype(np.int8)
    session = co.Session(onto, X, learner="auto", facts=facts)
    asked = 0
    while session.open and asked < 80:
        asked += len(session.answer_from(Y, 20).item)
        session.retrain()
    wrong = (session.predict() != Y).sum()
    without_features = onto.most_probable(np.tile(Y[:15].mean(axis=0), (100, 1)), session.facts)
    assert wrong < 0.25 * (without_features != Y).sum()
