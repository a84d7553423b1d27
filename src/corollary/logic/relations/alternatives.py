"""What each item, or each edge, may be, how much each alternative weighs, and what it says of the cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..compiled.posterior import binary_entropy, infer, log_odds, marginals, most_probable
from ..engines import Facts, Floats
from ..reasoning.reasoner import Reasoner

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Alternatives:
    """States of items, or classes of edges with values of their open functional cells.

    `closed` (U, A, K) has everything known in each alternative, for each pattern of facts. `which` has the pattern of
    each row. Open cells of a `simple` alternative (U, A) are independent of each other. The others go to
    the engine. With `largest` an alternative weighs as much as its largest world, else as all of them.
    """

    def __init__(
        self,
        reasoner: Reasoner,
        beliefs: tuple[npt.NDArray[np.floating], Floats],
        closed: Facts,
        which: Ints,
        legal: Bools,
        simple: Bools,
        penalty: Floats,
        *,
        largest: bool,
    ):
        self._reasoner = reasoner
        self._beliefs = beliefs
        self._closed = closed
        self._which = which
        self._simple = simple
        self._largest = largest
        self.estimated = False
        self._odds = log_odds(*beliefs)
        self._n = self._odds.shape[1]
        self.log_z = np.full(legal.shape, -np.inf)
        #: The probability of each alternative; to be filled.
        self.weight = np.zeros(legal.shape)
        each = np.maximum(self._odds, 0.0) if largest else np.logaddexp(0.0, self._odds)
        for u, rows in self._patterns():
            found = each[rows] @ (self._cells(u) < 0).T + self._odds[rows] @ self._yes(u).T
            usable = legal[rows] & simple[u]
            self.log_z[rows] = np.where(usable, found - penalty, -np.inf)
        self._row, self._alternative = np.nonzero(legal & ~simple[which])
        self._known = closed[which[self._row], self._alternative]
        self._posterior = self._solve_lines()

    def _patterns(self) -> Iterator[tuple[int, Ints]]:
        """Each pattern of facts that has rows, and these."""
        order = np.argsort(self._which, kind="stable")
        found, starts = np.unique(self._which[order], return_index=True)
        yield from zip(found.tolist(), np.split(order, starts[1:]), strict=True)

    def _cells(self, u: int) -> Facts:
        found: Facts = self._closed[u, :, : self._n]
        return found

    def _yes(self, u: int) -> Floats:
        found: Floats = (self._cells(u) == 1).astype(np.float64)
        return found

    def _lines(self) -> tuple[Floats, Floats]:
        """Beliefs and evidence of what the engine is asked; nothing is said of further columns, which are known."""
        wide = self._known.shape[1] - self._n
        theta, shift = (one[self._row] for one in self._beliefs)
        return np.pad(theta, ((0, 0), (0, wide)), constant_values=0.5), np.pad(
            shift, ((0, 0), (0, wide))
        )

    def _solve_lines(self) -> Floats:
        if not len(self._row):
            return np.zeros((0, self._n))
        model = self._reasoner.weighed
        theta, shift = self._lines()
        odds = log_odds(theta, shift)
        if self._largest:
            worlds = most_probable(model, theta, self._known, shift)
            posterior, log_z = worlds.astype(np.float64), marginals(model, odds, worlds)[1]
        else:
            posterior, log_z, error = marginals(model, odds, self._known)
            self.estimated = bool(np.isnan(error).any())
        self.log_z[self._row, self._alternative] = log_z
        return posterior[:, : self._n]

    def mixed(self) -> Floats:
        """The probability of each cell: that of each alternative, weighed by its probability."""
        found = np.zeros(self._odds.shape)
        p = 1.0 / (1.0 + np.exp(-self._odds))
        for u, rows in self._patterns():
            weight = np.where(self._simple[u], self.weight[rows], 0.0)
            found[rows] = p[rows] * (weight @ (self._cells(u) < 0)) + weight @ self._yes(u)
        weight = self.weight[self._row, self._alternative]
        np.add.at(found, self._row, weight[:, None] * self._posterior)
        return found

    def entropy(self) -> Floats:
        """The entropy of each row's cells given the alternative, less the log-weight of that; both expected."""
        log_z = np.where(self.weight > 0, self.log_z, 0.0)
        found: Floats = -(self.weight * log_z).sum(axis=1)
        p = 1.0 / (1.0 + np.exp(-self._odds))
        each = binary_entropy(p)
        for u, rows in self._patterns():
            weight = np.where(self._simple[u], self.weight[rows], 0.0)
            found[rows] += (weight * (each[rows] @ (self._cells(u) < 0).T)).sum(axis=1)
        if len(self._row):
            theta, shift = self._lines()
            model = self._reasoner.weighed
            of_lines = infer(model, theta, self._known, shift, gain=False).joint_entropy
            np.add.at(found, self._row, self.weight[self._row, self._alternative] * of_lines)
        return found

    def worlds(self, chosen: Ints) -> Facts:
        """The largest world of the alternative that is chosen for each row."""
        closed = self._closed[self._which, chosen][:, : self._n]
        found = np.where(closed < 0, self._odds > 0, closed == 1).astype(np.int8)
        mine = np.flatnonzero(chosen[self._row] == self._alternative)
        found[self._row[mine]] = self._posterior[mine].astype(np.int8)
        return found


def distinct(rows: npt.NDArray[np.generic]) -> tuple[Ints, Ints]:
    """Where each different row first occurs, and for each row which of these it is."""
    if len(rows) and (rows == rows[0]).all():
        return np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    if not rows.shape[1]:
        return np.zeros(min(1, len(rows)), np.int64), np.zeros(len(rows), np.int64)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
    _, first, which = np.unique(whole.reshape(-1), return_index=True, return_inverse=True)
    return first, which.reshape(-1)
