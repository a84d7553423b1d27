"""The paper's theorem, proposition and corollary, and what goes past them, as numeric facts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co

from ...logic.brute import entropy, truth
from ...logic.ontologies import ontologies, worlds


def beliefs_with_posterior(q):
    """Under one exclusive group, the beliefs whose posterior is q: q_k = odds_k q_0."""
    none = 1 - q.sum(axis=1, keepdims=True)
    return q / (q + none)


def exclusive_labels(n):
    labels = [f"l{k}" for k in range(n)]
    return co.Ontology(labels, [co.exclusive(*labels)])


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_theorem_1_probability_ranks_as_information_gain(n, seed):
    """Among exclusive labels a more probable one tells more about the others."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(n + 1, rng.choice([0.2, 1.0, 5.0])), size=4)[:, :n]
    assume((q > 1e-9).all())
    assume((q.sum(axis=1) < 1 - 1e-9).all())  # else the beliefs would be clipped
    onto = exclusive_labels(n)
    beliefs = beliefs_with_posterior(q)
    np.testing.assert_allclose(onto.posterior(beliefs), q, atol=1e-9)
    gain = onto.gain(beliefs)
    for i in range(len(q)):
        by_probability = np.argsort(q[i], kind="stable")
        assert (np.diff(gain[i][by_probability]) >= -1e-12).all()


def test_theorem_1_gain_in_closed_form():
    q = np.array([[0.5, 0.2, 0.1]])
    none = 1 - q.sum()
    closed = entropy(q) - (q + none) * entropy(q / (q + none))
    np.testing.assert_allclose(
        exclusive_labels(3).gain(beliefs_with_posterior(q)), closed, atol=1e-12
    )


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 6), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_proposition_1_probability_and_entropy_agree_when_the_largest_is_nearest_to_a_half(
    n_items, n, seed
):
    p = np.random.default_rng(seed).dirichlet(np.ones(n + 1), size=n_items)[:, :n]
    same = p.argmax() == np.abs(p - 0.5).argmin()
    assert (entropy(p).argmax() == p.argmax()) == same


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_corollary_1_for_one_item_both_scores_pick_the_same_label(n, seed):
    """Probabilities that add up to at most 1: the largest is the nearest to a half."""
    rng = np.random.default_rng(seed)
    beliefs = rng.beta(0.4, 0.6, (1, n))
    q = exclusive_labels(n).posterior(beliefs)[0]
    assert q.sum() <= 1 + 1e-12
    best = np.sort(q)[::-1]
    assume(
        abs(abs(best[0] - 0.5) - abs(best[1] - 0.5)) > 1e-9
    )  # a tie: the two labels share everything
    assert q.argmax() == entropy(q).argmax()


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=7), st.integers(0, 2**32 - 1))
def test_an_answer_removes_exactly_its_posterior_entropy(ontology, seed):
    """H(Y) - E[H(Y | answer to k)] = H(q_k), whatever the constraints."""
    labels, constraints = ontology
    assume(len(worlds(labels, constraints)) > 1)
    onto = co.Ontology(labels, constraints)
    beliefs = np.random.default_rng(seed).uniform(0.05, 0.95, (1, len(labels)))
    q = onto.posterior(beliefs)[0]
    before = onto.joint_entropy(beliefs)[0]
    for k in np.flatnonzero((q > 1e-9) & (q < 1 - 1e-9)):
        after = 0.0
        for value in (0, 1):
            facts = np.full((1, len(labels)), -1, np.int8)
            facts[0, k] = value
            after += (q[k] if value else 1 - q[k]) * onto.joint_entropy(beliefs, facts)[0]
        assert before - after == pytest.approx(entropy(q[k]), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=7), st.integers(0, 2**32 - 1))
def test_gain_lies_between_nothing_and_the_entropy(ontology, seed):
    labels, constraints = ontology
    assume(len(worlds(labels, constraints)))
    onto = co.Ontology(labels, constraints)
    found = onto.infer(np.random.default_rng(seed).random((3, len(labels))), gain=True)
    assert (found.gain >= 0).all()
    assert (found.gain <= entropy(found.posterior) + 1e-12).all()


def test_gain_of_independent_and_of_exactly_one():
    beliefs = np.array([[0.2, 0.7, 0.4]])
    np.testing.assert_allclose(co.Ontology(["a", "b", "c"]).gain(beliefs), 0, atol=1e-12)
    onto = co.Ontology.parse("exactly one: a, b, c")
    np.testing.assert_allclose(onto.gain(beliefs), entropy(onto.posterior(beliefs)), atol=1e-12)


def questions_needed(legal, probability, choose):
    """Expected number of single-label questions to settle an item when `choose(worlds)` picks them."""

    @cache
    def expected(left):
        rows = list(left)
        if len(rows) == 1:
            return 0.0
        some = legal[rows]
        open_labels = [
            k for k in range(legal.shape[1]) if some[:, k].any() and not some[:, k].all()
        ]
        return choose(left, some, probability[rows], open_labels, expected)

    return expected(tuple(range(len(legal))))


def split(left, some, k, p, expected):
    yes = tuple(w for w, on in zip(left, some[:, k], strict=True) if on)
    no = tuple(w for w, on in zip(left, some[:, k], strict=True) if not on)
    share = p[some[:, k].astype(bool)].sum() / p.sum()
    return 1 + share * expected(yes) + (1 - share) * expected(no)


def greedy(left, some, p, open_labels, expected):
    share = [(p @ some[:, k]) / p.sum() for k in open_labels]
    k = open_labels[int(np.argmin(np.abs(np.array(share) - 0.5)))]
    return split(left, some, k, p, expected)


def optimal(left, some, p, open_labels, expected):
    return min(split(left, some, k, p, expected) for k in open_labels)


def test_asking_the_most_uncertain_label_is_close_to_the_best_possible_order():
    """Generalised binary search: at most 1 + ln(1/p_min) times the optimal decision tree; far closer in practice."""
    ratios = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = [f"l{k}" for k in range(6)]
        constraints = [co.exclusive(*rng.permutation(labels)[:3].tolist()) for _ in range(2)]
        constraints += [co.implies(*rng.permutation(labels)[:2].tolist()) for _ in range(3)]
        legal = worlds(labels, constraints).astype(np.int8)
        true = truth(legal.astype(bool), rng.random(6), np.full(6, -1, np.int8))
        probability = np.exp(true.log_weight - true.log_weight.max())
        probability /= probability.sum()
        if len(legal) < 2:
            continue
        best = questions_needed(legal, probability, optimal)
        ratios.append(questions_needed(legal, probability, greedy) / best)
        assert ratios[-1] <= 1 + np.log(1 / probability.min()) + 1e-9
    assert len(ratios) > 40
    assert max(ratios) < 1.2
