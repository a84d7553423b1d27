"""The sure predictions of the current model: whole items if each has one label, else single cells.

A cell is one label of one item.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.engines import Facts, Floats
from ....logic.ontology import Ontology
from ...events import ITEMS
from ...state.beliefs import AT_ONCE, most_probable, most_probable_labellings
from ...state.measured_costs import holds_one
from ...state.standings import stand_all
from ...state.state import Ints, State


class Accepted(NamedTuple):
    """The values of an item that an acceptance stores, and their probabilities.

    For a whole item, it is the probability of all values together.
    """

    item: str
    value: dict[str, bool] | list[str]
    probability: dict[str, float] | float


def rows_in_use(state: State, as_of: int | None = None) -> Ints:
    """Return the rows of items that are not withdrawn or in conflict.

    With `as_of`, only rows that existed at that event are returned.
    """
    resting = [
        state.row(item) for item in (*state.held, *state.withdrawn) if state.standing_of(item).rests
    ]
    rows: Ints = np.setdiff1d(np.arange(len(state.ids)), resting)
    if as_of is None:
        return rows
    added = sum(event.value for event in state.events[as_of:] if event.kind == ITEMS)
    return rows[: np.searchsorted(rows, len(state.ids) - added)]


def rows_said_since(state: State, rows: Ints, as_of: int) -> Ints:
    """Return the positions in `rows` of items with events after event `as_of`."""
    since = {state.row(event.item) for event in state.events[as_of:] if event.item is not None}
    return np.flatnonzero(np.isin(rows, list(since)))


def known_after(state: State, rows: Ints, as_of: int) -> tuple[Facts, npt.NDArray[np.bool_]]:
    """Return the known labels of some items at event `as_of`, and which were not asked about then."""
    items = [state.ids[i] for i in rows.tolist()]
    before = {
        item: [event for event in state.of_item[item] if event.seq <= as_of] for item in items
    }
    then = stand_all(before, state.onto, state.statements, doubted=state.doubts)
    return then.known, np.array([one.rests for one in then.standings], np.bool_)


class SureCells(NamedTuple):
    """Sure cells in the order of items and labels: row, label, value and probability.

    `left_out` is the number of items left out because a label that is not sure would follow.
    """

    row: Ints
    label: Ints
    value: npt.NDArray[np.bool_]
    probability: Floats
    left_out: int

    @property
    def questions(self) -> int:
        """The number of questions that an audit can draw from."""
        return len(self.row)

    @property
    def cells(self) -> int:
        """The number of open labels that are predicted."""
        return len(self.row)

    @property
    def items(self) -> int:
        """The number of items that the cells belong to."""
        return len(np.unique(self.row))

    def draw(self, state: State, places: Ints) -> list[list[Any]]:
        """Return some cells as questions of an audit: item, label and predicted value."""
        return [
            [state.ids[i], state.onto.labels[k], bool(value)]
            for i, k, value in zip(
                self.row[places], self.label[places], self.value[places], strict=True
            )
        ]

    def accepted(self, state: State, most: int) -> list[Accepted]:
        """Return the contents of an acceptance of the first `most` items."""
        last = np.unique(self.row)[most - 1 : most]
        until = (
            len(self.row)
            if not len(last)
            else int(np.searchsorted(self.row, last[0], side="right"))
        )
        columns = (
            column[:until].tolist()
            for column in (self.row, self.label, self.value, self.probability)
        )
        made = []
        for row, of_item in groupby(zip(*columns, strict=True), key=lambda cell: cell[0]):
            cells = [(state.onto.labels[k], value, p) for _, k, value, p in of_item]
            values = {label: value for label, value, _ in cells}
            chances = {label: p for label, _, p in cells}
            made.append(Accepted(state.ids[row], values, chances))
        return made


class Values(NamedTuple):
    """Sure values, -1 if not sure, and their probabilities, (N, K); which rows are left out, (N,)."""

    value: Facts
    probability: Floats
    left_out: npt.NDArray[np.bool_]


def sure_values(onto: Ontology, beliefs: Floats, facts: Facts, at_least: float) -> Values:
    """Return the sure values of some items.

    Values are from the most probable legal labelling, so that they do not contradict each other.
    Many sure values can have a consequence that is not sure. For example, 199 of 200 classes are
    improbable, and one must hold. Such items are left out.
    """
    likely = onto.most_probable(beliefs, facts)
    yes = onto.posterior(beliefs, facts)
    probability = np.where(likely == 1, yes, 1.0 - yes)
    value = np.where((facts < 0) & (probability >= at_least), likely, -1).astype(np.int8)
    together = np.where(value >= 0, value, facts)
    left_out = np.asarray(((onto.closure(together)[0] >= 0) & (together < 0)).any(axis=1))
    value[left_out] = -1
    return Values(value, probability, left_out)


def find_sure_cells(state: State, at_least: float, *, as_of: int | None = None) -> SureCells:
    """Return all sure cells; with `as_of`, only those that were sure at that event too."""
    rows = rows_in_use(state, as_of)
    at_once = max(1, AT_ONCE // max(1, len(state.onto)))
    beliefs = state.session.beliefs
    found = []
    left_out = 0
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        sure = sure_values(state.onto, beliefs[part], state.facts[part], at_least)
        if as_of is not None:
            _keep_earlier(sure.value, part, state, at_least, as_of)
        i, k = np.nonzero(sure.value >= 0)
        found.append((part[i], k, sure.value[i, k] == 1, sure.probability[i, k]))
        left_out += int(sure.left_out.sum())
    if not found:
        return SureCells(
            np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0), 0
        )
    row, label, value, probability = (np.concatenate(column) for column in zip(*found, strict=True))
    return SureCells(row, label, value, probability, left_out)


def _keep_earlier(value: Facts, rows: Ints, state: State, at_least: float, as_of: int) -> None:
    """Keep only the cells, in place, that were sure at event `as_of`, when the audit was drawn.

    Only items with events since then can differ, because the model is the same.
    """
    places = rows_said_since(state, rows, as_of)
    if not len(places):
        return
    known, rests = known_after(state, rows[places], as_of)
    sure = sure_values(state.onto, state.session.beliefs[rows[places]], known, at_least).value
    sure[rests] = -1
    value[places] = np.where(sure == value[places], value[places], -1)


class SureItems(NamedTuple):
    """Items with open labels whose most probable labelling is sure, in their order.

    `label` is the column of the narrowest label of each labelling, -1 if none holds. `cells` is the
    number of open labels.
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
        """The number of items left out: none, because whole labellings are accepted."""
        return 0

    def draw(self, state: State, places: Ints) -> list[list[Any]]:
        """Return some items as questions of an audit: item, no label, predicted narrowest labels."""
        return [
            [state.ids[self.row[n]], None, self._narrowest(state.onto, n)] for n in places.tolist()
        ]

    def accepted(self, state: State, most: int) -> list[Accepted]:
        """Return the contents of an acceptance of the first `most` items."""
        return [
            Accepted(
                state.ids[self.row[n]], self._narrowest(state.onto, n), float(self.probability[n])
            )
            for n in range(min(most, len(self.row)))
        ]

    def _narrowest(self, onto: Ontology, n: int) -> list[str]:
        return [] if self.label[n] < 0 else [onto.labels[int(self.label[n])]]


