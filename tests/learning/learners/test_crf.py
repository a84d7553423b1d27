"""The conditional random field: its likelihood and gradient by brute force, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import corollary as co
from corollary.learning.learners.crf import CRF, HALF, Unseen, thinned

from ...logic.ontologies import ontologies, worlds

ANIMALS = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"


def made_of(ontology, seed):
    """The ontology, its legal worlds, of which there must be some, and a generator."""
    legal = worlds(*ontology).astype(np.int8)
    assume(len(legal))
    return co.Ontology(*ontology), legal, np.random.default_rng(seed)


@settings(max_examples=40)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_log_likelihood_and_gradient_by_brute_force(ontology, seed):
    onto, legal, rng = made_of(ontology, seed)
    odds = rng.normal(0, 3, (1, len(onto)))
    world = legal[rng.integers(len(legal))]
    facts = np.where(rng.random(len(onto)) < 0.4, world, -1).astype(np.int8)[None]
    for given_facts in (None, facts):
        agree = (
            legal if given_facts is None else legal[((legal == facts) | (facts < 0)).all(axis=1)]
        )
        weight = np.exp(agree @ odds[0])
        q, log_z = onto.marginals(odds, given_facts)
        np.testing.assert_allclose(log_z[0], np.log(weight.sum()), atol=1e-9)
        np.testing.assert_allclose(q[0], weight @ agree / weight.sum(), atol=1e-9)


def made_up(n=300, seed=0):
    """Items around a centre for each legal world of a small tree."""
    onto = co.Ontology.parse(ANIMALS)
    rng = np.random.default_rng(seed)
    Y = onto.most_probable(rng.random((12, len(onto))))[rng.integers(0, 12, n)]
    X = Y @ rng.normal(0, 1, (len(onto), 5)) + rng.normal(0, 0.3, (n, 5))
    return onto, X, Y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_it_learns_from_partial_facts(kernel):
    onto, X, Y = made_up()
    rng = np.random.default_rng(1)
    facts = np.where(rng.random(Y.shape) < 0.3, Y, -1).astype(np.int8)
    facts[150:] = -1
    learner = CRF(onto, kernel=kernel, landmarks=60).fit(X, facts)
    predicted = onto.most_probable(learner.predict_proba(X[150:]))
    assert (predicted == Y[150:]).mean() > 0.93
    again = CRF(onto, kernel=kernel, landmarks=60).fit(X, facts)
    np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))


def test_a_label_never_seen_is_as_probable_as_half_an_item_makes_it():
    onto = co.Ontology.parse("exactly one: a, b, c, d")
    Y = np.zeros((30, 4), np.int8)
    Y[:20, 0] = Y[20:, 1] = 1
    found = onto.posterior(
        CRF(onto, iterations=500).fit(np.zeros((30, 2)), Y).predict_proba(np.zeros((1, 2)))
    )
    half = np.array([20, 10, HALF, HALF])
    np.testing.assert_allclose(
        found[0], half / half.sum(), rtol=0.02
    )  # the biases are held back a little


def test_labels_that_never_occur_take_little_from_those_that_do():
    names = [f"l{k}" for k in range(200)]
    onto = co.Ontology(names, [co.exactly_one(*names)])
    Y = np.zeros((40, 200), np.int8)
    Y[:20, 0] = Y[20:, 1] = 1  # both seen many times: hardly anything else is to be expected
    found = onto.posterior(
        CRF(onto, iterations=500).fit(np.zeros((40, 2)), Y).predict_proba(np.zeros((1, 2)))
    )
    np.testing.assert_allclose(found[0, :2].sum(), 40 / 41, rtol=0.02)


@settings(max_examples=40)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_what_labels_never_seen_add_to_the_loss_by_brute_force(ontology, seed):
    onto, legal, rng = made_of(ontology, seed)
    known = onto.propagate(
        np.where(rng.random((3, len(onto))) < 0.5, legal[rng.integers(len(legal), size=3)], -1)
    )
    found, bias = Unseen(onto, known), rng.normal(size=len(onto))
    times = (known == 1).sum(axis=0)
    possible = [k for k in range(len(onto)) if set(legal[:, k]) == {0, 1}]
    assert found.labels.tolist() == [k for k in possible if times[k] == 0]

    def loss(bias):
        weight = np.exp(legal @ bias)
        each = min(HALF, (sum(times[k] == 1 for k in possible) + 1) / max(1, len(found.labels)))
        return -each * sum(
            np.log(weight[legal[:, k] == 1].sum() / weight.sum()) for k in found.labels
        )

    value, slope = found.loss(bias)
    np.testing.assert_allclose(value, loss(bias), atol=1e-9)
    steps = 1e-6 * np.eye(len(onto))
    np.testing.assert_allclose(
        slope, [(loss(bias + e) - loss(bias - e)) / 2e-6 for e in steps], atol=1e-6
    )


def test_beliefs_have_the_models_own_marginals_as_posterior():
    onto, X, Y = made_up()
    learner = CRF(onto).fit(X, Y)
    own, _ = onto.marginals(learner.decision_function(X[:20]))
    np.testing.assert_allclose(onto.posterior(learner.predict_proba(X[:20])), own, atol=1e-6)


def test_sparse_and_dense_without_scaling_agree():
    onto, X, Y = made_up()
    spread = X.std(axis=0)
    standard = (X - X.mean(axis=0)) / spread / np.sqrt(5)
    dense = CRF(onto, iterations=500).fit(X, Y).predict_proba(X)
    thin = (
        CRF(onto, iterations=500)
        .fit(sparse.csr_array(standard), Y)
        .predict_proba(sparse.csr_array(standard))
    )
    np.testing.assert_allclose(dense, thin, atol=5e-3)


def test_a_further_fit_starts_from_the_weights():
    onto, X, Y = made_up()
    learner = CRF(onto, iterations=500).fit(X, Y)
    loss = learner.loss_
    learner.set_params(iterations=1).fit(X, Y)
    assert learner.loss_ <= loss + 1e-6
    cold = clone(learner).fit(X, Y)
    assert cold.loss_ > loss + 1


@pytest.mark.parametrize("kernel", ["linear", "latent", "rbf"])
def test_sparse_counts(kernel):
    onto, _, Y = made_up()
    rng = np.random.default_rng(2)
    X = sparse.csr_array(rng.poisson(0.05 + Y @ rng.gamma(0.3, 1.0, (len(onto), 40))).astype(float))
    facts = np.where(np.arange(len(Y))[:, None] < 150, Y, -1).astype(np.int8)
    learner = CRF(onto, kernel=kernel, gamma=1.0, l2=0.1).fit(X, facts)
    predicted = onto.most_probable(learner.predict_proba(X[150:]))
    frequent = onto.most_probable(np.tile(Y[:150].mean(axis=0), (150, 1)))
    assert (predicted == Y[150:]).mean() > 0.5 + (frequent == Y[150:]).mean() / 2


def test_weights_of_features_that_no_known_item_has_stay_0():
    onto, X, Y = made_up(40)
    X = sparse.csr_array(np.hstack([X, np.repeat(np.eye(2), [30, 10], axis=0)]))
    learner = CRF(onto).fit(X, np.where(np.arange(40)[:, None] < 30, Y, -1))
    assert (learner.weights_[6] == 0).all()
    assert (learner.weights_[[0, 5]] != 0).any()


def test_thinned_rows_stand_for_all():
    rng = np.random.default_rng(0)
    known = np.repeat([[0, 0], [0, 1], [1, -1], [1, 1]], [5000, 300, 40, 3], axis=0).astype(np.int8)
    rows = rng.permutation(5343)[:5000]
    kept, counts = thinned(known, rows, 400)
    assert set(kept) <= set(rows)
    assert 390 <= len(kept) <= 402
    assert counts.sum() == pytest.approx(5000)
    for kind in ([0, 0], [0, 1], [1, -1], [1, 1]):
        of_kind = (known[kept] == kind).all(axis=1)
        assert counts[of_kind].sum() == pytest.approx((known[rows] == kind).all(axis=1).sum())
    assert (counts[(known[kept] == [1, -1]).all(axis=1)] == 1).all()
    everything, ones = thinned(known, rows, 5000)
    np.testing.assert_array_equal(everything, rows)
    assert (ones == 1).all()


def test_counting_twice_is_being_there_twice(monkeypatch):
    onto, X, Y = made_up(40)
    twice = CRF(onto, iterations=500).fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0))
    monkeypatch.setattr(
        "corollary.learning.learners.crf.thinned",
        lambda _, rows, __: (rows, np.full(len(rows), 2.0)),
    )
    counted = CRF(onto, iterations=500).fit(X, Y)
    np.testing.assert_allclose(counted.predict_proba(X), twice.predict_proba(X), atol=0.01)
    assert counted.loss_ == pytest.approx(twice.loss_, rel=1e-4)


def test_nothing_known_leaves_every_world_even():
    onto, X, Y = made_up(20)
    np.testing.assert_array_equal(CRF(onto).fit(X, np.full(Y.shape, -1)).predict_proba(X), 0.5)


def test_a_session_with_a_crf():
    onto, X, Y = made_up(120)
    facts = np.where(np.arange(120)[:, None] < 20, Y, -1).astype(np.int8)
    session = co.Session(onto, X, learner=CRF(onto), facts=facts)
    while session.open:
        session.answer_from(Y, 20)
        session.retrain()
    np.testing.assert_array_equal(session.facts, Y)


def test_bad_input():
    onto, X, Y = made_up(20)
    for make, message in (
        (
            lambda: CRF(onto, kernel="poly").fit(X, Y),
            "kernel must be 'linear', 'latent' or 'rbf', got 'poly'",
        ),
        (
            lambda: CRF(onto, device=0).fit(X, Y),
            "device must be the name of one, such as 'cpu' or 'cuda'; got 0",
        ),
        (lambda: CRF(onto).fit(X, Y[:, :3]), "items x 7 labels, got shape"),
        (lambda: CRF(onto).fit(X[:5], Y), "5 rows"),
        (lambda: CRF(onto).predict_proba(X), "not fitted"),
        (lambda: CRF(onto).fit(X, Y).predict_proba(X[:, :2]), "2 features"),
        (lambda: CRF(onto, kernel="latent").fit(X, Y), "for sparse features"),
        (lambda: onto.marginals(np.full((1, len(onto)), np.nan)), "finite"),
        (lambda: onto.marginals(np.zeros((1, 2))), "items x"),
    ):
        with pytest.raises(co.CorollaryError, match=message):
            make()
