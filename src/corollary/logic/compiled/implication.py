"""Clauses as a graph of literals, and unit propagation over it: linear time, no table of pairs, many items at once."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from itertools import chain
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..engines import Facts
from ..engines.rows import over_rows
from ..solving.clauses import Clauses

Ints = npt.NDArray[np.int64]


class Implications:
    """Unit propagation; complete by itself for clauses of up to two literals once the forced labels are added."""

    def __init__(self, clauses: Clauses, more: Iterable[tuple[int, ...]] = ()):
        self.n_labels = clauses.n_labels
        self.n_variables = clauses.n_variables
        units: list[tuple[int, ...]] = []
        pairs: list[tuple[int, ...]] = []
        long: list[tuple[int, ...]] = []
        for literals in chain((literals for literals, _ in clauses.clauses), sorted(more)):
            (units if len(literals) == 1 else pairs if len(literals) == 2 else long).append(
                literals
            )
        pair = np.array(pairs, np.int64).reshape(-1, 2)
        # a or b: not a leads to b, not b leads to a.
        self.first_after, self.after = _rows(
            np.concatenate([pair[:, 0], pair[:, 1]]) ^ 1,
            np.concatenate([pair[:, 1], pair[:, 0]]),
            2 * self.n_variables,
        )
        sizes = [len(c) for c in long]
        self.first_literal = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.literal = np.array([x for c in long for x in c], np.int64)
        # When a literal becomes true, its negation is lost to these clauses.
        self.first_loses, self.loses = _rows(
            self.literal ^ 1, np.repeat(np.arange(len(long)), sizes), 2 * self.n_variables
        )
        self.given = np.array([x for (x,) in units], np.int64)
        self.impossible = any(not literals for literals, _ in clauses.clauses)

    def given_also(self, values: Facts) -> Self:
        """The same with the value of some labels given (-1: not)."""
        other = copy.copy(self)
        labels = np.flatnonzero(values >= 0)
        other.given = 2 * labels + 1 - values[labels]
        return other

    def propagate(self, facts: Facts) -> tuple[Facts, npt.NDArray[np.bool_]]:
        """Facts with what unit propagation adds, and which rows clash."""
        from . import implication_kernels

        out = facts.copy()
        clash = np.full(len(facts), self.impossible)

        def run(start: int, stop: int) -> None:
            implication_kernels.propagate(
                out[start:stop], clash[start:stop], self.given, *self._graph()
            )

        if not self.impossible:
            over_rows(run, len(facts), at_least=2048)
        return out, clash

    def forced(self) -> Facts | None:
        """Labels that unit propagation shows to have one value only, failed literals included; None on a clash.

        A literal fails when it leads to its own negation.
        """
        from . import implication_kernels

        state = np.full((1, self.n_labels), -1, np.int8)
        mixed = self._mixed()
        while True:
            state, clash = self.propagate(state)
            if clash[0]:
                return None
            failed = implication_kernels.failed_literals(
                state[0], mixed, self.first_after, self.after
            )
            if failed.size == 0:
                return np.asarray(state[0])
            if np.unique(failed >> 1).size < failed.size:  # yes and no both fail
                return None
            state[0, failed >> 1] = failed & 1

    def _mixed(self) -> npt.NDArray[np.bool_]:
        """Variables connected to a pair of which one must be true, where a "no" can lead to a "yes"."""
        source = np.repeat(np.arange(2 * self.n_variables), np.diff(self.first_after))
        _, home = connected_components(
            csr_array(
                (np.ones(self.after.size, np.int8), (source >> 1, self.after >> 1)),
                shape=2 * (self.n_variables,),
            ),
            directed=False,
        )
        turns = (source & 1 == 1) & (self.after & 1 == 0)
        mixed: npt.NDArray[np.bool_] = np.isin(home, home[source[turns] >> 1])
        return mixed

    def _graph(self) -> tuple[Ints, ...]:
        return (
            self.first_after,
            self.after,
            self.first_loses,
            self.loses,
            self.first_literal,
            self.literal,
        )


def _rows(row: Ints, value: Ints, n: int) -> tuple[Ints, Ints]:
    """Group values by row: (start of each row, values)."""
    order = np.argsort(row, kind="stable")
    first = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=first[1:])
    return first, value[order]
