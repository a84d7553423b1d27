"""The pool: its weights are the best ones, and it is at least as good as its members."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.crf import CRF
from corollary.learning.pool import Pool, best_weights

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
        return log_loss(onto, np.tensordot(weights, scores, axes=1), Y) + 0.5 * ((np.array(weights) - 0.5) ** 2).sum()

    found = best_weights(onto, scores, Y)
    best = min(loss((a, b)) for a in np.linspace(0, 3, 31) for b in np.linspace(0, 3, 31))
    assert loss(found) <= best + 1e-6
    assert found[0] > 5 * found[1]


def test_it_is_as_good_as_its_members_on_what_none_has_seen():
    onto, X, Y = made_up(240)
    Y = Y.copy()
    facts = np.where(np.arange(240)[:, None] < 120, Y, -1).astype(np.int8)
    members = [CRF(onto, l2=0.1), CRF(onto, kernel="rbf", landmarks=40, l2=0.03)]
    pool = Pool(onto, members=members).fit(X, facts)
    beliefs = pool.predict_proba(X[120:])
    odds = np.log(beliefs / (1 - beliefs)).clip(-500, 500)
    alone = [log_loss(onto, member.fit(X, facts).decision_function(X[120:]), Y[120:]) for member in members]
    assert log_loss(onto, odds, Y[120:]) < 1.1 * min(alone)
    assert len(pool.weights_) == 2
    np.testing.assert_array_equal(Pool(onto, members=members).fit(X, facts).predict_proba(X[120:]), beliefs)


def test_weights_are_found_again_only_when_much_more_is_known():
    onto, X, Y = made_up(60)
    facts = np.where(np.arange(60)[:, None] < 20, Y, -1).astype(np.int8)
    pool = Pool(onto, members=[CRF(onto), CRF(onto, l2=5.0)]).fit(X, facts)
    first = pool.weights_
    facts[20:24] = Y[20:24]
    assert pool.fit(X, facts).weights_ is first
    facts[:40] = Y[:40]
    assert pool.fit(X, facts).weights_ is not first


def test_little_is_known_and_bad_input():
    onto, X, Y = made_up(30)
    pool = Pool(onto)
    with pytest.raises(co.CorollaryError, match="not fitted"):
        pool.predict_proba(X)
    np.testing.assert_array_equal(pool.fit(X, np.full(Y.shape, -1)).predict_proba(X), 0.5)
    with pytest.raises(co.CorollaryError, match="30 items, got 10"):
        pool.fit(X[:10], Y[:10])
