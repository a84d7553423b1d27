"""Certified pruning: the error it reports holds, against the list of all legal worlds and the exact junction tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.engines import Budget, Inferred
from corollary.logic.engines.junction import compile_junction
from corollary.logic.engines.pruning import BATCH, PrunedJunction

from .hierarchies import (
    brute_force,
    hierarchies,
    legal_worlds,
    random_exclusions,
    random_facts,
    random_hierarchy,
    random_odds,
    with_exclusions,
)

ROUNDING = 1e-11


class Shrug:
    """An estimate that is easily told from an answer."""

    name, size, guarantee = "shrug", 0, "estimate"

    def infer(self, odds, known, *, both=False):
        half = np.where(known < 0, 0.5, known)
        return Inferred(
            half, np.zeros(len(odds)), half if both else None, np.full(len(odds), np.nan)
        )

    def most_probable(self, odds, known):
        raise AssertionError("the most probable world needs no estimate")


def pruned(component, **budget) -> PrunedJunction:
    return PrunedJunction(component, Budget(**budget), Shrug())


def check(component, odds, known, error) -> tuple[int, float]:
    """How many cells were fixed by beliefs, and the largest error as a share of what was proven."""
    worlds = legal_worlds(component)
    engine = pruned(component, error=error)
    plain, full = engine.infer(odds, known), engine.infer(odds, known, both=True)
    assert plain.both is None
    used = 0.0
    for i in range(len(odds)):
        posterior, log_z, both, _ = brute_force(worlds, odds[i], known[i])
        for found in (plain, full):
            proven = found.error[i]
            assert 0 <= proven <= error
            off = np.abs(found.posterior[i] - posterior).max()
            assert off <= proven + ROUNDING
            used = max(used, off / proven if proven > 1e-9 else 0)
            assert -1e-10 <= log_z - found.log_z[i] <= -np.log1p(-proven) + 1e-10
        assert np.abs(full.both[i] - both).max() <= full.error[i] + ROUNDING
    fixed = (known < 0) & ((plain.posterior == 0) | (plain.posterior == 1))
    return int(fixed.sum()), used


@pytest.mark.parametrize("error", [0.3, 1e-2, 1e-6, 0.0])
def test_the_proven_error_holds_seed_by_seed(error):
    fixed, used = 0, 0.0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 10))
        component = random_hierarchy(rng, n, rng.choice([0.15, 0.3, 0.5]))
        known = random_facts(rng, legal_worlds(component), 6)
        count, share = check(component, random_odds(rng, 6, n), known, error)
        fixed, used = fixed + count, max(used, share)
    assert fixed > 100 or error == 0
    assert used > 0.2 or error < 1e-2, (
        "a bound that is never nearly reached proves nothing about its tests"
    )


@pytest.mark.parametrize("error", [0.3, 1e-2, 1e-6, 0.0])
def test_the_proven_error_holds_with_exclusions(error):
    fixed, used, excluding = 0, 0.0, 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 10))
        component = random_exclusions(rng, random_hierarchy(rng, n, rng.choice([0.1, 0.25])))
        excluding += len(component.groups)
        known = random_facts(rng, legal_worlds(component), 6)
        count, share = check(component, random_odds(rng, 6, n), known, error)
        fixed, used = fixed + count, max(used, share)
    assert excluding > 100
    assert fixed > 100 or error == 0
    assert used > 0.2 or error < 1e-2


@settings(max_examples=100)
@given(
    hierarchies(),
    st.lists(st.sets(st.integers(0, 7), min_size=2)),
    st.sampled_from([0.5, 0.05, 1e-4]),
    st.data(),
)
def test_the_proven_error_holds_with_any_exclusions(component, groups, error, data):
    component = with_exclusions(component, [g for g in groups if max(g) < component.n])
    odds = data.draw(st.lists(st.floats(-15, 15), min_size=component.n, max_size=component.n))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    check(component, np.array([odds]), random_facts(rng, legal_worlds(component), 1), error)


@settings(max_examples=100)
@given(hierarchies(), st.sampled_from([0.5, 0.05, 1e-4]), st.data())
def test_the_proven_error_holds(component, error, data):
    odds = data.draw(st.lists(st.floats(-15, 15), min_size=component.n, max_size=component.n))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    check(component, np.array([odds]), random_facts(rng, legal_worlds(component), 1), error)


@pytest.mark.parametrize("error", [1e-3, 1e-6])
def test_against_the_exact_tree_on_a_larger_hierarchy(error):
    rng = np.random.default_rng(1)
    component = random_hierarchy(rng, 150, 0.012)
    odds = np.concatenate(
        [rng.normal(-5, 3, (3 * BATCH, 150)), rng.normal(-1, 8, (BATCH + 3, 150))]
    )
    known = np.full(odds.shape, -1, np.int8)
    exact = compile_junction(component, Budget()).infer(odds, known, both=True)
    engine = pruned(component, error=error)
    found = engine.infer(odds, known, both=True)
    assert (found.error <= error).all()
    assert (np.abs(found.posterior - exact.posterior).max(axis=1) <= found.error + ROUNDING).all()
    assert (np.abs(found.both - exact.both).max(axis=1) <= found.error + ROUNDING).all()
    assert engine.size > 0


def test_facts_alone_are_exact():
    rng = np.random.default_rng(2)
    component = random_hierarchy(rng, 9, 0.3)
    worlds = legal_worlds(component)
    known = np.concatenate([random_facts(rng, worlds, 20), worlds[:3]])
    odds = rng.normal(0, 1, known.shape)
    found = pruned(component, error=0.0).infer(odds, known)
    assert (found.error == 0).all()
    for i in range(len(odds)):
        np.testing.assert_allclose(
            found.posterior[i], brute_force(worlds, odds[i], known[i])[0], rtol=0, atol=ROUNDING
        )


def test_items_that_do_not_fit_get_the_estimate_and_say_so():
    rng = np.random.default_rng(4)
    component = random_hierarchy(rng, 40, 0.15)
    sharp = rng.choice([-30.0, 30.0], (20, 40))
    odds = np.concatenate([sharp, np.zeros((5, 40))])
    known = np.full(odds.shape, -1, np.int8)
    engine = pruned(component, states=500)
    found = engine.infer(odds, known, both=True)
    assert np.isnan(found.error[20:]).all()
    assert (found.posterior[20:] == 0.5).all()
    assert (found.both[20:] == 0.5).all()
    certified = ~np.isnan(found.error)
    assert certified.sum() >= 5
    assert engine.size <= 500
    assert np.isnan(engine.infer(odds[20:], known[20:]).error).all(), "remembered as too large"
    exact = compile_junction(component, Budget(states=10**7)).infer(odds, known)
    assert np.abs(found.posterior - exact.posterior)[certified].max() <= 1e-6
    np.testing.assert_allclose(found.log_z[certified], exact.log_z[certified], rtol=0, atol=2e-6)


def test_equal_items_are_estimated_once():
    class Counts(Shrug):
        asked = 0

        def infer(self, odds, known, *, both=False):
            self.asked += len(odds)
            return replace(super().infer(odds, known, both=both), posterior=odds.copy())

    component = random_hierarchy(np.random.default_rng(4), 40, 0.15)
    odds = np.zeros((9, 40))
    odds[[2, 5], 0] = 0.5
    odds[7] = 0.25
    counts = Counts()
    engine = PrunedJunction(component, Budget(states=1, error=1e-6), counts)
    found = engine.infer(odds, np.full(odds.shape, -1, np.int8), both=True)
    assert counts.asked == 3
    np.testing.assert_array_equal(found.posterior, odds)


def test_an_answer_hardly_depends_on_the_other_items():
    rng = np.random.default_rng(5)
    component = random_hierarchy(rng, 60, 0.06)
    odds = random_odds(rng, 40, 60)
    known = np.full(odds.shape, -1, np.int8)
    engine = pruned(component)
    together = engine.infer(odds, known, both=True)
    for i in range(40):
        alone = engine.infer(odds[i : i + 1], known[i : i + 1], both=True)
        np.testing.assert_allclose(together.posterior[i], alone.posterior[0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(together.both[i], alone.both[0], rtol=0, atol=1e-12)
        assert together.error[i] == alone.error[0]


def test_the_most_probable_world_is_exact_whatever_the_beliefs():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        component = random_hierarchy(rng, 8, 0.3)
        worlds = legal_worlds(component)
        odds, known = random_odds(rng, 5, 8), random_facts(rng, worlds, 5)
        best = pruned(component, states=1).most_probable(odds, known)
        for i in range(5):
            assert (worlds == best[i]).all(axis=1).any()
            largest = brute_force(worlds, odds[i], known[i])[3]
            np.testing.assert_allclose(
                best[i] @ np.where(known[i] < 0, odds[i], 0.0), largest, rtol=0, atol=1e-10
            )


def test_the_most_probable_world_with_exclusions():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        component = random_exclusions(rng, random_hierarchy(rng, 8, rng.choice([0.1, 0.25])))
        worlds = legal_worlds(component)
        odds, known = random_odds(rng, 5, 8), random_facts(rng, worlds, 5)
        best = pruned(component).most_probable(odds, known)
        for i in range(5):
            assert (worlds == best[i]).all(axis=1).any()
            largest = brute_force(worlds, odds[i], known[i])[3]
            np.testing.assert_allclose(
                best[i] @ np.where(known[i] < 0, odds[i], 0.0), largest, rtol=0, atol=1e-8
            )


def test_no_items():
    component = random_hierarchy(np.random.default_rng(0), 5, 0.5)
    found = pruned(component).infer(np.zeros((0, 5)), np.zeros((0, 5), np.int8), both=True)
    assert found.posterior.shape == found.both.shape == (0, 5)
