"""Components solved in batches, against the same tables written out and solved in logarithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.logic.relations import tables
from corollary.logic.relations.batches import Coded, solve


def random_batch(seed: int, spread: float = 1.0):
    """Some variables, tables over up to four of them, and three components."""
    rng = np.random.default_rng(seed)
    cards = tuple(int(c) for c in rng.integers(1, 4, rng.integers(1, 7)))
    sizes = rng.integers(0, min(4, len(cards)) + 1, 7)
    scopes = [tuple(sorted(rng.permutation(len(cards))[:size].tolist())) for size in sizes]
    scopes += [(v,) for v in range(len(cards))]
    given = []
    for scope in scopes:
        width = int(rng.integers(1, 5))
        code = rng.integers(0, width, [cards[v] for v in scope])
        if code.size > 2 and rng.random() < 0.5:
            code.reshape(-1)[int(rng.integers(code.size))] = -1
        given.append(Coded(rng.normal(size=(3, width)) * spread, code))
    return cards, tuple(scopes), given


def check(cards, scopes, given):
    how = tables.plan(cards, scopes)
    with np.errstate(invalid="ignore"):  # some have no possible assignment
        log_z, beliefs = solve(cards, scopes, given, how)
        wanted, written = tables.solve(cards, scopes, [one.written_out() for one in given], how)
    possible = np.isfinite(wanted)
    np.testing.assert_allclose(log_z[possible], wanted[possible], atol=1e-10)
    for one, belief, table in zip(given, beliefs, written, strict=True):
        expected = one.gathered(table)
        np.testing.assert_allclose(belief[possible], expected[possible], atol=1e-10)


@pytest.mark.parametrize("seed", range(40))
def test_batches_are_what_tables_are(seed):
    check(*random_batch(seed))


@given(st.integers(40, 2**32 - 1))
def test_batches_are_what_tables_are_property(seed):
    check(*random_batch(seed))


@pytest.mark.parametrize("seed", range(6))
def test_weights_beyond_the_range_of_products(seed):
    check(*random_batch(seed, spread=2000.0))
