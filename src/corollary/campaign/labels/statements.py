"""Answers about an item as cells under the ontology in force."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...logic.ontology import Ontology
from ..events import ACCEPT, Event
from .label_moves import NO_MOVES, LabelMoves, Moves

#: The number of replies about whole items whose cells are cached, for each ontology.
REPLIES = 10_000
Cells = dict[str | None, bool | str]


class Stated(NamedTuple):
    """The cells that a reply states, and all labels it is about, with their consequences.

    `picked` is set if the reply is a single statement, which counts whole or not at all: "it is X", or
    "none of these" if it is empty.
    """

    cells: Cells
    about: frozenset[str] = frozenset()
    picked: tuple[str, ...] | None = None


class Statements:
    """Reads events under an ontology; `ontologies` has every version, because replies may be older.

    A pick of X says "X, and none of the other narrowest labels". Groups are derived, so X may move to another group.
    A reply about several labels says yes to those it names, and no to the other labels that were offered.
    An accepted whole item is read as a pick. It is nobody's answer, so it takes nothing back.
    """

    def __init__(self, ontologies: Mapping[int, Ontology], moves: LabelMoves | None = None):
        self._ontologies = ontologies
        self.moves = LabelMoves(ontologies) if moves is None else moves
        self._readers: list[_Reader] = []  # of the ontology in force, and of one under preview

    def of(self, event: Event, onto: Ontology) -> Stated:
        """Return the cells of an answer, fact or acceptance; None is the question about the whole item."""
        if event.label is not None or isinstance(event.value, str):
            label = None if event.label is None else self.label_of(event, onto)
            return Stated({label: event.value})
        then = self._ontologies[event.ontology]
        moves = self.moves_of(event, onto)
        if event.kind == ACCEPT:
            if isinstance(event.value, dict):
                return Stated(_accepted(event.value, moves, onto))
            stated = self._reader(onto).read(then, tuple(event.value), then.labels, moves)
            cells: Cells = {
                label: value for label, value in stated.cells.items() if label is not None
            }
            return Stated(cells, picked=stated.picked or tuple(event.value))
        options = (event.detail or {}).get("options", ())
        return self._reader(onto).read(then, tuple(event.value), tuple(options), moves)

    def label_of(self, event: Event, onto: Ontology) -> str:
        """Return the name of an event's label under an ontology; a removed one gets a unique name."""
        assert event.label is not None
        if not self.moves:
            return event.label
        return kept_as(event.label, self.moves_of(event, onto), onto)

    def moves_of(self, event: Event, onto: Ontology) -> Moves:
        """Return the moves of an event's labels to an ontology."""
        if not self.moves:
            return NO_MOVES
        return self.moves.between(event.ontology, self.moves.version(onto))

    def had_moved(self, event: Event, other: Event) -> bool:
        """Whether the label of an event had moved before another event."""
        moves = self.moves.between(event.ontology, other.ontology)
        return event.label is not None and moves.label(event.label) != event.label

    def _reader(self, onto: Ontology) -> _Reader:
        for reader in self._readers:
            if reader.onto is onto:
                return reader
        self._readers = [*self._readers[-1:], _Reader(onto)]
        return self._readers[-1]


def kept_as(label: str, moves: Moves, onto: Ontology) -> str:
    """Return the name of a label under an ontology; a removed one gets a name that no label has."""
    now = moves.label(label)
    if now is not None:
        return now
    return f"{label} (no longer)" if label in onto.index else label


def _accepted(value: Mapping[str, bool], moves: Moves, onto: Ontology) -> Cells:
    cells: Cells = {}
    for label, one in value.items():
        target = moves.target(label) if one else None
        cells[target or kept_as(label, moves, onto)] = one
    return cells


