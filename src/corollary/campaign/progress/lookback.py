"""The log for a lead: everybody's answers, the last first, and whether each is still in effect."""

from __future__ import annotations

from ..events import ACCEPT, ANSWER, DECISION, DOUBT, FACT, FLAG, GOLD, WITHDRAW, Event
from ..reading.views import Remembered
from ..state.standing import taken_back
from ..state.state import State

#: Kinds of events that a lead may look through.
LOOKED_THROUGH = (ANSWER, DECISION, GOLD, FLAG, DOUBT, FACT, WITHDRAW, ACCEPT)


def look_back(
    state: State,
    *,
    who: str | None = None,
    item: str | None = None,
    label: str | None = None,
    kind: str | None = None,
    limit: int = 50,
    before: int | None = None,
) -> list[Remembered]:
    """Return answers, the last first, filtered by person, item, label and kind.

    `before` goes on from an event.

    An answer taken back, or rejected by a decision in effect, is no longer in effect.
    """
    if item is not None:
        events = state.of_item.get(item, [])
    elif who is not None:
        events = state.of_person.get(who, [])
    else:
        events = state.events
    found: list[Remembered] = []
    for event in reversed(events):
        if len(found) == limit:
            break
        if (before is None or event.seq < before) and _fits(event, who, label, kind):
            found.append(Remembered(event, is_in_effect(state, event)))
    return found


def is_in_effect(state: State, event: Event) -> bool:
    """Whether an event was neither taken back nor rejected by a decision in effect."""
    if event.seq in state.taken_back:
        return False
    return event.item is None or event.seq not in taken_back(state.of_item[event.item])[1]


def _fits(event: Event, who: str | None, label: str | None, kind: str | None) -> bool:
    return (
        event.kind in LOOKED_THROUGH
        and (who is None or event.who == who)
        and (label is None or event.label == label)
        and (kind is None or kind_of(event) == kind)
    )


def kind_of(event: Event) -> str:
    """Return the kind of an event for a lead: of an answer its value, of all others their kind."""
    if event.kind != ANSWER:
        return event.kind
    if isinstance(event.value, bool):
        return "yes" if event.value else "no"
    return event.value if isinstance(event.value, str) else "whole"
