"""Constraints as clauses over numbered labels, each clause remembering the constraint it came from.

A literal is an integer: `2 * variable` says yes, `2 * variable + 1` says no, so `literal ^ 1`
negates it. Variables below `n_labels` are labels. "At most one" of many labels stays linear: a
balanced tree of helper variables says "one of the group is on" in clauses of two literals. So
propagation needs no groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..language import formula as f
from ..language.constraints import (
    AtLeastOne,
    Covers,
    Equivalent,
    ExactlyOne,
    Exclusive,
    Formula,
    Hard,
    Subsumes,
)

#: A formula with more clauses than this is kept as a circuit.
CLAUSE_LIMIT = 128
#: Groups up to this size are written as pairs, larger ones with helper variables.
PAIRS_UP_TO = 4


def yes(variable: int) -> int:
    """The literal that says the variable is true."""
    return 2 * variable


def no(variable: int) -> int:
    """The literal that says the variable is false."""
    return 2 * variable + 1


@dataclass(slots=True)
class Clauses:
    """Everything the constraints say, in clauses; `owner` is a constraint's index."""

    n_labels: int
    n_variables: int = 0
    #: (literals, owner): one of the literals holds. Of any length; helper variables included.
    clauses: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    #: (labels, owner): at most one holds. Already in `clauses`, kept here for those who use the group as a whole.
    groups: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    #: (expression over str(label index), owner): formulas that are too large as clauses. Not in `clauses`.
    circuits: list[tuple[f.Expression, int]] = field(default_factory=list)

    def new_variable(self) -> int:
        """A helper variable."""
        self.n_variables += 1
        return self.n_variables - 1


def to_clauses(labels: Sequence[str], constraints: Iterable[Hard]) -> Clauses:
    """Translate constraints over known labels."""
    index = {label: k for k, label in enumerate(labels)}
    out = Clauses(len(index), len(index))
    for owner, constraint in enumerate(constraints):
        _translate(out, constraint, owner, index)
    return out


def _translate(out: Clauses, constraint: Hard, owner: int, index: dict[str, int]) -> None:
    ids = [index[label] for label in constraint.labels]
    match constraint:
        case Subsumes():
            out.clauses += [((no(child), yes(ids[0])), owner) for child in ids[1:]]
        case Covers():
            out.clauses.append(((no(ids[0]), *map(yes, ids[1:])), owner))
        case Exclusive():
            at_most_one(out, tuple(ids), owner)
        case ExactlyOne():
            at_most_one(out, tuple(ids), owner)
            out.clauses.append((tuple(map(yes, ids)), owner))
        case AtLeastOne():
            out.clauses.append((tuple(map(yes, ids)), owner))
        case Equivalent():
            out.clauses += [
                ((no(a), yes(b)), owner) for a, b in zip(ids, ids[1:] + ids[:1], strict=True)
            ]
        case Formula(expression):
            for part in f.conjuncts(expression):
                found = f.clauses(part, CLAUSE_LIMIT)
                if found is None:
                    out.circuits.append((f.rename(part, lambda name: str(index[name])), owner))
                else:
                    out.clauses += [(_literals(clause, index), owner) for clause in found]


def _literals(clause: Iterable[f.Literal], index: dict[str, int]) -> tuple[int, ...]:
    return tuple(sorted(2 * index[name] + (not positive) for name, positive in clause))


def at_most_one(out: Clauses, ids: tuple[int, ...], owner: int) -> None:
    """Add a group of which at most one holds."""
    if len(ids) < 2:
        return
    out.groups.append((ids, owner))
    if len(ids) <= PAIRS_UP_TO:
        out.clauses += [((no(a), no(b)), owner) for i, a in enumerate(ids) for b in ids[i + 1 :]]
        return
    nodes = [yes(label) for label in ids]
    while len(nodes) > 1:
        above = []
        for a, b in zip(nodes[::2], nodes[1::2], strict=False):
            out.clauses.append(((a ^ 1, b ^ 1), owner))
            if len(nodes) > 2:
                either = yes(out.new_variable())
                out.clauses += [((a ^ 1, either), owner), ((b ^ 1, either), owner)]
                above.append(either)
        nodes = above + nodes[len(nodes) - len(nodes) % 2 :]
