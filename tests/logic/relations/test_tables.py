"""Models of tables against all their assignments."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from corollary.logic.relations import tables


def random_model(seed: int):
    rng = np.random.default_rng(seed)
    cards = [int(c) for c in rng.integers(1, 4, rng.integers(1, 6))]
    sizes = rng.integers(0, min(3, len(cards)) + 1, 6)
    scopes = [tuple(sorted(rng.permutation(len(cards))[:size].tolist())) for size in sizes]
    scopes += [(v,) for v in range(len(cards))]
    made = [rng.normal(size=(2, *(cards[v] for v in scope))) for scope in scopes]
    for table in made[:3]:
        table[rng.random(table.shape) < 0.1] = -np.inf
    return cards, scopes, made


def every_weight(cards, scopes, made, b):
    worlds = np.array(list(product(*map(range, cards))))
    weights = np.zeros(len(worlds))
    for scope, table in zip(scopes, made, strict=True):
        weights += np.array([table[(b, *world[list(scope)])] for world in worlds])
    return worlds, weights


@pytest.mark.parametrize("seed", range(30))
def test_sums_and_maxima_are_those_of_all_assignments(seed):
    cards, scopes, made = random_model(seed)
    how = tables.plan(cards, scopes)
    weights = [every_weight(cards, scopes, made, b)[1] for b in range(2)]
    if any(np.isneginf(one).all() for one in weights):
        return
    log_z, beliefs = tables.solve(cards, scopes, made, how)
    chosen = tables.best(cards, scopes, made, how)
    for b in range(2):
        worlds, weight = every_weight(cards, scopes, made, b)
        assert log_z[b] == pytest.approx(np.logaddexp.reduce(weight), abs=1e-10)
        p = np.exp(weight - log_z[b])
        for scope, belief in zip(scopes, beliefs, strict=True):
            expected = np.zeros([cards[v] for v in scope])
            for world, q in zip(worlds, p, strict=True):
                expected[tuple(world[list(scope)])] += q
            np.testing.assert_allclose(belief[b], expected, atol=1e-10)
        at = (worlds == chosen[b]).all(axis=1)
        assert weight[at] == pytest.approx([weight.max()])


@pytest.mark.parametrize("seed", range(5))
def test_messages_are_exact_without_cycles(seed):
    rng = np.random.default_rng(seed)
    cards, scopes = [2, 3, 2, 2], [(0, 1), (1, 2), (1, 3), (0,), (3,)]
    made = [rng.normal(size=(1, *(cards[v] for v in scope))) for scope in scopes]
    log_z, beliefs = tables.solve(cards, scopes, made, tables.plan(cards, scopes))
    estimated, guesses = tables.estimate(cards, scopes, made)
    np.testing.assert_allclose(estimated, log_z, atol=1e-7)
    for one, other in zip(guesses, beliefs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_an_order_ties_few_variables_together():
    chain = [(v, v + 1) for v in range(30)]
    assert tables.plan([3] * 31, chain).size == 9
    complete = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert tables.plan([3] * 5, complete).size == 3**5


def test_a_plan_beyond_the_budget_is_not_finished():
    complete = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert tables.plan([3] * 5, complete, 3**5).buckets
    assert tables.plan([3] * 5, complete, 100) == tables.Plan((), 3**5)


def test_an_estimate_reads_no_more_entries_than_it_may(monkeypatch):
    rng = np.random.default_rng(0)
    scopes = [(0, 1), (1, 2), (0, 2)]
    made = [3 * rng.normal(size=(1, 2, 2)) for _ in scopes]
    settled = tables.estimate([2, 2, 2], scopes, made)[1]
    monkeypatch.setattr(tables, "ENTRIES", 0)
    monkeypatch.setattr(tables, "FEWEST_ROUNDS", 1)
    after_one_round = tables.estimate([2, 2, 2], scopes, made)[1]
    assert np.abs(after_one_round[0] - settled[0]).max() > 1e-3
