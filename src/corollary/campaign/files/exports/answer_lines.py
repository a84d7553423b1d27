"""A line for each answer: who said what of which item, what kind of question it was, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...events import ANSWER, Event
from ...state.answer_times import KINDS, with_kind
from ...state.standing import taken_back
from .cell_lines import word
from .provenance import Snapshot

ANSWERS = ("event", "at", "by", "item", "label", "value", "question", "seconds", "stands")
NONE = "none of these"  # a reply about the whole item that names no label
EVENTS = 5_000  # after so many the progress is told


def answer_rows(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    """The answers of people about these items, in order, also those that were taken back or rejected since.

    The progress is told in items, as large a share of them as of the log.
    """
    people = snapshot.pseudonyms()
    items = {item.id for item in snapshot.items}
    no_longer = set[int]().union(*taken_back(snapshot.events))
    for event, kind in with_kind(_told(snapshot)):
        if event.item in items:
            by = people.get(event.who, event.who)
            stands = word(event.seq not in no_longer)
            said = (event.seq, event.at, by, event.item, event.label, _value(event))
            yield (*said, KINDS[kind], event.seconds, stands)


def count_answers(snapshot: Snapshot) -> int:
    """How many lines these are."""
    items = {item.id for item in snapshot.items}
    return sum(event.kind == ANSWER and event.item in items for event in snapshot.events)


def _told(snapshot: Snapshot) -> Iterator[Event]:
    n = len(snapshot.events)
    items = len(snapshot.items)
    for done, event in enumerate(snapshot.events):
        if done % EVENTS == 0:
            snapshot.progress(done * items // n, items)
        yield event
    snapshot.progress(items, items)


def _value(event: Event) -> str:
    if isinstance(event.value, bool):
        return word(event.value)
    return "; ".join(event.value) or NONE if isinstance(event.value, list) else event.value
