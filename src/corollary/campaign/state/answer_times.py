"""How long people take to answer, by the kind of question; the log has the seconds of each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

from ..events import ANSWER, UNDO, Event

YES_NO, WHOLE_ITEM, SECOND_OPINION, NO_ANSWER = "yes_no", "whole_item", "second_opinion", "no_answer"
#: The kinds, and what people call them. No answer: it was skipped, or they could not tell.
KINDS = {
    YES_NO: "yes/no",
    WHOLE_ITEM: "whole item",
    SECOND_OPINION: "second opinion",
    NO_ANSWER: "skipped or can't tell",
}


def with_kind(events: Iterable[Event]) -> Iterator[tuple[Event, str]]:
    """Every answer of a log, in order, with its kind: also those taken back later, for they took their time.

    A second opinion is a yes or no about a label to which someone else had said yes or no, and not taken it back.
    """
    said: dict[tuple[str | None, str], dict[int, str]] = {}  # of each label of an item the answers, and whose they are
    alone: dict[int, dict[int, str]] = {}  # where each of these is kept
    for event in events:
        if event.kind == UNDO and event.refers in alone:
            alone[event.refers].pop(event.refers, None)
        if event.kind != ANSWER:
            continue
        if isinstance(event.value, str):
            yield event, NO_ANSWER
        elif event.label is None:
            yield event, WHOLE_ITEM
        else:
            before = said.setdefault((event.item, event.label), {})
            yield event, SECOND_OPINION if any(who != event.who for who in before.values()) else YES_NO
            before[event.seq] = event.who
            alone[event.seq] = before


def seconds_by_kind(events: Iterable[Event]) -> dict[str, list[float]]:
    """The seconds of the answers of each kind, in order; of answers that have any."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for event, kind in with_kind(events):
        if event.seconds is not None:
            found[kind].append(event.seconds)
    return found


def answer_times(events: Iterable[Event]) -> dict[str, dict[str, Any]]:
    """Of each kind how many answers there are, of how many the time is known, its median and its sum, in seconds."""
    events = list(events)
    answers = Counter(kind for _, kind in with_kind(events))
    return {
        kind: {
            "answers": answers[kind],
            "timed": len(seconds),
            "median": median(seconds) if seconds else None,
            "total": sum(seconds),
        }
        for kind, seconds in seconds_by_kind(events).items()
    }
