"""A log that this version cannot replay: the state before the first bad event, and ways out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..events import ONTOLOGY, SETTINGS, UNDO, Event
from .event_log import EventLog
from .state import State

#: Kinds of events that may repair such a log.
REPAIRS = (UNDO, SETTINGS, ONTOLOGY)
Derive = Callable[[Sequence[Event]], State]


class Unreadable(CorollaryError):
    """A campaign is read only, because its log cannot be replayed."""


@dataclass(frozen=True)
class Trouble:
    """The first event that cannot be applied, and the reason.

    `whole` is the state before that event, with the whole log.
    """

    event: Event
    reason: str
    whole: State
    derive: Derive

    def __str__(self) -> str:
        event = self.event
        about = "" if event.item is None else f" about item {event.item!r}"
        return (
            f"event {event.seq} ({event.kind} by {event.who}{about}) cannot be applied: {self.reason}. "
            "The campaign is read only, as it was before that event. A lead can undo an event, "
            "change a setting or put another ontology in force"
        )

    def check(self, events: Sequence[Event]) -> None:
        """Raise Unreadable if the log cannot be replayed with these events either."""
        try:
            self.derive([*self.whole.events, *events])
        except Exception as error:
            raise Unreadable(f"this does not help: {reason_of(error)}. Still, {self}") from error


def derive_or_tell(
    derive: Derive, events: Sequence[Event], ontologies: dict[int, Ontology]
) -> State:
    """Return the state of a log, or the state before its first bad event with `trouble` set.

    Parameters
    ----------
    derive
        Makes the state of a list of events, and fails if it cannot.
    events
        The whole log, in order.
    ontologies
        The ontologies that `derive` uses, by version.
    """
    try:
        return derive(events)
    except Exception as error:
        # the events before `low` can be derived, those before `high` cannot
        low = 0
        state = derive([])
        high = len(events)
        reason = reason_of(error)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            low = middle
            state = derive(events[:middle])
        except Exception as error:
            high = middle
            reason = reason_of(error)
    log = EventLog(ontologies, state.start)
    log.ontologies = ontologies
    for event in events:
        log.note(event)
    whole = copy(state)
    whole.__dict__.update(log.__dict__)
    state.trouble = whole.trouble = Trouble(events[high - 1], reason, whole, derive)
    return state


def reason_of(error: Exception) -> str:
    """Return the first line of an error."""
    line = str(error).partition("\n")[0].rstrip(".")
    return line if isinstance(error, CorollaryError) and line else f"{type(error).__name__}: {line}"
