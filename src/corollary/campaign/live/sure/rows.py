"""Which items the model may be sure of, and what was known of them when an audit drew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.engines import Facts
from ...events import ITEMS
from ...state.standing_of_many import stand_all
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
