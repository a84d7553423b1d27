"""What the model in use is sure of: cells that nobody settled yet, each predicted with at least some probability."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.engines import Facts, Floats
from ....logic.ontology import Ontology
from ...events import ITEMS
from ...state.standing_of_many import stand_all
from ...state.state import Ints, State

#: Cells that are worked on at once: so many take no memory to speak of.
AT_ONCE = 2_000_000


class Sure(NamedTuple):
    """Cells in the order of items and labels: their row, label and value, and how probable that is.

    `left_out` counts the items of which nothing is among them because something that is not sure would follow.
    """

    row: Ints
    label: Ints
    value: npt.NDArray[np.bool_]
    probability: Floats
    left_out: int

    @property
    def items(self) -> int:
        """Of how many items the cells are."""
        return len(np.unique(self.row))


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


def find_sure(state: State, at_least: float, *, as_of: int | None = None) -> Sure:
    """All that is sure now; with `as_of` what was so after that event too, by the same model."""
    resting = [state.row(item) for item in (*state.held, *state.withdrawn) if state.standing_of(item).rests]
    rows = np.setdiff1d(np.arange(len(state.ids)), resting)
    if as_of is not None:
        added = sum(event.value for event in state.events[as_of:] if event.kind == ITEMS)
        rows = rows[rows < len(state.ids) - added]
    at_once, beliefs = max(1, AT_ONCE // max(1, len(state.onto))), state.session.beliefs
    found, left_out = [], 0
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        sure = sure_values(state.onto, beliefs[part], state.facts[part], at_least)
        if as_of is not None:
            _keep_earlier(sure.value, part, state, at_least, as_of)
        i, k = np.nonzero(sure.value >= 0)
        found.append((part[i], k, sure.value[i, k] == 1, sure.probability[i, k]))
        left_out += int(sure.left_out.sum())
    if not found:
        return Sure(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0), 0)
    row, label, value, probability = (np.concatenate(column) for column in zip(*found, strict=True))
    return Sure(row, label, value, probability, left_out)


def _keep_earlier(value: Facts, rows: Ints, state: State, at_least: float, as_of: int) -> None:
    """Leave of what is sure, in place, what was so after an event: else it was not among what was drawn from.

    Only items of which something was said since can differ: the model is the same.
    """
    since = {state.row(event.item) for event in state.events[as_of:] if event.item is not None}
    places = np.flatnonzero(np.isin(rows, list(since)))
    if not len(places):
        return
    items = [state.ids[i] for i in rows[places].tolist()]
    before = {item: [event for event in state.of_item[item] if event.seq <= as_of] for item in items}
    then = stand_all(before, state.onto, state.statements, doubted=state.doubts)
    sure = sure_values(state.onto, state.session.beliefs[rows[places]], then.known, at_least).value
    sure[[one.rests for one in then.standings]] = -1
    value[places] = np.where(sure == value[places], value[places], -1)
