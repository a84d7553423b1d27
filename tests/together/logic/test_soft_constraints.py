"""Soft constraints: what is probable equals brute force; what must be true does not know of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.language import constraints as c

from ...logic.brute import CLIP, mixed_beliefs, some_facts, weighed
from ...logic.ontologies import KINDS, holds, ontologies, random_ontology, worlds

ITEMS = 6
SHAPES = {
    "any": KINDS,
    "subsumption": ("subsumes",),
    "exclusion": ("subsumes", "exclusive"),
    "cover": ("subsumes", "exclusive", "covers", "exactly_one", "at_least_one"),
    "formula": ("formula", "parity"),
}
WEIGHTS = (1e-300, 0.01, 0.5, 3.0, 30.0, 600.0)


def softened(constraints: list[c.Hard], rng: np.random.Generator) -> list[c.Constraint]:
    """About half of them with a weight."""
    return [
        c.Soft(one, float(rng.choice(WEIGHTS))) if rng.random() < 0.5 else one
        for one in constraints
    ]


def check(labels: list[str], constraints: list[c.Constraint], rng: np.random.Generator) -> bool:
    """Compare one ontology with brute force on a few items; whether there was anything to compare."""
    onto, hard = co.Ontology(labels, constraints), co.Ontology(labels, c.hard_ones(constraints))
    legal = worlds(labels, hard.constraints)
    if not len(legal):
        with pytest.raises(co.Contradiction):
            onto.posterior(np.full((1, len(labels)), 0.5))
        return False
    column = {label: legal[:, k] for k, label in enumerate(labels)}
    penalty = np.zeros(len(legal))
    for one in c.soft_ones(constraints):
        penalty += np.where(holds(one.constraint, column), 0.0, one.weight)
    beliefs, facts = mixed_beliefs(rng, ITEMS, len(labels)), some_facts(rng, ITEMS, len(labels))
    odds = np.log(p := np.clip(beliefs, CLIP, 1 - CLIP)) - np.log1p(-p)
    scores = rng.normal(0, 5, odds.shape)
    evidence = np.where(rng.random(odds.shape) < 0.5, rng.normal(0, 5, odds.shape), 0.0)
    odds, scores, given = odds + evidence, scores + evidence, scores
    keep = [i for i in range(ITEMS) if weighed(legal, penalty, odds[i], facts[i]) is not None]
    found = onto.infer(beliefs[keep], facts[keep], evidence=evidence[keep], gain=True)
    best = onto.most_probable(beliefs[keep], facts[keep], evidence=evidence[keep])
    marginals, log_z = onto.marginals(given[keep], facts[keep], evidence=evidence[keep])
    np.testing.assert_array_equal(onto.propagate(facts[keep]), hard.propagate(facts[keep]))
    assert (found.error == 0).all()
    for row, i in enumerate(keep):
        true, scored = (weighed(legal, penalty, those[i], facts[i]) for those in (odds, scores))
        np.testing.assert_allclose(found.posterior[row], true.posterior, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.joint_entropy[row], true.joint_entropy, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.gain[row], true.gain, rtol=0, atol=1e-9)
        np.testing.assert_allclose(marginals[row], scored.posterior, rtol=0, atol=1e-9)
        np.testing.assert_allclose(log_z[row], scored.log_z, rtol=1e-12, atol=1e-9)
        (chosen,) = np.flatnonzero((true.worlds == best[row]).all(axis=1))
        assert true.log_weight[chosen] >= true.log_weight.max() - 1e-9
    return True


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_brute_force_on_a_seed_sweep(shape):
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, list(SHAPES).index(shape)])
        sizes = int(rng.integers(2, 9)), int(rng.integers(1, 10))
        labels, constraints = random_ontology(rng, *sizes, kinds=SHAPES[shape])
        compared += check(labels, softened(constraints, rng), rng)
    assert compared > 20


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=7, max_constraints=7), st.integers(0, 2**32 - 1))
def test_equals_brute_force(ontology, seed):
    rng = np.random.default_rng(seed)
    check(ontology[0], softened(ontology[1], rng), rng)


@settings(max_examples=40, deadline=None)
@given(ontologies(max_labels=7, max_constraints=7), st.integers(0, 2**32 - 1))
def test_what_must_be_true_does_not_know_of_them(ontology, seed):
    labels, constraints = ontology
    rng = np.random.default_rng(seed)
    made = softened(constraints, rng)
    onto, hard = co.Ontology(labels, made), co.Ontology(labels, c.hard_ones(made))
    if not len(worlds(labels, hard.constraints)):
        return
    facts = some_facts(rng, ITEMS, len(labels))
    for of_one, of_other in zip(onto.closure(facts), hard.closure(facts), strict=True):
        np.testing.assert_array_equal(of_one, of_other)
    weights = rng.random(facts.shape)
    legal = facts[~hard.closure(facts)[1]]
    for of_one, of_other in zip(
        onto.consequences(weights[: len(legal)], weights[: len(legal)], legal),
        hard.consequences(weights[: len(legal)], weights[: len(legal)], legal),
        strict=True,
    ):
        np.testing.assert_array_equal(of_one, of_other)
    assert len(onto.choices) == len(hard.choices)
    found = {
        finding
        for finding in map(str, onto.lint())
        if ": unused:" not in finding and ": alike:" not in finding
    }
    assert found >= {
        text for text in map(str, hard.lint()) if ": unused:" not in text and ": alike:" not in text
    }


def test_a_heavy_weight_is_nearly_hard_and_facts_may_break_it():
    onto = co.Ontology(["bird", "flies"], [co.implies("bird", "flies", weight=40)])
    assert onto.posterior([[0.5, 0.5]], [[1, -1]])[0, 1] == pytest.approx(1.0, abs=1e-15)
    assert onto.propagate({"bird": True}) == {"bird": True}
    assert onto.propagate({"bird": True, "flies": False}) == {"bird": True, "flies": False}
    np.testing.assert_array_equal(onto.posterior([[0.5, 0.5]], [[1, 0]]), [[1.0, 0.0]])


def test_weights_are_log_odds():
    onto = co.Ontology(["bird", "flies"], [co.implies("bird", "flies", weight=3)])
    flies = onto.posterior([[0.5, 0.5]], [[1, -1]])[0, 1]
    assert np.log(flies / (1 - flies)) == pytest.approx(3.0)
    twice = co.Ontology(["bird", "flies"], [co.implies("bird", "flies", weight=3)] * 2)
    flies = twice.posterior([[0.5, 0.5]], [[1, -1]])[0, 1]
    assert np.log(flies / (1 - flies)) == pytest.approx(6.0)


def test_many_items_equal_one_by_one():
    onto = co.Ontology.parse(
        "animal > exclusive: bird, fish\nrule (weight 2): bird >> flies\nexclusive (weight 1): flies, swims\n"
        "rule (weight 0.5): fish >> swims"
    )
    rng = np.random.default_rng(0)
    beliefs = rng.random((1500, len(onto)))
    facts = onto.most_probable(rng.random(beliefs.shape))
    facts[rng.random(facts.shape) < 0.7] = -1
    together = onto.infer(beliefs, facts, gain=True)
    apart = [
        onto.infer(beliefs[i : i + 1], facts[i : i + 1], gain=True) for i in range(0, 1500, 97)
    ]
    np.testing.assert_array_equal(together.posterior[::97], [a.posterior[0] for a in apart])
    np.testing.assert_allclose(together.gain[::97], [a.gain[0] for a in apart], rtol=0, atol=1e-13)
    assert onto.infer(np.zeros((0, len(onto))), gain=True).gain.shape == (0, len(onto))
