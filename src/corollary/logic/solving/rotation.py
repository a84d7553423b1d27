"""Model rotation: from one constraint that a clash needs to others that it needs too, without asking the solver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from .deduction import ClauseIndex

#: So often each literal may be looked at; after that the solver is asked.
EFFORT = 50


class Rotation:
    """Worlds that violate one constraint of a clash, changed one variable at a time.

    A constraint is needed if some world violates it and no other one. Flip a variable of such a
    world: if this mends the violation and breaks one other constraint, that one is needed too, and
    so on (Belov and Marques-Silva, 2011). One world is enough for a chain of implications.
    Variables in `fixed` keep their value.
    """

    def __init__(self, index: ClauseIndex, *, fixed: Iterable[int]):
        self._index = index
        self._fixed = {literal >> 1 for literal in fixed}
        self._room = EFFORT * len(index.literals)

    def needed(
        self, owner: int, world: npt.NDArray[np.bool_], present: Collection[int]
    ) -> set[int]:
        """Constraints among those `present` that are needed beside `owner`, the one that the world violates."""
        self._true = np.column_stack([world, ~world]).ravel().tolist()
        violated = [c for c in self._index.clauses_of(owner).tolist() if not self._holds(c)]
        found = {owner}
        path = [(violated, self._variables(violated, -1), -1)]
        while path:
            violated, variables, flipped = path[-1]
            variable = next(variables, None)
            if variable is None:
                path.pop()
                if flipped >= 0:
                    self._flip(flipped)
                continue
            after = self._after(violated, variable, present)
            owners = {int(self._index.owner[c]) for c in after}
            if len(owners) == 1 and min(owners) >= 0 and not owners <= found:
                found |= owners
                path.append((after, self._variables(after, variable), variable))
            else:
                self._flip(variable)
        return found - {owner}

    def _after(self, violated: list[int], variable: int, present: Collection[int]) -> list[int]:
        """Flip a variable: the clauses that are violated then, a gate's among them."""
        owner = self._index.owner
        denied = 2 * variable + (not self._true[2 * variable])
        self._flip(variable)
        mended = set(self._clauses_with(denied ^ 1))
        broken = [c for c in self._clauses_with(denied) if owner[c] < 0 or int(owner[c]) in present]
        return [c for c in violated if c not in mended] + [c for c in broken if not self._holds(c)]

    def _clauses_with(self, literal: int) -> list[int]:
        begin = self._index.found_begin
        found: list[int] = self._index.found_in[begin[literal] : begin[literal + 1]].tolist()
        self._room -= len(found)
        return found

    def _flip(self, variable: int) -> None:
        yes = 2 * variable
        self._true[yes], self._true[yes + 1] = self._true[yes + 1], self._true[yes]

    def _holds(self, clause: int) -> bool:
        literals = self._index.clause(clause)
        self._room -= len(literals)
        return any(self._true[literal] for literal in literals)

    def _variables(self, violated: list[int], flipped: int) -> Iterator[int]:
        """What may be flipped to mend the first of the violated clauses, not back; nothing once the effort is spent."""
        for literal in self._index.clause(violated[0]) if violated else ():
            if self._room > 0 and literal >> 1 != flipped and literal >> 1 not in self._fixed:
                yield literal >> 1
