"""Complete reasoning with a SAT solver: satisfiability, entailment, and minimal clashes."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from .circuits import without_circuits
from .clauses import Clauses
from .deduction import ClauseIndex, Search
from .rotation import Rotation

__all__ = ["Solver", "without_circuits"]


class Solver:
    """Clauses in an incremental SAT solver; literals are those of `Clauses`.

    With `selectors` each constraint can be switched off for a question and a clash is traced to constraints; without
    them the solver is faster. Threads may share a solver: it answers one question at a time.
    """

    def __init__(self, clauses: Clauses, *, selectors: bool = True):
        from pysat.solvers import Minisat22

        self._clauses = without_circuits(clauses)
        self._solver: Any = Minisat22()
        weakref.finalize(
            self, self._solver.delete
        )  # at the end of the process too, before pysat itself is gone
        self._lock = Lock()
        self._numbers: dict[
            int, int
        ] = {}  # variable -> the solver's number for it, given out on first mention
        self._variables = [-1]  # the way back; -1 for switches
        owners = (
            sorted({owner for _, owner in self._clauses.clauses if owner >= 0}) if selectors else []
        )
        self._selectors = {owner: self._new(-1) for owner in owners}
        # One literal that switches every constraint on saves naming them all in most questions.
        self._everything = [self._new(-1)] if selectors else []
        for selector in self._selectors.values():
            self._solver.add_clause([-self._everything[0], selector])
        for literals, owner in self._clauses.clauses:
            numbered = self._numbered(literals)
            if owner in self._selectors:
                numbered.append(-self._selectors[owner])
            if numbered:
                self._solver.add_clause(numbered)
            else:  # the solver takes no empty clause
                never = self._new(-1)
                self._solver.add_clause([never])
                self._solver.add_clause([-never])

    def satisfiable(
        self,
        assumptions: Iterable[int] = (),
        *,
        only: Collection[int] | None = None,
        without: Collection[int] = (),
    ) -> bool:
        """Whether the assumptions can all hold under the constraints in `only` (all) less those in `without`."""
        with self._lock:
            return bool(
                self._solver.solve(self._numbered(assumptions) + self._switches(only, without))
            )

    def world(self, n_variables: int, assumptions: Iterable[int] = ()) -> list[bool] | None:
        """The variables below `n_variables` in some legal world where the assumptions hold; None without one."""
        with self._lock:
            if not self._solver.solve(self._numbered(assumptions) + self._everything):
                return None
            found: list[bool] = self._model(n_variables).tolist()
            return found

    def clash(
        self, assumptions: Sequence[int], *, only: Collection[int] | None = None
    ) -> tuple[list[int], list[int]] | None:
        """Assumptions and constraints that cannot hold together, not always the fewest; None if all of them can."""
        found = self._clash(assumptions, self._selectors if only is None else only)
        return None if isinstance(found, np.ndarray) else found

    def _clash(
        self, assumptions: Sequence[int], only: Collection[int]
    ) -> tuple[list[int], list[int]] | npt.NDArray[np.bool_]:
        """As `clash`, or a world in which all of them hold."""
        with self._lock:
            numbered = self._numbered(assumptions)
            if self._solver.solve(numbered + self._switches(only, ())):
                return self._model(self._clauses.n_variables)
            core = set(self._solver.get_core() or ())
        literals = [
            literal for literal, number in zip(assumptions, numbered, strict=True) if number in core
        ]
        return literals, [owner for owner, selector in self._selectors.items() if selector in core]

    def minimal_clash(self, assumptions: Sequence[int], owners: Iterable[int]) -> list[int]:
        """Return a minimal set of the constraints that clash with the assumptions.

        Later ones are dropped first.
        """
        left = sorted(owners)
        needed = list[int]()
        rotation = Rotation(self._index, fixed=assumptions)
        while left:
            owner = left.pop()
            found = self._clash(assumptions, [*left, *needed])
            if isinstance(found, np.ndarray):
                also = rotation.needed(owner, found, {*left, *needed, owner})
                needed += [owner, *also.difference(needed)]
                left = [other for other in left if other not in also]
            else:
                left = sorted(set(left) & set(found[1]))
        return sorted(needed)

    def backbone(self, facts: Iterable[int] = ()) -> set[int] | None:
        """Return every label literal that holds in all worlds with the facts, facts included.

        None without a world.

        From one world, a quick search finds others in which labels differ. The solver settles the
        rest.
        """
        facts = list(facts)
        with self._lock:
            assumptions = self._numbered(facts) + self._everything
            if not self._solver.solve(assumptions):
                return None
            world = self._model(self._index.n_variables)
            # `propagate` leaves out what the clauses fix without assumptions; the search finds it again.
            sure = {*facts, *self._literals(self._solver.propagate(assumptions)[1])}
            mine = 2 * np.arange(self._clauses.n_labels) + ~world[: self._clauses.n_labels]
            candidates = mine[~np.isin(mine, list(sure))]
            search = Search(self._index, world, facts=sure)
            possible = search.possible_each(candidates ^ 1, np.arange(len(candidates) + 1))
            sure.update(candidates[possible == Search.IMPOSSIBLE].tolist())
            sure.update(
                self._entailed(candidates[possible == Search.UNKNOWN].tolist(), assumptions)
            )
            return {literal for literal in sure if literal < 2 * self._clauses.n_labels}

    def _entailed(self, candidates: list[int], assumptions: list[int]) -> list[int]:
        """Those of the candidates, all true in one model, that no model under the assumptions denies."""
        left = self._numbered(candidates)
        entailed = []
        # Models as different from the first one as they can be rule out many candidates at once.
        self._solver.set_phases([-number for number in left])
        while left:
            number = left.pop()
            if self._solver.solve([*assumptions, -number]):
                model = self._solver.get_model()
                left = [n for n in left if model[abs(n) - 1] == n]
            else:
                entailed.append(number)
        return self._literals(entailed)

    @cached_property
    def _index(self) -> ClauseIndex:
        return ClauseIndex(self._clauses)

    def _model(self, n_variables: int) -> npt.NDArray[np.bool_]:
        """The values in the model found last; what it does not mention is no."""
        values = np.array(self._solver.get_model() or [], np.int64) > 0
        variables = np.array(self._variables[1 : len(values) + 1], np.int64)
        shown = (variables >= 0) & (variables < n_variables)
        world = np.zeros(n_variables, np.bool_)
        world[variables[shown]] = values[shown]
        return world

    def _switches(self, only: Collection[int] | None, without: Collection[int]) -> list[int]:
        if only is None and not without:
            return self._everything
        off = set(without)
        on = self._selectors if only is None else only
        return [
            self._selectors[owner] for owner in on if owner not in off and owner in self._selectors
        ]

    def _new(self, variable: int) -> int:
        self._variables.append(variable)
        return len(self._variables) - 1

    def _numbered(self, literals: Iterable[int]) -> list[int]:
        """The solver's signed numbers for literals."""
        out = []
        for literal in literals:
            variable = literal >> 1
            number = self._numbers.get(variable)
            if number is None:
                number = self._numbers[variable] = self._new(variable)
            out.append(-number if literal & 1 else number)
        return out

    def _literals(self, numbers: Iterable[int]) -> list[int]:
        """The way back, switches left out."""
        return [
            2 * variable + (n < 0) for n in numbers if (variable := self._variables[abs(n)]) >= 0
        ]
