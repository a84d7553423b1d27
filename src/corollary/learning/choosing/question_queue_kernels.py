"""A tournament as an implicit binary tree: node n has the children 2n and 2n+1, node 1 is the final."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _winner_of(values, a, b):  # type: ignore[no-untyped-def]
    # Leaves beyond the last item are -1. `a` has the smaller index and wins a tie.
    return a if b < 0 or (a >= 0 and values[a] >= values[b]) else b


@njit(cache=True, nogil=True)
def build(values):  # type: ignore[no-untyped-def]
    """All matches: winner[n] for inner nodes and leaves alike."""
    leaves = 1
    while leaves < values.size:
        leaves *= 2
    winner = np.full(2 * leaves, -1, np.int64)
    for i in range(values.size):
        winner[leaves + i] = i
    for n in range(leaves - 1, 0, -1):
        winner[n] = _winner_of(values, winner[2 * n], winner[2 * n + 1])
    return winner


@njit(cache=True, nogil=True)
def update(values, winner, i, value):  # type: ignore[no-untyped-def]
    """Change one value and replay its matches."""
    values[i] = value
    n = (winner.size // 2 + i) // 2
    while n:
        winner[n] = _winner_of(values, winner[2 * n], winner[2 * n + 1])
        n //= 2
