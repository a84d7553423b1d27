"""The best rows of a pool, in order of their worth; of equals the earlier row comes first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..logic.engines import Facts, Floats
from .table.parts import Rows


class Ranked(NamedTuple):
    """Rows of the pool, best first, with their worth, and if wanted their beliefs and known labels."""

    rows: Rows
    worth: Floats
    beliefs: Floats
    known: Facts

    @staticmethod
    def of(
        rows: Rows, worth: Floats, n: int, beliefs: Floats | None = None, known: Facts | None = None
    ) -> Ranked:
        """Return the best n of rows in ascending order, without those of worth -inf."""
        order = np.argsort(-worth, kind="stable")[:n]
        order = order[worth[order] > -np.inf]
        return Ranked(
            rows[order],
            worth[order],
            np.empty((len(order), 0)) if beliefs is None else beliefs[order],
            np.empty((len(order), 0), np.int8) if known is None else known[order],
        )

    def take(self, order: Any) -> Ranked:
        """Some of them."""
        return Ranked(self.rows[order], self.worth[order], self.beliefs[order], self.known[order])


class Best:
    """The best n of all that are added, in whatever order they come: no more than n are kept."""

    def __init__(self, n: int):
        self._n = n
        self.found = Ranked.of(np.empty(0, np.int64), np.empty(0), 0)

    def add(self, more: Ranked) -> None:
        """Compare further rows with the best ones so far."""
        best = self.found
        if not len(best.rows):
            self.found = more.take(slice(self._n))
        elif len(more.rows):
            both = Ranked(
                np.concatenate([best.rows, more.rows]),
                np.concatenate([best.worth, more.worth]),
                np.concatenate([best.beliefs, more.beliefs]),
                np.concatenate([best.known, more.known]),
            )
            self.found = both.take(np.lexsort((both.rows, -both.worth))[: self._n])


def merged(found: Iterable[Ranked], n: int) -> Ranked:
    """The best n of all."""
    best = Best(n)
    for one in found:
        best.add(one)
    return best.found


def chances(seed: int, rows: Rows) -> Floats:
    """Return a random number from 0 to 1 for each consecutive row, the same however a pool is cut."""
    source = np.random.PCG64(seed)
    source.advance(int(rows[0]) if len(rows) else 0)
    return np.random.Generator(source).random(len(rows))
