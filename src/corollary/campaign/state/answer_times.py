"""How long people take to answer, by the kind of question; the log has the seconds of each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from ..events import ANSWER, UNDO, Event

YES_NO = "yes_no"
WHOLE_ITEM = "whole_item"
SECOND_OPINION = "second_opinion"
NO_ANSWER = "no_answer"
#: The kinds, and what people call them. No answer: it was skipped, or they could not tell.
KINDS = {
    YES_NO: "yes/no",
    WHOLE_ITEM: "whole item",
    SECOND_OPINION: "second opinion",
    NO_ANSWER: "skipped or can't tell",
}
#: In sums an answer counts with so many seconds, at most: whoever took longer was away, and one question left open
#: overnight would outweigh all others.
LONGEST = 300.0


def with_kind(
    events: Iterable[Event], of_item: dict[str, list[Event]] | None = None
) -> Iterator[tuple[Event, str]]:
    """Every answer of a log, in order, with its kind: also those taken back later, for they took their time.

    `of_item` has the answers of each item, and what took them back, in events before these; it is kept up to date.
    """
    of_item = {} if of_item is None else of_item
    for event in events:
        if event.kind in (ANSWER, UNDO) and event.item is not None:
            before = of_item.setdefault(event.item, [])
            if event.kind == ANSWER:
                yield event, kind_of(event, before)
            before.append(event)


def kind_of(answer: Event, before: Sequence[Event]) -> str:
    """The kind of an answer, by the events about its item before it.

    A second opinion is a yes or no about a label to which someone else had said yes or no, and not taken it back.
    """
    if isinstance(answer.value, str):
        return NO_ANSWER
    if answer.label is None:
        return WHOLE_ITEM
    others = [
        one.seq
        for one in before
        if one.label == answer.label
        and one.who != answer.who
        and one.kind == ANSWER
        and isinstance(one.value, bool)
    ]
    if not others:
        return YES_NO
    undone = {one.refers for one in before if one.kind == UNDO}
    return YES_NO if undone.issuperset(others) else SECOND_OPINION


class AnswerTimes:
    """The seconds of a log's answers by kind; each event is looked at once, while the log grows."""

    def __init__(self) -> None:
        self._seen = 0
        self._of_item: dict[str, list[Event]] = {}
        self._answers: Counter[str] = Counter()
        self._seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}

    def follow(self, log: Sequence[Event]) -> Self:
        """Take the events that came since."""
        for event, kind in with_kind(log[self._seen :], self._of_item):
            self._answers[kind] += 1
            if event.seconds is not None:
                self._seconds[kind].append(event.seconds)
        self._seen = len(log)
        return self

    def figures(self) -> dict[str, dict[str, Any]]:
        """Of each kind how many answers there are, of how many the time is known, its median and sum, in seconds.

        In the sum each is at most LONGEST, and `cut` are those that took longer.
        """
        return {
            kind: {
                "answers": self._answers[kind],
                "timed": len(seconds),
                "median": float(np.median(seconds)) if seconds else None,
                "total": float(sum(min(one, LONGEST) for one in seconds)),
                "cut": sum(one > LONGEST for one in seconds),
            }
            for kind, seconds in self._seconds.items()
        }
