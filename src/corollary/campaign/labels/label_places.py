"""The place of a label in the ontology: path, children and siblings, with their values for an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...logic.language.constraints import Subsumes
from ...logic.ontology import Ontology

#: A label and its value; None if it is open.
Mark = tuple[str, bool | None]


@dataclass(frozen=True, slots=True)
class Place:
    """The path from the root to the label (without it), its children and its siblings."""

    path: tuple[Mark, ...]
    children: tuple[Mark, ...]
    siblings: tuple[Mark, ...]


class Places:
    """The parents and children of all labels of an ontology."""

    def __init__(self, onto: Ontology):
        self.parents: dict[str, list[str]] = {}
        self.children: dict[str, list[str]] = {}
        for constraint in onto.constraints:
            if isinstance(constraint, Subsumes):
                for child in constraint.children:
                    self.parents.setdefault(child, []).append(constraint.parent)
                    self.children.setdefault(constraint.parent, []).append(child)

    def path(self, label: str) -> list[str]:
        """Return the path from the root to the label, without it, by the parent written first."""
        path: list[str] = []
        while (parents := self.parents.get(label)) and parents[0] not in path:
            label = parents[0]
            path.append(label)
        return path[::-1]

    def of(self, label: str, known: Mapping[str, bool]) -> Place:
        """Return the place of a label, with the known labels of an item."""

        def marked(labels: list[str]) -> tuple[Mark, ...]:
            return tuple((one, known.get(one)) for one in dict.fromkeys(labels) if one != label)

        parents = self.parents.get(label, [])
        siblings = self.children[parents[0]] if parents else []
        return Place(
            marked(self.path(label)), marked(self.children.get(label, [])), marked(siblings)
        )
