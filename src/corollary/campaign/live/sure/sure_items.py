"""What the model in use is sure of where one label, with those above it, or none holds for each item: whole items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....logic.engines import Facts, Floats
from ....logic.ontology import Ontology
from ...state.most_probable import most_probable, most_probable_labellings
from ...state.state import Ints, State
from .rows import Accepted, known_after, rows_in_use, rows_said_since


class SureItems(NamedTuple):
    """Items with open labels whose most probable labelling has at least some probability, in their order.

    `label` numbers the narrowest label of each labelling, -1 where none holds. `cells` counts the labels that are open.
    """

    row: Ints
    label: Ints
    probability: Floats
    cells: int

    @property
    def questions(self) -> int:
        """The number of questions that an audit can draw from."""
        return len(self.row)

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.row)

    @property
    def left_out(self) -> int:
        """The number of items left out because something that is not sure would follow: none, as all is accepted."""
        return 0

    def draw(self, state: State, places: Ints) -> list[list[Any]]:
        """Some of them as questions of an audit: the item, no label, and the narrowest labels that are predicted."""
        return [
            [state.ids[self.row[n]], None, self._narrowest(state.onto, n)] for n in places.tolist()
        ]

    def accepted(self, state: State, most: int) -> list[Accepted]:
        """What an acceptance stores of the first items."""
        return [
            Accepted(
                state.ids[self.row[n]], self._narrowest(state.onto, n), float(self.probability[n])
            )
            for n in range(min(most, len(self.row)))
        ]

    def _narrowest(self, onto: Ontology, n: int) -> list[str]:
        return [] if self.label[n] < 0 else [onto.labels[int(self.label[n])]]


def find_sure_items(state: State, at_least: float, *, as_of: int | None = None) -> SureItems:
    """All items that the model is sure of now; with `as_of` only those of which it also was after that event."""
    labelling, probability = most_probable_labellings(state)
    rows = rows_in_use(state, as_of)
    rows = rows[(probability[rows] >= at_least) & (state.facts[rows] < 0).any(axis=1)]
    if as_of is not None:
        rows = rows[_was_sure(state, rows, labelling, at_least, as_of)]
    cells = int(np.count_nonzero(state.facts[rows] < 0))
    return SureItems(rows, narrowest_labels(state.onto, labelling[rows]), probability[rows], cells)


def _was_sure(state: State, rows: Ints, labelling: Facts, at_least: float, as_of: int) -> Ints:
    """The places in `rows` of items that could have been drawn after an event, with the same labelling.

    Only items of which something was said since can differ, as the model is the same.
    """
    fine = np.ones(len(rows), np.bool_)
    places = rows_said_since(state, rows, as_of)
    if len(places):
        known, rests = known_after(state, rows[places], as_of)
        then = most_probable(state.onto, state.session.beliefs[rows[places]], known)
        same = (then.labelling == labelling[rows[places]]).all(axis=1)
        fine[places] = same & (then.probability >= at_least) & ~rests
    return np.flatnonzero(fine)


def narrowest_labels(onto: Ontology, labelling: Facts) -> Ints:
    """The column of the narrowest label of each labelling (N, K), -1 where none holds; the ontology has one choice."""
    (choice,) = onto.choices
    on = labelling[:, choice.labels] == 1
    narrow = on.copy()
    for j in np.flatnonzero(choice.parent >= 0).tolist():
        narrow[:, choice.parent[j]] &= ~on[:, j]
    return np.where(narrow.any(axis=1), choice.labels[narrow.argmax(axis=1)], -1)


def labellings(onto: Ontology, narrowest: Sequence[Sequence[str]]) -> Facts:
    """The labelling, (N, K), that each narrowest label stands for."""
    rows = np.full((len(narrowest), len(onto)), -1, np.int8)
    for i, labels in enumerate(narrowest):
        rows[i, [onto.index[label] for label in labels]] = 1
    known = onto.propagate(rows)
    return np.where(known < 0, 0, known).astype(np.int8)
