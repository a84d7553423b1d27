"""A tournament as an implicit binary tree: node n has the children 2n and 2n+1, node 1 is the final.

As many leaves follow, of which nothing is kept: leaf i is value i itself.
"""

from __future__ import annotations

from ...logic.compiling import njit


@njit(cache=True, nogil=True, inline="always")
def _play(values, winner, n):  # type: ignore[no-untyped-def]
    # Leaves beyond the last item are -1. `a` has the smaller index and wins a tie.
    a = 2 * n
    b = 2 * n + 1
    if a < winner.size:
        a = winner[a]
        b = winner[b]
    else:
        a = a - winner.size if a - winner.size < values.size else -1
        b = b - winner.size if b - winner.size < values.size else -1
    winner[n] = a if b < 0 or (a >= 0 and values[a] >= values[b]) else b


@njit(cache=True, nogil=True)
def build(values, winner):  # type: ignore[no-untyped-def]
    """All matches; there are as many places for winners as leaves, a power of 2."""
    for n in range(winner.size - 1, 0, -1):
        _play(values, winner, n)


@njit(cache=True, nogil=True)
def update(values, winner, i, value):  # type: ignore[no-untyped-def]
    """Change one value and replay its matches."""
    values[i] = value
    n = (winner.size + i) // 2
    while n:
        _play(values, winner, n)
        n //= 2
