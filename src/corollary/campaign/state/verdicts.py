"""Which answers are improbable, for campaigns whose annotators can be wrong.

The log keeps this, so that the current labels follow from the log alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..events import DOUBTED, TRUST, Event
from .event_log import is_about_item
from .fallible_session import FallibleSession
from .standing import Doubted, what_is_said
from .state import State
from .weighing import doubted_of


def with_verdict(state: State, event: Event) -> Event:
    """Return the event to be logged, with the answers about its item that it makes improbable."""
    if not isinstance(state.session, FallibleSession) or not is_about_item(event):
        return event
    item = str(event.item)
    said = what_is_said([*state.of_item.get(item, ()), event], state.onto, state.statements)
    likely = state.session.likely(state.row(item), state.hearings.of(said))
    doubted = doubted_of(said, likely, state.onto)
    if doubted == state.doubted.get(item, frozenset()):
        return event
    return replace(event, detail={**(event.detail or {}), DOUBTED: _listed(doubted)})


def verdicts(state: State) -> dict[str, object]:
    """Return details for the event of a model: reliabilities, and items with other doubts now."""
    if not isinstance(state.session, FallibleSession):
        return {}
    items = [item for item, one in state.standings.items() if one.said.opinions]
    likely = state.session.likely_all(np.array([state.row(item) for item in items], np.int64))
    changed = {}
    for item, row in zip(items, likely, strict=True):
        doubted = doubted_of(state.standings[item].said, row, state.onto)
        if doubted != state.doubted.get(item, frozenset()):
            changed[item] = _listed(doubted)
    return {TRUST: state.session.trust(), DOUBTED: changed}


def _listed(doubted: Doubted) -> list[list[int | str]]:
    return [[seq, label] for seq, label in sorted(doubted)]
