"""Where the labels of an ontology stand in a figure: broader ones to the left, each label on a row of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..logic.language.constraints import (
    AtLeastOne,
    Constraint,
    Equivalent,
    ExactlyOne,
    Exclusive,
    Subsumes,
)

#: What a group of labels is tied by.
GROUPS: dict[type[Constraint], str] = {
    Exclusive: "at most one",
    ExactlyOne: "exactly one",
    AtLeastOne: "at least one",
    Equivalent: "all or none",
}


class Place(NamedTuple):
    """The place of a label.

    Its column, counted from the broadest, and its row, in the middle of its children.
    """

    column: int
    row: float


class Group(NamedTuple):
    """Labels that are tied together, and how: `at most one`."""

    kind: str
    labels: tuple[str, ...]


def parents_of(labels: Sequence[str], constraints: Iterable[Constraint]) -> dict[str, list[str]]:
    """The parents of each label, without those that follow from others and those that close a circle."""
    parents: dict[str, list[str]] = {label: [] for label in labels}
    pairs = (
        (child, one.parent)
        for one in constraints
        if isinstance(one, Subsumes)
        for child in one.children
    )
    for child, parent in pairs:
        shown = child in parents and parent in parents and parent not in parents[child]
        if shown and child not in above(parent, parents):
            parents[child].append(parent)
    further = {label: [above(parent, parents) for parent in own] for label, own in parents.items()}
    return {
        label: [parent for parent in own if not any(parent in beyond for beyond in further[label])]
        for label, own in parents.items()
    }


def above(label: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    """All that a label implies by its parents, itself left out."""
    found: set[str] = set()
    waiting = list(parents[label])
    while waiting:
        parent = waiting.pop()
        if parent not in found:
            found.add(parent)
            waiting.extend(parents[parent])
    return found


def places(parents: Mapping[str, Sequence[str]]) -> dict[str, Place]:
    """Return the place of each label; no two labels of a column are less than a row apart.

    A label is one column to the right of the furthest of its parents, and its rows are among those
    of this parent.
    """
    columns: dict[str, int] = {}
    for label in parents:
        _set_column(label, parents, columns)
    children: dict[str, list[str]] = {label: [] for label in parents}
    roots = []
    for label, own in parents.items():
        if own:
            children[max(own, key=lambda parent: columns[parent])].append(label)
        else:
            roots.append(label)
    rows: dict[str, float] = {}
    free = 0
    for root in roots:
        free = _set_rows(root, children, rows, free)
    return {label: Place(columns[label], rows[label]) for label in parents}


def _set_column(label: str, parents: Mapping[str, Sequence[str]], columns: dict[str, int]) -> int:
    if label not in columns:
        columns[label] = 1 + max(
            (_set_column(parent, parents, columns) for parent in parents[label]), default=-1
        )
    return columns[label]


def _set_rows(
    label: str, children: Mapping[str, Sequence[str]], rows: dict[str, float], free: int
) -> int:
    """Set the rows of a label and of all under it; the first row that is free after them."""
    for child in children[label]:
        free = _set_rows(child, children, rows, free)
    own = [rows[child] for child in children[label]]
    rows[label] = (own[0] + own[-1]) / 2 if own else free
    return free if own else free + 1


def groups_of(labels: Iterable[str], constraints: Iterable[Constraint]) -> list[Group]:
    """The groups among these labels; pairs of which at most one is true are joined to larger groups where all do."""
    shown = set(labels)
    groups: list[Group] = []
    pairs: list[tuple[str, str]] = []
    for one in constraints:
        if not isinstance(one, tuple(GROUPS)):
            continue
        members = tuple(label for label in one.labels if label in shown)
        whole = len(members) == len(one.labels)
        kind = (
            GROUPS[type(one)] if whole else "at most one"
        )  # of a part of exactly one, at most one is true
        if len(members) < 2 or not (whole or isinstance(one, Exclusive | ExactlyOne)):
            continue
        if kind == "at most one" and len(members) == 2:
            pairs.append((members[0], members[1]))
        else:
            groups.append(Group(kind, members))
    inside = {
        frozenset((a, b))
        for one in groups
        if one.kind != "at least one"
        for a in one.labels
        for b in one.labels
    }
    inside -= {
        frozenset((a, b))
        for one in groups
        if one.kind == "all or none"
        for a in one.labels
        for b in one.labels
    }
    left = [pair for pair in pairs if frozenset(pair) not in inside]
    return groups + [Group("at most one", members) for members in _cliques(left)]


def _cliques(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Groups in which all exclude one another, so that each pair is in one: the next pair, as far as it can grow."""
    excludes: dict[str, set[str]] = {}
    for a, b in pairs:
        excludes.setdefault(a, set()).add(b)
        excludes.setdefault(b, set()).add(a)
    found: list[tuple[str, ...]] = []
    for pair in pairs:
        if any(set(pair) <= set(group) for group in found):
            continue
        group = list(pair)
        for label, excluded in excludes.items():  # in the order in which they were first named
            if label not in group and excluded >= set(group):
                group.append(label)
        found.append(tuple(group))
    return found
