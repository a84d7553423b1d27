"""The current names of labels of earlier ontologies, after releases that rename, merge and retire terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...logic.ontology import Ontology
from ..events import SAME, WIDER, Event


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of labels from one ontology to another; labels in neither map keep their name.

    `same` has renamed labels, or None if the name means another term now. `wider` has labels that became
    part of another one: a yes follows, a no does not.
    """

    same: Mapping[str, str | None] = field(default_factory=dict)
    wider: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.same or self.wider)

    def label(self, label: str) -> str | None:
        """Return the label of the same meaning; None if there is none."""
        return None if label in self.wider else self.same.get(label, label)

    def target(self, label: str) -> str | None:
        """Return the label that a yes moves to."""
        return self.wider.get(label) or self.label(label)

    def then(self, later: Moves) -> Moves:
        """Return these moves followed by others."""
        same: dict[str, str | None] = {}
        wider: dict[str, str] = {}
        for label in dict.fromkeys((*self.same, *self.wider, *later.same, *later.wider)):
            between = self.target(label)
            end = None if between is None else later.target(between)
            if end is None:
                same[label] = None
            elif label in self.wider or between in later.wider:
                wider[label] = end
            elif end != label:
                same[label] = end
        return Moves(same, wider)

    def back(self, old: Ontology, new: Ontology) -> Moves:
        """Return the moves from the new ontology to the old one; a merged label moves to none of its parts."""
        sources: dict[str, list[str]] = {}
        for label in old.labels:
            if (target := self.label(label)) is not None:
                sources.setdefault(target, []).append(label)
        same: dict[str, str | None] = {}
        for label in new.labels:
            found = sources.get(label, [])
            if len(found) == 1:
                same[label] = found[0]
            elif label not in found and (found or label in old.index):
                same[label] = None
        return Moves({label: was for label, was in same.items() if was != label})


NO_MOVES = Moves()


class LabelMoves:
    """The moves between any two versions of the ontology of a campaign.

    A version follows the one in force when it came, so that after an undo labels move back.
    """

    def __init__(self, ontologies: Mapping[int, Ontology]):
        self.ontologies = ontologies
        self._steps: dict[int, tuple[int, Moves]] = {}
        self._known: dict[tuple[int, int], Moves] = {}
        self._any = False

    def __bool__(self) -> bool:
        """Whether any version has labels that moved."""
        return self._any

    def note(self, event: Event) -> None:
        """Add the version that an event put in force."""
        if event.value in self._steps or event.value == min(self.ontologies):
            return
        self.add(event.value, event.ontology, event.detail or {})

    def add(self, version: int, parent: int, detail: Mapping[str, Any]) -> None:
        """Add a version, which followed another one with these moves."""
        moves = Moves(detail.get(SAME, {}), detail.get(WIDER, {}))
        self._steps[version] = (parent, moves)
        self._any |= bool(moves)
        self._known.clear()

    def with_next(self, version: int, parent: int, onto: Ontology, moves: Moves) -> LabelMoves:
        """Return a copy with one more version, for a preview."""
        made = LabelMoves({**self.ontologies, version: onto})
        made._steps = dict(self._steps)
        made._any = self._any
        if version not in self._steps and version != min(self.ontologies):
            made.add(version, parent, {SAME: moves.same, WIDER: moves.wider})
        return made

    def version(self, onto: Ontology) -> int | None:
        """Return the version of an ontology, by identity."""
        return next((v for v, one in reversed([*self.ontologies.items()]) if one is onto), None)

    def between(self, version: int, now: int | None) -> Moves:
        """Return the moves of labels from one version to another."""
        if not self._any or now is None or version == now:
            return Moves()
        if (version, now) not in self._known:
            self._known[version, now] = self._between(version, now)
        return self._known[version, now]

    def moved(self, onto: Ontology) -> frozenset[int]:
        """Return the versions with labels that moved under this ontology."""
        if not self._any:
            return frozenset()
        now = self.version(onto)
        return frozenset(one for one in self.ontologies if self.between(one, now))

    def _between(self, version: int, now: int) -> Moves:
        above = list(self._line(version))
        down = list(self._line(now))
        common = next((one for one in down if one in above), None)
        if common is None:
            return Moves()
        found = Moves()
        for one in above[: above.index(common)]:
            parent, moves = self._steps[one]
            found = found.then(moves.back(self.ontologies[parent], self.ontologies[one]))
        for one in reversed(down[: down.index(common)]):
            found = found.then(self._steps[one][1])
        return found

    def _line(self, version: int) -> Iterator[int]:
        """Return a version, the one that it followed, and so on."""
        yield version
        while version in self._steps:
            version = self._steps[version][0]
            yield version