def find_sure_items(state: State, at_least: float, *, as_of: int | None = None) -> SureItems:
    """Return all sure items; with `as_of`, only those that were sure at that event too."""
    labelling, probability = most_probable_labellings(state)
    rows = rows_in_use(state, as_of)
    rows = rows[(probability[rows] >= at_least) & (state.facts[rows] < 0).any(axis=1)]
    if as_of is not None:
        rows = rows[_was_sure(state, rows, labelling, at_least, as_of)]
    cells = int(np.count_nonzero(state.facts[rows] < 0))
    return SureItems(rows, narrowest_labels(state.onto, labelling[rows]), probability[rows], cells)


def _was_sure(state: State, rows: Ints, labelling: Facts, at_least: float, as_of: int) -> Ints:
    """Return the positions in `rows` of items that were sure at event `as_of`, with the same labelling.

    Only items with events since then can differ, because the model is the same.
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
    """Return the column of the narrowest label of each labelling, -1 if none holds.

    `labelling` is (N, K); the ontology must have exactly one choice.
    """
    (choice,) = onto.choices
    on = labelling[:, choice.labels] == 1
    narrow = on.copy()
    for j in np.flatnonzero(choice.parent >= 0).tolist():
        narrow[:, choice.parent[j]] &= ~on[:, j]
    return np.where(narrow.any(axis=1), choice.labels[narrow.argmax(axis=1)], -1)


def labellings(onto: Ontology, narrowest: Sequence[Sequence[str]]) -> Facts:
    """Return the labelling, (N, K), of each row of narrowest labels."""
    rows = np.full((len(narrowest), len(onto)), -1, np.int8)
    for i, labels in enumerate(narrowest):
        rows[i, [onto.index[label] for label in labels]] = 1
    known = onto.propagate(rows)
    return np.where(known < 0, 0, known).astype(np.int8)


Unit = Literal["items", "cells"]


def unit_of(onto: Ontology) -> Unit:
    """Return the unit of an audit: items if one pick settles each item, else cells."""
    return "items" if holds_one(onto) else "cells"


def find_sure(state: State, at_least: float, *, as_of: int | None = None) -> SureItems | SureCells:
    """Return all sure predictions; with `as_of`, only those that were sure at that event too."""
    find = find_sure_items if unit_of(state.onto) == "items" else find_sure_cells
    return find(state, at_least, as_of=as_of)