class _Reader:
    """Reads replies about whole items as cells of one ontology."""

    def __init__(self, onto: Ontology):
        self.onto = onto
        self._worlds: dict[
            int, _Hierarchy
        ] = {}  # by identity: to compare two ontologies takes long
        self._moves: dict[int, Moves] = {}
        self._remembered = lru_cache(maxsize=REPLIES)(self._read)

    def read(
        self, then: Ontology, names: tuple[str, ...], options: tuple[str, ...], moves: Moves
    ) -> Stated:
        """Read a reply that was given under this or another ontology, from its labels and options."""
        for one in (then, self.onto):
            if id(one) not in self._worlds:
                self._worlds[id(one)] = _Hierarchy(one)
        self._moves[id(then)] = moves
        return self._remembered(id(then), names, options)

    def _read(self, version: int, names: tuple[str, ...], options: tuple[str, ...]) -> Stated:
        then = self._worlds[version]
        moves = self._moves[version]
        now = self._worlds[id(self.onto)]
        follows = then.follow(names)
        narrow = then.narrowest(names)
        targets = {name: moves.target(name) for name in narrow}
        on = [name for name in targets.values() if name is not None and name in self.onto.index]
        on = list(dict.fromkeys(on))
        # If the picked label was removed, the pick is void, and the item is asked again.
        void = {then.choice.get(name) for name in narrow if targets[name] not in on} - {None}
        denied = {
            now_called: None
            for label in options
            if (now_called := moves.label(label)) is not None
            and now_called in self.onto.index
            and follows.get(label) is not True
            and label not in then.groups
            and then.choice.get(label) not in void
        }
        for name, target in targets.items() if then is not now else ():
            if target is None or target not in on:
                continue
            # labels that moved below the picked one: nobody said no to them
            for label in now.below(target) - {moves.label(one) for one in then.below(name)}:
                denied.pop(label, None)
        settled = now.follow(on)
        cells: Cells = {None: "answered", **dict.fromkeys(on, True)}
        cells |= {
            label: False
            for label in denied
            if label not in settled and now.wider.get(label) not in denied
        }
        is_pick = then.is_pick((*narrow, *options)) and len(narrow) < 2
        about = frozenset(kept_as(label, moves, self.onto) for label in (*options, *follows))
        picked = tuple(targets[name] or name for name in narrow)
        return Stated(cells, about, picked if is_pick else None)


class _Hierarchy:
    """The labels of an ontology of which one is picked: their choice, the next wider label, groups.

    Groups cannot be the narrowest label of an item. Nobody says yes or no to them in a pick.
    """

    def __init__(self, onto: Ontology):
        self._onto = onto
        labels = onto.labels
        self.choice: dict[str, int] = {}
        self.wider: dict[str, str] = {}
        self.groups: set[str] = set()
        for n, choice in enumerate(onto.choices):
            names = [labels[k] for k in choice.labels.tolist()]
            settled = [labels[k] for k in choice.settles.tolist()]
            self.choice |= dict.fromkeys(settled, n)
            self.wider |= {
                name: names[p]
                for name, p in zip(names, choice.parent.tolist(), strict=True)
                if p >= 0
            }
            ends = {name for name, end in zip(names, choice.final.tolist(), strict=True) if end}
            self.groups |= {
                name for name in settled if name not in ends
            }  # the first of equivalent labels counts

    def follow(self, labels: tuple[str, ...] | list[str], value: bool = True) -> dict[str, bool]:
        """Return the consequences of yes or no to labels; only the labels if they contradict each other."""
        row = np.full((1, len(self._onto)), -1, np.int8)
        row[0, [self._onto.index[label] for label in labels if label in self._onto.index]] = value
        (after,), (clash,) = self._onto.closure(row)
        known = row[0] if clash else after
        return {self._onto.labels[k]: bool(known[k]) for k in np.flatnonzero(known >= 0).tolist()}

    def below(self, label: str) -> set[str]:
        """Return the labels that imply a label, which are no if it is no."""
        return {one for one, value in self.follow([label], False).items() if not value}

    def narrowest(self, names: tuple[str, ...]) -> list[str]:
        """Return the labels that no other one implies; only the first of equivalent ones."""
        if len(names) < 2:
            return list(names)
        yes = [{one for one, value in self.follow([name]).items() if value} for name in names]

        def is_implied(b: int) -> bool:
            return any(
                names[b] in yes[a] and (names[a] not in yes[b] or a < b)
                for a in range(len(names))
                if a != b
            )

        return [name for b, name in enumerate(names) if not is_implied(b)]

    def is_pick(self, labels: tuple[str, ...]) -> bool:
        """Whether all labels belong to one choice."""
        return (
            len({self.choice.get(label, -1) for label in labels}) == 1 and labels[0] in self.choice
        )
