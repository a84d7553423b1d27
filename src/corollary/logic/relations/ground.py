"""A component written out: one label for each cell, so that a solver answers what tables cannot, and gives reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..language import formula as f
from ..language.constraints import Covers, Exclusive, Formula, Hard, Subsumes, hard_ones
from ..language.relations import Functional
from ..reasoning.reasoner import Reasoner
from .pair_logic import FORWARD, PairLogic, _constraint, cell

if TYPE_CHECKING:
    from ..ontology import Ontology


def ground(
    onto: Ontology,
    logic: PairLogic,
    items: Sequence[int],
    edges: Sequence[tuple[int, int, bool]],
    title: Callable[[Sequence[int]], tuple[object, ...]],
) -> Reasoner:
    """The cells of some items and of the pairs between them; an edge (x, y, both) is listed one way or both ways.

    `title` has the names of items by their numbers.
    """
    labels = [cell(label, title((i,))) for i in items for label in onto.labels]
    constraints: list[Hard] = []
    for i in items:
        constraints += [
            _renamed(one, lambda label, i=i: cell(label, title((i,))))  # type: ignore[misc]
            for one in hard_ones(onto.constraints)
        ]
    members: dict[tuple[int, int], list[str]] = {}
    for x, y, both in edges:
        ends = {"x": x, "y": y}
        for way in (FORWARD, FORWARD[::-1]) if both else (FORWARD,):
            of = title([ends[one] for one in way])
            labels += [cell(name, of) for name in logic.relations]
        kind = logic.two_ways if both else logic.one_way

        def named(name: str, ends: dict[str, int] = ends) -> str:
            label, _, variables = name.rpartition("(")
            return cell(label, title([ends[one] for one in variables.rstrip(")").split(", ")]))

        for expression, weight, source in kind.rules:
            if weight is None:
                made = _constraint(f.rename(expression, named), None, source)
                constraints += hard_ones([made])
        for slot in kind.slots:
            group = members.setdefault((slot.functional, (x, y)[slot.end]), [])
            group.append(named(kind.names[slot.column]))
    sources = {
        (one.name, one.inverse): one.source
        for one in onto.pair_constraints
        if isinstance(one, Functional)
    }
    for (functional, _), group in members.items():
        if len(group) > 1:
            source = sources[logic.functional[functional]]
            constraints.append(Exclusive(tuple(group), source=source))
    index = {label: k for k, label in enumerate(labels)}
    return Reasoner(tuple(labels), index, tuple(constraints), onto.budget)


def _renamed(constraint: Hard, to: Callable[[str], str]) -> Hard:
    """The constraint over other labels."""
    match constraint:
        case Subsumes(parent, children) | Covers(parent, children):
            return type(constraint)(to(parent), tuple(map(to, children)), source=constraint.source)
        case Formula(expression):
            return Formula(f.rename(expression, to), source=constraint.source)
    return type(constraint)(tuple(map(to, constraint.labels)), source=constraint.source)
