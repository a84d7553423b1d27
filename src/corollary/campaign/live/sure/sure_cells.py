"""What the model in use is sure of: whole items where one label holds for each, else single cells."""

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
    """What an acceptance stores of an item: the values, and the probability of each or of all together."""

    item: str
    value: dict[str, bool] | list[str]
    probability: dict[str, float] | float


def rows_in_use(state: State, as_of: int | None = None) -> Ints:
    """The rows of items without a conflict that were not withdrawn; with `as_of` those that were there then."""
    resting = [
        state.row(item) for item in (*state.held, *state.withdrawn) if state.standing_of(item).rests
    ]
    rows: Ints = np.setdiff1d(np.arange(len(state.ids)), resting)
    if as_of is None:
        return rows
    added = sum(event.value for event in state.events[as_of:] if event.kind == ITEMS)
    return rows[: np.searchsorted(rows, len(state.ids) - added)]


def rows_said_since(state: State, rows: Ints, as_of: int) -> Ints:
    """The places in `rows` of items about which something was said after an event."""
    since = {state.row(event.item) for event in state.events[as_of:] if event.item is not None}
    return np.flatnonzero(np.isin(rows, list(since)))


def known_after(state: State, rows: Ints, as_of: int) -> tuple[Facts, npt.NDArray[np.bool_]]:
    """What was known of some items after an event, and which of them nobody was asked about then."""
    items = [state.ids[i] for i in rows.tolist()]
    before = {
        item: [event for event in state.of_item[item] if event.seq <= as_of] for item in items
    }
    then = stand_all(before, state.onto, state.statements, doubted=state.doubts)
    return then.known, np.array([one.rests for one in then.standings], np.bool_)


class SureCells(NamedTuple):
    """Cells in the order of items and labels: their row, label and value, and how probable that is.

    `left_out` counts the items of which nothing is among them because something that is not sure would follow.
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
        """Some of them as questions of an audit: item, label and what is predicted."""
        return [
            [state.ids[i], state.onto.labels[k], bool(value)]
            for i, k, value in zip(
                self.row[places], self.label[places], self.value[places], strict=True
            )
        ]

    def accepted(self, state: State, most: int) -> list[Accepted]:
        """What an acceptance stores of the first items."""
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
            told = [(state.onto.labels[k], value, p) for _, k, value, p in of_item]
            values = {label: value for label, value, _ in told}
            chances = {label: p for label, _, p in told}
            made.append(Accepted(state.ids[row], values, chances))
        return made


class Values(NamedTuple):
    """Of each cell what is sure, -1 where nothing is, (N, K); how probable that is; which rows are left out, (N,)."""

    value: Facts
    probability: Floats
    left_out: npt.NDArray[np.bool_]


def sure_values(onto: Ontology, beliefs: Floats, facts: Facts, at_least: float) -> Values:
    """What is sure of some items.

    Values are those of the most probable legal labelling, so that together they contradict nothing. Each of many may
    be sure while what follows from all of them is not (of 200 classes 199 are improbable, and one must be it): such
    items are left out.
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
    """All that is sure now; with `as_of` what was so after that event too, by the same model."""
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
    """Leave of what is sure, in place, what was so after an event: else it was not among what was drawn from.

    Only items of which something was said since can differ: the model is the same.
    """
    places = rows_said_since(state, rows, as_of)
    if not len(places):
        return
    known, rests = known_after(state, rows[places], as_of)
    sure = sure_values(state.onto, state.session.beliefs[rows[places]], known, at_least).value
    sure[rests] = -1
    value[places] = np.where(sure == value[places], value[places], -1)


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


Unit = Literal["items", "cells"]


def unit_of(onto: Ontology) -> Unit:
    """What is drawn, and what the share of wrong ones is of: items where one pick settles each item, else cells."""
    return "items" if holds_one(onto) else "cells"


def find_sure(state: State, at_least: float, *, as_of: int | None = None) -> SureItems | SureCells:
    """All that the model is sure of now; with `as_of` only that of which it was also sure after that event."""
    find = find_sure_items if unit_of(state.onto) == "items" else find_sure_cells
    return find(state, at_least, as_of=as_of)
