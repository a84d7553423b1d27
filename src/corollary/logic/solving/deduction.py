"""Clauses indexed once, for quick derivations that remember their reasons and quick searches for a legal world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from ..language.constraints import Constraint, Equivalent
from .circuits import without_circuits
from .clauses import Clauses, no, yes

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What leads to a clash, or to the literal asked for: literals in order, each with the clause that gives it."""

    literals: list[int]
    #: The clause behind each literal, -1 for those given.
    reasons: list[int]
    #: The clause that is violated, -1 if none is.
    violated: int

    @property
    def clauses(self) -> list[int]:
        """All clauses used."""
        return [c for c in (*self.reasons, self.violated) if c >= 0]


class ClauseIndex:
    """The index over clauses, circuits written as clauses too; it is never changed, so threads may share it.

    With `constraints` a use of an equivalence leads from any of its labels to any other; `clauses` has it that way.
    """

    def __init__(self, clauses: Clauses, *, constraints: Sequence[Constraint] = ()):
        expanded = without_circuits(clauses)
        stars = {
            i
            for i, known in enumerate(constraints)
            if isinstance(known, Equivalent) and len(known.labels) > 2
        }
        if stars:
            _equivalents_as_stars(expanded, stars)
        self.clauses = expanded
        self.n_labels = clauses.n_labels
        self.n_variables = expanded.n_variables
        owned = expanded.clauses
        self.owner: Ints = np.fromiter((owner for _, owner in owned), np.int64, len(owned))
        size = np.fromiter((len(literals) for literals, _ in owned), np.int64, len(owned))
        self.begin: Ints = np.concatenate([[0], np.cumsum(size)])
        self.literals: Ints = np.fromiter(
            chain.from_iterable(c for c, _ in owned), np.int64, int(self.begin[-1])
        )
        self.found_in: Ints = np.repeat(np.arange(len(owned)), size)[
            np.argsort(self.literals, kind="stable")
        ]
        counts = np.bincount(self.literals, minlength=2 * self.n_variables)
        self.found_begin: Ints = np.concatenate([[0], np.cumsum(counts)])
        self._short: Ints = np.flatnonzero(size < 2)
        by_owner = np.argsort(self.owner, kind="stable")
        self._by_owner = (by_owner, self.owner[by_owner])

    def derive(self, given: Iterable[int], *, target: int = -1) -> Derivation | None:
        """The shortest derivation of a clash from the given literals, else of the target; None if there is neither.

        Shortest in uses of constraints, as far as clauses of two literals go. Unit propagation: what it does not find
        may still be entailed.
        """
        from . import deduction_kernels as kernels

        literals, reasons, violated = kernels.derive(
            np.fromiter(given, np.int64),
            target,
            self.literals,
            self.begin,
            self.found_in,
            self.found_begin,
            self._short,
            self.n_labels,
        )
        if violated < 0 and not len(literals):
            return None
        return Derivation(literals.tolist(), reasons.tolist(), int(violated))

    def constraint_of(self, clause: int) -> int:
        """The index of the constraint that a clause belongs to."""
        owner = int(self.owner[clause])
        return owner if owner >= 0 else ~owner

    def clauses_of(self, owner: int) -> Ints:
        """The clauses of a constraint, less those that define its gates."""
        clauses, owners = self._by_owner
        low, high = np.searchsorted(owners, [owner, owner + 1])
        return clauses[low:high]

    def part(self, owners: Iterable[int]) -> Clauses:
        """The clauses of some constraints only."""
        out = Clauses(self.n_labels, self.n_variables)
        for owner in owners:
            for wanted in (owner, ~owner):
                out.clauses += [
                    (tuple(self.clause(c)), wanted) for c in self.clauses_of(wanted).tolist()
                ]
        return out

    def clause(self, clause: int) -> list[int]:
        """The literals of a clause."""
        found: list[int] = self.literals[self.begin[clause] : self.begin[clause + 1]].tolist()
        return found

    def no_world(self) -> npt.NDArray[np.bool_] | None:
        """The world in which every variable is no, if the clauses allow it."""
        negative = np.bincount(
            np.repeat(np.arange(len(self.owner)), np.diff(self.begin)),
            self.literals & 1,
            len(self.owner),
        )
        if not negative.all():
            return None
        return np.zeros(self.n_variables, np.bool_)


class Search:
    """Local search around one legal world, for many questions in a row; not to be shared between threads.

    A question fixes some literals; violated clauses are repaired one by one. Without a choice to make the outcome is
    certain either way, which is always so for clauses of two literals.
    """

    IMPOSSIBLE = 0
    POSSIBLE = 1
    UNKNOWN = 2
    ATTEMPTS = 4  # with different choices, before the search gives up

    def __init__(
        self, index: ClauseIndex, world: npt.NDArray[np.bool_], *, facts: Iterable[int] = ()
    ):
        self._index = index
        self._world = np.column_stack([world, ~world]).ravel()  # whether each literal is true
        n = len(index.owner)
        self.off = np.zeros(n, np.bool_)  # clauses to leave out
        self._fixed = np.zeros(index.n_variables, np.bool_)
        self._fixed[np.fromiter(facts, np.int64) >> 1] = True
        self._waiting = np.zeros(n, np.bool_)
        n_variables = index.n_variables
        self._room = (
            np.empty(n_variables, np.int64),
            np.empty(n_variables, np.bool_),
            np.empty(n + 1, np.int64),
        )

    def possible(self, literals: Iterable[int]) -> bool | None:
        """Whether the literals can all hold together with the facts; None if this search cannot tell."""
        case = np.fromiter(literals, np.int64)
        answer = int(self.possible_each(case, np.array([0, len(case)]))[0])
        return None if answer == self.UNKNOWN else answer == self.POSSIBLE

    def possible_each(self, literals: Ints, begin: Ints) -> npt.NDArray[np.int8]:
        """POSSIBLE, IMPOSSIBLE or UNKNOWN for many cases, case i being `literals[begin[i] : begin[i + 1]]`."""
        from . import deduction_kernels as kernels

        own = (self._world, self._fixed, self.off, self._waiting)
        index = self._index
        shared = (index.literals, index.begin, index.found_in, index.found_begin)
        possible: npt.NDArray[np.int8] = kernels.search(
            literals, begin, self.ATTEMPTS, *own, *self._room, *shared
        )
        return possible


def _equivalents_as_stars(out: Clauses, owners: set[int]) -> None:
    """Tie equivalent labels to one helper variable, so that any of them leads to any other in one use."""
    members: dict[int, set[int]] = {owner: set() for owner in owners}
    for literals, owner in out.clauses:
        if owner in owners:
            members[owner].update(literal >> 1 for literal in literals)
    out.clauses = [(literals, owner) for literals, owner in out.clauses if owner not in owners]
    for owner, labels in members.items():
        centre = out.new_variable()
        for label in sorted(labels):
            out.clauses += [((no(label), yes(centre)), owner), ((yes(label), no(centre)), owner)]
