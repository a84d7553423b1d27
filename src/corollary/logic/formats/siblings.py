"""The assumption, made only on request, that siblings in a hierarchy exclude each other."""

from __future__ import annotations

from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from ..errors import OntologyError
from ..language.constraints import Equivalent, Exclusive, Source, Subsumes
from ..language.notation import Document

#: What an explanation names as the place of such a constraint.
SOURCE = Source("assumed: siblings are exclusive", None)


def with_siblings_exclusive(document: Document) -> Document:
    """The document, and that the children of each parent exclude each other, and all roots together.

    A label that is also below another child of the same parent is no sibling of it. Equivalent labels count as one.
    """
    one = _representatives(document)
    parents: dict[str, dict[str, None]] = {
        label: {} for label in document.labels if one[label] == label
    }
    for constraint in document.constraints:
        if isinstance(constraint, Subsumes):
            for child in constraint.children:
                if one[child] != one[constraint.parent]:
                    parents[one[child]][one[constraint.parent]] = None
    above = _ancestors(parents)
    groups: dict[str | None, list[str]] = {None: []}
    for label, own in parents.items():
        for parent in own or (None,):
            groups.setdefault(parent, []).append(label)
    known = {frozenset(c.labels) for c in document.constraints if isinstance(c, Exclusive)}
    added = []
    for members in groups.values():
        together = set(members)
        siblings = tuple(label for label in members if not above[label] & together)
        if len(siblings) >= 2 and frozenset(siblings) not in known:
            added.append(Exclusive(siblings, source=SOURCE))
    return replace(document, constraints=(*document.constraints, *added))


def _representatives(document: Document) -> dict[str, str]:
    """For each label the first of those that are equivalent to it."""
    leader = {label: label for label in document.labels}
    members = {label: [label] for label in document.labels}
    rank = {label: k for k, label in enumerate(document.labels)}
    for constraint in document.constraints:
        if isinstance(constraint, Equivalent):
            leaders = sorted({leader[label] for label in constraint.labels}, key=rank.__getitem__)
            for other in leaders[1:]:
                for label in members[other]:
                    leader[label] = leaders[0]
                members[leaders[0]] += members.pop(other)
    return leader


def _ancestors(parents: dict[str, dict[str, None]]) -> dict[str, frozenset[str]]:
    """Everything above each label."""
    try:
        order = list(TopologicalSorter(parents).static_order())
    except CycleError as error:
        raise OntologyError(
            f"siblings_exclusive: no hierarchy has a cycle: {' > '.join(reversed(error.args[1]))}"
        ) from None
    above: dict[str, frozenset[str]] = {}
    for label in order:
        above[label] = frozenset().union(*({parent} | above[parent] for parent in parents[label]))
    return above
