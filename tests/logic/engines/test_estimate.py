"""Belief propagation: its error is measured, and it is said to be an estimate."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.logic.engines import Budget
from corollary.logic.engines.diagram import Diagram
from corollary.logic.engines.estimate import BeliefPropagation

from .components import ITEMS, anything, cases, trees, weigh


def test_an_estimate_is_said_to_be_one():
    rng = np.random.default_rng(0)
    labels = [f"l{k}" for k in range(30)]
    signed = [
        "~" * int(rng.integers(2)) + labels[k] for _ in range(75) for k in rng.permutation(30)[:3]
    ]
    rules = [co.formula(" | ".join(signed[j : j + 3])) for j in range(0, 225, 3)]
    onto = co.Ontology(labels, rules, budget=co.Budget(states=100))
    (engine,) = onto.engines
    assert (engine.engine, engine.guarantee) == ("belief propagation", "estimate")
    beliefs = rng.random((3, 30))
    with pytest.warns(co.EstimateWarning, match="3 of 3 items"):
        found = onto.infer(beliefs, gain=True)
    assert np.isnan(found.error).all()
    with pytest.warns(co.EstimateWarning):
        np.testing.assert_array_equal(onto.posterior(beliefs), found.posterior)
    exact = onto.with_budget(co.Budget())
    assert [engine.guarantee for engine in exact.engines] == ["exact"]
    assert np.abs(exact.posterior(beliefs) - found.posterior).mean() < 0.2
    # Propagation stays complete, and the labelling legal.
    np.testing.assert_array_equal(
        onto.propagate(onto.most_probable(beliefs)), onto.most_probable(beliefs)
    )
    facts = np.where(rng.random((3, 30)) < 0.1, exact.most_probable(beliefs), -1)
    np.testing.assert_array_equal(onto.propagate(facts), exact.propagate(facts))


def test_estimate_error_is_measured_and_moderate():
    """Belief propagation against exact answers; the documentation quotes these figures."""
    errors = []
    for part, _, odds, known in cases(anything):
        exact = Diagram.compile(part, Budget()).infer(odds.clip(-4, 4), known)
        errors.append(
            np.abs(
                BeliefPropagation(part).infer(odds.clip(-4, 4), known).posterior - exact.posterior
            )
        )
    every = np.concatenate([error.ravel() for error in errors])
    assert every.mean() < 0.02
    assert np.quantile(every, 0.99) < 0.35


def test_belief_propagation_is_exact_on_trees():
    for part, worlds, odds, known in cases(trees):
        found = BeliefPropagation(part, sweeps=400, tolerance=1e-13).infer(
            odds.clip(-6, 6), known, both=True
        )
        if any(
            len(set(group) & {x >> 1 for x in clause}) > 1
            for group in part.groups
            for clause in part.clauses
        ):
            continue  # two constraints on the same children are a loop
        if any(part.parents[x >> 1] for clause in part.clauses for x in clause) or any(
            part.parents[k] for group in part.groups for k in group
        ):
            continue  # a group and the implications of its members are a loop
        for i in range(ITEMS):
            agree, _, probability = weigh(worlds, odds[i].clip(-6, 6), known[i])
            np.testing.assert_allclose(found.posterior[i], probability @ agree, atol=1e-6)
