"""What follows in a component where unit propagation may miss something: by structure, a diagram or SAT."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..engines import Budget, Component, Facts, TooLarge
from ..engines.diagram import Diagram
from ..engines.estimate import component_clauses
from ..solving.sat import Solver

#: From this number of rows on a small diagram is worth a try: a row takes it microseconds, SAT a millisecond.
MANY = 500
#: What that diagram may cost: less than SAT takes for the rows.
SMALL = Budget(states=20_000, seconds=0.5)
#: Fewer rows than this are not searched for repetitions.
FEW = 16
#: Cells of a table that are worked on at once.
CELLS = 4_000_000


class Completion:
    """Everything that follows from facts in one component; it never needs the engine of the posterior."""

    def __init__(self, component: Component):
        self._component = component
        long = [clause for clause in component.clauses if len(clause) > 2]
        self._literal = np.array([x for clause in long for x in clause], np.int64)
        sizes = [len(clause) for clause in long]
        self._start = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
        self._too_large = False
        #: A diagram of the component, if there is one: it answers faster than SAT.
        self.diagram: Diagram | None = None

    @staticmethod
    def needed(component: Component) -> bool:
        """Whether unit propagation may miss something: clauses of three literals, or formulas."""
        return bool(component.circuits) or any(len(clause) > 2 for clause in component.clauses)

    def entailed(self, known: Facts, settled: Facts | None = None) -> Facts:
        """Complete rows of facts that unit propagation has completed as far as it can.

        Parameters
        ----------
        known
            The facts (N, n).
        settled
            Facts (n,) that all rows share and that are complete by themselves; none by default.

        Returns
        -------
        Facts
            All that follows; -2 in the first cell of a row that contradicts itself.
        """
        out = known.copy()
        doubtful = np.flatnonzero(self._doubtful(known, settled))
        rows, where = _distinct(known[doubtful])
        if len(rows) >= MANY:
            self._try_diagram()
        if self.diagram is not None:
            found = self.diagram.entailed(rows)
        else:
            found = np.array([self._by_sat(row) for row in rows], np.int8).reshape(rows.shape)
        out[doubtful] = found[where]
        return out

    def _by_sat(self, known: Facts) -> Facts:
        literals = self._solver.backbone(_literals(known))
        if literals is not None:
            return _row(literals, len(known))
        illegal = known.copy()
        illegal[0] = -2
        return illegal

    def _doubtful(self, known: Facts, settled: Facts | None) -> npt.NDArray[np.bool_]:
        """The rows for which unit propagation may have missed something.

        Nothing more follows from `settled`. If each clause that the further facts touch is also
        satisfied by them, the clauses left are some of those left before: nothing follows either.
        """
        before = self._base if settled is None else settled
        if self._component.circuits or before is None:
            return np.ones(len(known), np.bool_)
        found: npt.NDArray[np.bool_] = np.any(known[:, before >= 0] < 0, axis=1)
        if not len(self._literal):
            return found
        variable = self._literal >> 1
        open_before = before[variable] < 0
        step = max(1, CELLS // len(variable))
        for first in range(0, len(known), step):
            rows = slice(first, first + step)
            value = known[rows][:, variable]
            true = value == 1 - (self._literal & 1)
            lost = (value >= 0) & ~true & open_before
            kept = np.logical_or.reduceat(true, self._start, axis=1)
            touched = np.logical_or.reduceat(lost, self._start, axis=1)
            found[rows] |= (touched & ~kept).any(axis=1)
        return found

    def _try_diagram(self) -> None:
        if self.diagram is None and not self._too_large:
            try:
                self.diagram = Diagram.compile(self._component, SMALL)
            except TooLarge:
                self._too_large = True

    @cached_property
    def _base(self) -> Facts | None:
        """What holds without any fact (n,); None if no world is legal."""
        literals = self._solver.backbone()
        return None if literals is None else _row(literals, self._component.n)

    @cached_property
    def _solver(self) -> Solver:
        return Solver(component_clauses(self._component), selectors=False)


def _literals(known: Facts) -> list[int]:
    return [2 * k + 1 - value for k, value in enumerate(known.tolist()) if value >= 0]


def _row(literals: set[int], n: int) -> Facts:
    row = np.full(n, -1, np.int8)
    row[[x >> 1 for x in literals]] = [1 - (x & 1) for x in literals]
    return row


def _distinct(rows: Facts) -> tuple[Facts, npt.NDArray[np.int64]]:
    """Rows without repetition, and the place of each given row among them."""
    if len(rows) < FEW:
        return rows, np.arange(len(rows))
    return np.unique(rows, axis=0, return_inverse=True)
