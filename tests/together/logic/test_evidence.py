"""Evidence shifts log-odds, exactly and however large it is; where it is infinite it is a fact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co

from ...logic.brute import mixed_beliefs, some_facts, truth
from ...logic.ontologies import ontologies, random_ontology, worlds
from .test_ontology_inference import SHAPES

ITEMS = 8


def mixed_evidence(rng: np.random.Generator, n_items: int, n_labels: int) -> np.ndarray:
    """Mild and strong, much that says nothing, and rows where all is far beyond what an exponential can hold."""
    kinds = [
        3 * rng.standard_normal((n_items, n_labels)),
        40 * rng.choice([-1.0, 0.0, 1.0], (n_items, n_labels)),
        np.where(
            rng.random((n_items, n_labels)) < 0.7,
            0.0,
            1000 * rng.standard_normal((n_items, n_labels)),
        ),
        rng.choice([-1.0, 1.0], (n_items, n_labels)) * 20_000
        + rng.standard_normal((n_items, n_labels)),
    ]
    return np.array([kinds[i % 4][i] for i in range(n_items)])


def check(labels: list[str], constraints: list[co.Constraint], rng: np.random.Generator) -> None:
    """Compare one ontology with brute force on a few items."""
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    onto = co.Ontology(labels, constraints)
    beliefs, facts = mixed_beliefs(rng, ITEMS, len(labels)), some_facts(rng, ITEMS, len(labels))
    evidence = mixed_evidence(rng, ITEMS, len(labels))
    kept = [i for i in range(ITEMS) if truth(legal, beliefs[i], facts[i]) is not None]
    beliefs, facts, evidence = beliefs[kept], facts[kept], evidence[kept]
    found = onto.infer(beliefs, facts, gain=True, evidence=evidence)
    best = onto.most_probable(beliefs, facts, evidence=evidence)
    odds = np.log(beliefs.clip(1e-12, 1 - 1e-12)) - np.log1p(-beliefs.clip(1e-12, 1 - 1e-12))
    by_odds, log_z = onto.marginals(odds, facts, evidence=evidence)
    for i in range(len(kept)):
        t = truth(legal, beliefs[i], facts[i], evidence[i])
        np.testing.assert_allclose(found.posterior[i], t.posterior, rtol=0, atol=1e-9)
        np.testing.assert_allclose(by_odds[i], t.posterior, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.joint_entropy[i], t.joint_entropy, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.gain[i], t.gain, rtol=0, atol=1e-9)
        weights = t.worlds @ (odds[i] + evidence[i])
        assert abs(log_z[i] - weights.max() - np.log(np.exp(weights - weights.max()).sum())) < 1e-9
        (chosen,) = np.flatnonzero((t.worlds == best[i]).all(axis=1))
        assert t.log_weight[chosen] >= t.log_weight.max() - 1e-9


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_brute_force_on_a_seed_sweep(shape):
    for seed in range(90):  # of six kinds each
        rng = np.random.default_rng([seed, 7, list(SHAPES).index(shape)])
        kinds = {} if SHAPES[shape] is None else {"kinds": SHAPES[shape]}
        check(
            *random_ontology(rng, int(rng.integers(2, 10)), int(rng.integers(0, 12)), **kinds), rng
        )


@settings(max_examples=100, deadline=None)
@given(ontologies(max_labels=8, max_constraints=8), st.integers(0, 2**32 - 1))
def test_equals_brute_force(ontology, seed):
    check(*ontology, np.random.default_rng(seed))


@settings(max_examples=100, deadline=None)
@given(ontologies(max_labels=8), st.integers(0, 2**32 - 1))
def test_infinite_evidence_is_facts_bit_by_bit(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    rng = np.random.default_rng(seed)
    onto = co.Ontology(labels, constraints)
    world = legal[rng.integers(len(legal), size=5)].astype(np.int8)
    facts, further = (
        np.where(rng.random(world.shape) < share, world, -1).astype(np.int8) for share in (0.2, 0.4)
    )
    certain = np.where(further < 0, 0.0, np.where(further == 1, np.inf, -np.inf))
    both = np.where(further < 0, facts, further)
    beliefs = mixed_beliefs(rng, 5, len(labels))
    for given_facts in (facts, onto.propagate(facts)):
        by_facts = onto.infer(beliefs, both, gain=True)
        by_evidence = onto.infer(
            beliefs, given_facts, evidence=certain, gain=True, propagated=given_facts is not facts
        )
        np.testing.assert_array_equal(by_evidence.posterior, by_facts.posterior)
        np.testing.assert_array_equal(by_evidence.gain, by_facts.gain)
        np.testing.assert_array_equal(by_evidence.joint_entropy, by_facts.joint_entropy)
    for a, b in zip(
        onto.marginals(beliefs, facts, evidence=certain), onto.marginals(beliefs, both), strict=True
    ):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(
        onto.most_probable(beliefs, evidence=certain), onto.most_probable(beliefs, further)
    )
    nothing = onto.infer(beliefs, facts, evidence=np.zeros(beliefs.shape), gain=True)
    np.testing.assert_array_equal(nothing.gain, onto.infer(beliefs, facts, gain=True).gain)


def test_evidence_does_not_run_into_a_clip():
    onto = co.Ontology.parse("exclusive: a, b, c")
    q = onto.posterior(
        [[0.5] * 3] * 4,
        evidence=[[40, 38, 0], [1000, 998, 0], [5e5, 5e5 - 2, 0], [-900, -902, -900]],
    )
    expected = [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))]
    np.testing.assert_allclose(q[:3, :2], [expected] * 3, atol=1e-9)
    assert (q[3] < 1e-300).all()
    np.testing.assert_array_equal(
        onto.most_probable([[0.5] * 3], evidence=[[998, 1000, 999]]), [[0, 1, 0]]
    )


def test_a_cover_of_which_evidence_leaves_nothing():
    onto = co.Ontology.parse("a > b, c\na covered by b, c")
    q, log_z = onto.marginals(np.zeros((1, 3)), [[1, -1, -1]], evidence=[[0, -1000, -1002]])
    np.testing.assert_allclose(q[0, 1:], [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))], atol=1e-9)
    np.testing.assert_allclose(log_z, -1000 + np.log1p(np.exp(-2)), rtol=1e-12)


def test_what_one_item_says_is_nothing_to_another():
    onto = co.Ontology.parse("a > exclusive: b, c\nexclusive: d, e\nrule: f >> g | h")
    rng = np.random.default_rng(3)
    beliefs, evidence = rng.random((40, len(onto))), 3 * rng.standard_normal((40, len(onto)))
    evidence[::7] *= 1000
    together = onto.infer(beliefs, evidence=evidence, gain=True)
    for i in range(40):
        alone = onto.infer(beliefs[i : i + 1], evidence=evidence[i : i + 1], gain=True)
        np.testing.assert_array_equal(together.posterior[i], alone.posterior[0])
        np.testing.assert_array_equal(together.gain[i], alone.gain[0])
