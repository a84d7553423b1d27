"""An acceptance that is not finished, because its next batch is still to be written."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from ...events import GROUP, LEFT
from ...state.state import State
from .audits import IN_USE, PATIENCE, Audit, last_audit
from .sure_cells import find_sure

#: New models wait at most this long after the last batch of an acceptance.
PAUSE = timedelta(minutes=10)


class UnderWay(NamedTuple):
    """A group of acceptances: its audit, and the number of items done and left."""

    group: str
    audit: int
    done: int
    left: int


def under_way(state: State) -> UnderWay | None:
    """Return the acceptance that is not finished; None if there is none that can go on."""
    audit = _goes_on(state)
    if audit is None or state.last_accepted is None:
        return None
    group = (state.last_accepted.detail or {})[GROUP]
    left = find_sure(
        state, audit.at_least, as_of=audit.seq
    ).items  # people may have answered the rest
    return UnderWay(group, audit.seq, len(state.of_group[group]), left) if left else None


def _goes_on(state: State) -> Audit | None:
    """Return the audit of the last acceptance; None if that is finished or cannot go on."""
    last = state.last_accepted
    detail = {} if last is None else last.detail or {}
    if not detail.get(LEFT):
        return None
    audit = last_audit(state)
    events = state.of_group[detail[GROUP]]
    if audit is None or (audit.seq, audit.state) != (detail["audit"], "passed"):
        return None
    return None if any(event.seq in state.taken_back for event in events) else audit


def holds_models(state: State, now: str) -> bool:
    """Whether a new model has to wait, because an acceptance still needs the current one."""
    last = state.last_accepted
    return last is not None and _goes_on(state) is not None and _since(last.at, now) < PAUSE


def holds_training(state: State, now: str) -> bool:
    """Whether training has to wait, because a new model would outdate an audit or an acceptance."""
    if not state.audits:
        return False
    if state.audits[-1].seq in state.used_audits:
        return holds_models(state, now)
    audit = last_audit(state)
    return (
        _since(state.audits[-1].at, now) < PATIENCE and audit is not None and audit.state in IN_USE
    )


def _since(at: str, now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.fromisoformat(at)
