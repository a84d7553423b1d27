"""Whether labelled items have exactly one label of each group that is only exclusive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...logic.engines import Facts
from ...logic.language.constraints import AtLeastOne, Covers, ExactlyOne, Exclusive, Subsumes
from ...logic.language.notation import quote, render_constraint
from ...logic.ontology import Ontology

#: With fewer items there is no note.
FEWEST = 5
#: More lines than this are counted, not listed.
LINES_UP_TO = 12
CHUNK = 10_000  # items whose facts are looked at once
ELSE = "out_of_scope"

Labelled = tuple[str, str, bool]


@dataclass
class _Group:
    """Labels that exclude each other under a parent, or at the top, and counts of items with them."""

    labels: tuple[str, ...]
    parent: str | None
    items: int = 0
    with_one: int = 0
    with_none: int = 0

    @property
    def fits(self) -> bool:
        """Whether each item has exactly one of them; at the top, a few items may have none."""
        if self.parent is not None:
            return 0 < self.items == self.with_one
        return (
            self.items >= FEWEST
            and self.items == self.with_one + self.with_none
            and self.with_none < self.with_one
        )

    def line(self) -> str:
        """Return the constraint to write instead of `exclusive`."""
        labels = (*self.labels, ELSE) if self.with_none and ELSE not in self.labels else self.labels
        said = render_constraint(ExactlyOne(labels))
        return said if self.parent is None else f"{quote(self.parent)} > {said}"


class OneOfEach:
    """Counts known items, some at a time, and suggests constraints that the ontology could have."""

    def __init__(self, onto: Ontology):
        self._onto = onto
        self._groups = list(_groups(onto))

    def add(self, known: Facts) -> None:
        """Count further items; `known` must be propagated."""
        known = known[(known >= 0).any(axis=1)]
        for group in self._groups:
            of_group = known[:, [self._onto.index[label] for label in group.labels]]
            if group.parent is not None:
                of_group = of_group[known[:, self._onto.index[group.parent]] == 1]
            group.items += len(of_group)
            group.with_one += int((of_group == 1).any(axis=1).sum())
            group.with_none += int((of_group == 0).all(axis=1).sum())

    def note(self) -> str | None:
        """Return the note with the constraints, if each item has one class of each group."""
        top = [group for group in self._groups if group.parent is None and group.fits]
        below = [group for group in self._groups if group.parent is not None and group.items]
        if not top or not all(group.fits for group in below):
            return None
        lines = [group.line() for group in [*top, *below]]
        none = max(group.with_none for group in top)
        but = f" ({none:,} of them none at the top: {ELSE} would name that)" if none else ""
        more = (
            f"\n  and {len(lines) - LINES_UP_TO:,} more in this way"
            if len(lines) > LINES_UP_TO
            else ""
        )
        return (
            f"the {top[0].items:,} items with known labels have one of each exclusive group{but}. "
            "If that holds of every item, say so, and a no will settle more:\n  "
            + "\n  ".join(lines[:LINES_UP_TO])
            + more
        )


def one_class_note(onto: Ontology, facts: Iterable[Labelled]) -> str | None:
    """Return the note for single facts: item, label, value; they must not contradict each other."""
    of_item: dict[str, list[tuple[int, bool]]] = {}
    for item, label, value in facts:
        of_item.setdefault(item, []).append((onto.index[label], value))
    looked_at = OneOfEach(onto)
    said = list(of_item.values())
    for start in range(0, len(said), CHUNK):
        rows = np.full((len(said[start : start + CHUNK]), len(onto)), -1, np.int8)
        for i, labels in enumerate(said[start : start + CHUNK]):
            for k, value in labels:
                rows[i, k] = value
        looked_at.add(onto.closure(rows)[0])
    return looked_at.note()


def _groups(onto: Ontology) -> Iterable[_Group]:
    """Yield the exclusive groups that need not have a label: children of a parent, or top labels."""
    parents: dict[frozenset[str], str] = {}
    below: set[str] = set()
    closed: set[frozenset[str]] = set()
    for one in onto.constraints:
        match one:
            case Subsumes(parent, children):
                parents[frozenset(children)] = parent
                below |= set(children)
            case Covers(_, children):
                closed.add(frozenset(children))
            case ExactlyOne(labels) | AtLeastOne(labels):
                closed.add(frozenset(labels))
    for one in onto.constraints:
        if isinstance(one, Exclusive) and (members := frozenset(one.labels)) not in closed:
            if members in parents:
                yield _Group(one.labels, parents[members])
            elif members.isdisjoint(below):
                yield _Group(one.labels, None)
