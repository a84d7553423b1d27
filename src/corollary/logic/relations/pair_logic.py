"""The logic of one pair: what its ends may be together, and which relations that leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines import Facts
from ..errors import Contradiction, OntologyError
from ..language import formula as f
from ..language import relations as r
from ..language.constraints import Constraint, Formula, Soft, Source, Subsumes
from ..language.expressions import expression_of
from ..lint import Finding
from ..reasoning.reasoner import Reasoner

if TYPE_CHECKING:
    from ..ontology import Ontology

Ints = npt.NDArray[np.int64]
#: More joint values of the labels that relations name are refused.
MOST_STATES = 4096
FORWARD = ("x", "y")
BACKWARD = ("y", "x")


@dataclass(frozen=True, slots=True)
class Rule:
    """A formula over relations of (x, y) and (y, x) and labels of x and y; it holds of each pair."""

    expression: f.Expression
    weight: float | None
    source: Source | None


@dataclass(frozen=True, slots=True)
class Slot:
    """A relation's cell among the columns of a pair, and which end it belongs to by a functional relation."""

    functional: int
    end: int
    column: int


class Kind:
    """Pairs listed one way, or both ways: relations of the pair, then the labels of both ends, as one ontology.

    Joint states of the two ends that leave the same constraints on the relations are one class. In a `simple` class
    relations that are open are independent of each other, and the soft constraints cost `penalty`.
    """

    def __init__(self, logic: PairLogic, *, both: bool):
        self.both = both
        ways = (FORWARD, BACKWARD) if both else (FORWARD,)
        self.n_relations = len(logic.relations) * len(ways)
        names = [cell(name, way) for way in ways for name in logic.relations]
        names += [cell(label, (end,)) for end in FORWARD for label in logic.labels]
        self.names = tuple(names)
        self.index = {name: k for k, name in enumerate(names)}
        self.rules = list(logic.instances(both=both))
        self.reasoner = Reasoner(
            self.names,
            self.index,
            tuple(_constraint(*rule) for rule in self.rules),
            logic.budget,
        )
        self.classes, self.rows, self.simple, self.penalty = self._classes(
            logic.values, len(logic.labels)
        )
        self.slots = tuple(logic.slots(self.index, both=both))

    def _classes(
        self, values: npt.NDArray[np.bool_], n: int
    ) -> tuple[Ints, Facts, npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """The class of each two states; and for each class a row of facts, whether it is simple, and its penalty."""
        size = len(values)
        classes = np.zeros((size, size), np.int64)
        first = self.n_relations
        rests: list[tuple[list[Ints], Ints, list[f.Expression], float | None]] = []
        for expression, weight, _ in self.rules:
            used = {self.index[name] for name in f.names(expression)}
            ends = [
                sorted(k - first - n * e for k in used if first + n * e <= k < first + n * (e + 1))
                for e in (0, 1)
            ]
            sub = [np.unique(values[:, ks], axis=0, return_inverse=True) for ks in ends]
            left: dict[f.Expression, int] = {}
            ids = np.zeros((len(sub[0][0]), len(sub[1][0])), np.int64)
            for a, of_x in enumerate(sub[0][0]):
                for b, of_y in enumerate(sub[1][0]):
                    known = {}
                    for e, ks, row in ((0, ends[0], of_x), (1, ends[1], of_y)):
                        for k, value in zip(ks, row.tolist(), strict=True):
                            known[self.names[first + n * e + k]] = value
                    rest = f.simplify(expression, known)
                    ids[a, b] = left.setdefault(rest, len(left))
            which = [inverse.reshape(-1) for _, inverse in sub]
            rests.append((which, ids, list(left), weight))
            classes = classes * len(left) + ids[which[0][:, None], which[1][None, :]]
            _, classes = np.unique(classes, return_inverse=True)
            classes = classes.reshape(size, size)
        _, where = np.unique(classes, return_index=True)
        merged: dict[_Residue, int] = {}
        new = np.zeros(len(where), np.int64)
        for c, (a, b) in enumerate(zip(where // size, where % size, strict=True)):
            said = [
                (left[ids[of_x[a], of_y[b]]], weight) for (of_x, of_y), ids, left, weight in rests
            ]
            new[c] = merged.setdefault(_residue(said), len(merged))
        classes = new[classes]
        _, where = np.unique(classes, return_index=True)
        rows = np.full((len(where), len(self.names)), -1, np.int8)
        rows[:, first : first + n] = values[where // size]
        rows[:, first + n :] = values[where % size]
        simple = np.array([not one.hard and not one.soft for one in merged], np.bool_)
        return classes, rows, simple, np.array([one.penalty for one in merged], np.float64)


class _Residue(NamedTuple):
    """What constraints say of relations once the labels of the ends are known."""

    known: frozenset[tuple[str, bool]]
    hard: frozenset[f.Expression]
    soft: tuple[tuple[f.Expression, float], ...]
    penalty: float


def _residue(said: Sequence[tuple[f.Expression, float | None]]) -> _Residue:
    """Relations that constraints, without and with a weight, settle one by one; and the rest of the constraints."""
    known: dict[str, bool] = {}
    hard = {one for one, weight in said if weight is None}
    while True:
        left: set[f.Expression] = set()
        before = len(known)
        for one in hard:
            match found := f.simplify(one, known):
                case f.Constant(True):
                    pass
                case f.Name(name):
                    known[name] = True
                case f.Not(f.Name(name)):
                    known[name] = False
                case f.And(parts):
                    left.update(parts)
                case _:
                    left.add(found)
        if left == hard and len(known) == before:
            break
        hard = left
    soft, penalty = [], 0.0
    for one, weight in said:
        if weight is not None:
            found = f.simplify(one, known)
            if not isinstance(found, f.Constant):
                soft.append((found, weight))
            elif not found.value:
                penalty += weight
    return _Residue(frozenset(known.items()), frozenset(hard), tuple(soft), penalty)


class PairLogic:
    """What an ontology says of pairs, with the joint values of the labels that this names: an item's states."""

    def __init__(self, onto: Ontology):
        self.relations = onto.relations
        self.budget = onto.budget
        self.rules = [rule for said in onto.pair_constraints for rule in rules_of(said)]
        named = {
            name.name
            for rule in self.rules
            for name in f.atoms(rule.expression)
            if len(name.of) == 1
        }
        self.labels = tuple(label for label in onto.labels if label in named)
        self.columns = np.array([onto.index[label] for label in self.labels], np.int64)
        self.partner = dict(_partners(onto.pair_constraints))
        self.functional = tuple(
            dict.fromkeys(
                (one.name, one.inverse)
                for one in onto.pair_constraints
                if isinstance(one, r.Functional)
            )
        )
        #: The states, and everything that follows from each for an item.
        self.states = _states(onto.reasoner, self.columns, self.labels)
        self.values = self.states[:, self.columns] == 1
        self.one_way = Kind(self, both=False)
        self.two_ways = Kind(self, both=True)

    def instances(
        self, *, both: bool
    ) -> Iterator[tuple[f.Expression, float | None, Source | None]]:
        """The rules for a pair and for its reverse, over the names of cells.

        Where the reverse is not listed, a relation of it is the partner of one that is: itself, if it is symmetric, or
        its inverse. A rule that names another relation of the reverse is left out.
        """
        seen = set()
        for rule in self.rules:
            for way in (FORWARD, BACKWARD):
                related = any(len(atom.of) == 2 for atom in f.atoms(rule.expression))
                if way == BACKWARD and not both and (rule.weight is not None or not related):
                    continue
                ends = dict(zip(FORWARD, way, strict=True))
                expression = self.lowered(rule.expression, ends, both=both)
                said = expression, rule.weight
                if expression is None or (rule.weight is None and said in seen):
                    continue
                seen.add(said)
                if not (isinstance(expression, f.Implies | f.Iff) and _same_parts(expression)):
                    yield expression, rule.weight, rule.source

    def lowered(
        self, expression: f.Expression, ends: dict[str, str], *, both: bool
    ) -> f.Expression | None:
        """The expression over names of cells; None if one of them is not there."""
        missing = False

        def named(atom: f.Name) -> f.Expression:
            nonlocal missing
            found = self.cell_of(atom.name, tuple(ends[one] for one in atom.of), both=both)
            missing |= found is None
            return f.Name(found or "")

        found = f.replace(expression, named)
        return None if missing else found

    def cell_of(self, name: str, of: tuple[str, ...], *, both: bool) -> str | None:
        """The name of a cell, through the partner of a relation if the reverse is not listed."""
        if of != BACKWARD or both:
            return cell(name, of)
        partner = self.partner.get(name)
        return None if partner is None else cell(partner, FORWARD)

    def slots(self, index: dict[str, int], *, both: bool) -> Iterator[Slot]:
        """Which cells count for which functional relation of which end."""
        for n, (name, inverse) in enumerate(self.functional):
            for end in (0, 1):
                found = self.cell_of(name, BACKWARD if inverse ^ (end == 1) else FORWARD, both=both)
                if found is not None:
                    yield Slot(n, end, index[found])

    def impossible(self, onto: Ontology) -> Iterator[tuple[str, r.Said]]:
        """Relations that can never hold, each with the first constraint that names it."""
        for k, name in enumerate(self.relations):
            given = self.two_ways.rows.copy()
            given[:, k] = 1
            if self.two_ways.reasoner.model.propagate(given)[1].all():
                yield name, next(one for one in onto.pair_constraints if _mentions(one, name))


def checked_logic(onto: Ontology) -> PairLogic:
    """The logic of pairs, or an error for a relation that can never hold."""
    logic = PairLogic(onto)
    for name, said in logic.impossible(onto):
        where = f" [{said.source}]" if said.source else ""
        raise OntologyError(
            f"the relation {name!r} can never hold{where}: "
            "no two items can be what its signature and the other constraints need"
        )
    return logic


def lint_relations(onto: Ontology) -> list[Finding]:
    """Faults of relations that need the labels of their ends."""
    try:
        logic = PairLogic(onto)
    except Contradiction as clash:
        return [Finding("unsatisfiable", "error", str(clash), (), clash.constraints)]
    return [
        Finding("never true", "error", f"{name} can never hold of any pair", (name,), (said,))
        for name, said in logic.impossible(onto)
    ]


def cell(name: str, of: Sequence[object]) -> str:
    """The name of a cell: `eats(x, y)`, `animal(3)`."""
    return f"{name}({', '.join(map(str, of))})"


def rules_of(said: r.Said) -> list[Rule]:
    """The rules with variables that a constraint on pairs stands for; functional relations have none."""
    weight = said.weight if isinstance(said, Soft) else None
    inner = said.constraint if isinstance(said, Soft) else said

    def rule(expression: f.Expression) -> Rule:
        return Rule(expression, weight, said.source)

    match inner:
        case r.Relation(name, head, tail):
            own = f.Name(name, FORWARD)
            return [
                rule(f.Implies(own, f.replace(end, lambda one, x=x: f.Name(one.name, (x,)))))  # type: ignore[misc]
                for end, x in ((head, "x"), (tail, "y"))
            ]
        case r.Symmetric(name):
            return [rule(f.Implies(f.Name(name, FORWARD), f.Name(name, BACKWARD)))]
        case r.Inverse(name, other):
            return [rule(f.Iff(f.Name(name, FORWARD), f.Name(other, BACKWARD)))]
        case r.Functional():
            return []
        case Formula(expression) if r.is_rule_about_pairs(inner):
            atoms = list(f.atoms(expression))
            first = next((one.of for one in atoms if len(one.of) == 2), ())
            order = dict.fromkeys((*first, *(v for one in atoms for v in one.of)))
            new = dict(zip(order, FORWARD, strict=True))
            return [
                rule(
                    f.replace(
                        expression, lambda one: f.Name(one.name, tuple(new[v] for v in one.of))
                    )
                )
            ]
    return [rule(f.replace(expression_of(inner), lambda one: f.Name(one.name, FORWARD)))]


def _constraint(
    expression: f.Expression, weight: float | None, source: Source | None
) -> Constraint:
    """An implication between two names as such, which is said in plainer words; else a formula."""
    match expression:
        case f.Implies(f.Name(condition), f.Name(consequence)):
            made: Subsumes | Formula = Subsumes(consequence, (condition,), source=source)
        case _:
            made = Formula(expression, source=source)
    return made if weight is None else Soft(made, weight, source=source)


def _same_parts(expression: f.Expression) -> bool:
    one, other = f.parts_of(expression)
    return one == other


def _partners(said: Sequence[r.Said]) -> Iterator[tuple[str, str]]:
    """What each relation is of the reverse pair; a symmetric one is itself."""
    for one in said:
        if isinstance(one, r.Inverse):
            yield from ((one.name, one.other), (one.other, one.name))
    for one in said:
        if isinstance(one, r.Symmetric):
            yield one.name, one.name


def _mentions(said: r.Said, name: str) -> bool:
    if isinstance(said, r.Declared):
        return name == said.name or (isinstance(said, r.Inverse) and name == said.other)
    return name in said.labels


def _states(reasoner: Reasoner, columns: Ints, labels: Sequence[str]) -> Facts:
    """All joint values that some labels can have, each with everything that follows."""
    rows = reasoner.model.base[None]
    for k in columns:
        open_rows = rows[rows[:, k] < 0]
        yes, no = open_rows.copy(), open_rows.copy()
        yes[:, k], no[:, k] = 1, 0
        rows, clash = reasoner.model.propagate(np.concatenate([rows[rows[:, k] >= 0], no, yes]))
        rows = rows[~clash]
        if len(rows) > MOST_STATES:
            raise OntologyError(
                f"the {len(labels)} labels that relations name have more than {MOST_STATES:,} joint values; "
                "say which of them exclude each other"
            )
    order = np.lexsort(rows[:, columns[::-1]].T) if len(columns) else np.arange(len(rows))
    found: Facts = rows[order]
    return found
