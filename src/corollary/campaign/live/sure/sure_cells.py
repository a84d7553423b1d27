"""What the model in use is sure of: cells that nobody settled yet, each predicted with at least some probability."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.engines import Facts, Floats
from ....logic.ontology import Ontology
from ...state.most_probable import AT_ONCE
from ...state.state import Ints, State
from .rows import Accepted, known_after, rows_in_use, rows_said_since


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
