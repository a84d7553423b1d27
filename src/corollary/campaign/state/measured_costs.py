"""The cost of a question, in yes/no questions: set by a lead, or measured in seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Self

import numpy as np

from ...learning.choosing.picks import PRICE, Asks, asks, is_one_pick, item_price
from ...learning.choosing.question_worth import price_list
from ...logic.engines import Floats
from ...logic.ontology import Ontology
from ..events import ANSWER, UNDO, Event
from ..settings import MEASURED, Settings

YES_NO = "yes_no"
WHOLE_ITEM = "whole_item"
SECOND_OPINION = "second_opinion"
NO_ANSWER = "no_answer"
#: The kinds of answers, with their names on the page. A skip and "can't tell" are both no answer.
KINDS = {
    YES_NO: "yes/no",
    WHOLE_ITEM: "whole item",
    SECOND_OPINION: "second opinion",
    NO_ANSWER: "skipped or can't tell",
}
#: In sums an answer counts with at most this many seconds. Whoever took longer was away, and one
#: question left open overnight would outweigh all others.
LONGEST = 300.0


def with_kind(
    events: Iterable[Event], of_item: dict[str, list[Event]] | None = None
) -> Iterator[tuple[Event, str]]:
    """Yield every answer of a log, in order, with its kind.

    Answers that were taken back later are included, because they took time too.

    Parameters
    ----------
    events
        The events to look at.
    of_item
        Earlier answers and undos of each item. These events are added to it.
    """
    of_item = {} if of_item is None else of_item
    for event in events:
        if event.kind in (ANSWER, UNDO) and event.item is not None:
            before = of_item.setdefault(event.item, [])
            if event.kind == ANSWER:
                yield event, kind_of(event, before)
            before.append(event)


def kind_of(answer: Event, before: Sequence[Event]) -> str:
    """Return the kind of an answer, given the earlier events about its item.

    A yes or no is a second opinion if someone else's yes or no about that label is in effect.
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
    """The seconds of a log's answers by kind; each event is read once, while the log grows."""

    def __init__(self) -> None:
        self._seen = 0
        self._of_item: dict[str, list[Event]] = {}
        self._answers: Counter[str] = Counter()
        self._seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}

    def follow(self, log: Sequence[Event]) -> Self:
        """Add the events that came since the last call."""
        for event, kind in with_kind(log[self._seen :], self._of_item):
            self._answers[kind] += 1
            if event.seconds is not None:
                self._seconds[kind].append(event.seconds)
        self._seen = len(log)
        return self

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return the figures of each kind of answer.

        Returns
        -------
        dict
            By kind: the number of `answers`, the number with a known time (`timed`), `median` and
            `total` of their seconds. In the total, each counts with at most LONGEST seconds; `cut`
            counts the answers that took longer.
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


#: A pick has a measured price after this many timed picks and yes/no answers. The cost of each label
#: is smoothed with this many answers of usual length.
ENOUGH = 20
#: Only this many of the latest answers count.
LATEST = 500
#: The least and the most that a pick costs, in yes/no questions.
LEAST = 1.0
MOST = 20.0
#: The least and the most that yes or no about one label costs, in usual yes/no questions.
EASIEST = 0.2
HARDEST = 5.0


def asked_for(settings: Settings, onto: Ontology) -> Asks:
    """Return whether people are asked yes or no, for all labels of an item, or both."""
    return asks(settings.pick, settings.item_cost, onto)


def holds_one(onto: Ontology) -> bool:
    """Whether each item has at most one label, with those above it, so that one pick settles it."""
    return is_one_pick(onto, onto.propagate(np.full((1, len(onto)), -1, np.int8))[0])


def prices(settings: Settings, onto: Ontology, events: Sequence[Event]) -> Floats:
    """Return the cost of each question, (K+1,): yes or no about each label, then the whole item."""
    costs = measured_costs(events, onto) if settings.costs == MEASURED else {}
    return price_list(
        onto, costs, price_of_item(settings, onto, events, costs), asked=asked_for(settings, onto)
    )


def price_of_item(
    settings: Settings,
    onto: Ontology,
    events: Sequence[Event],
    costs: Mapping[str, float] | None = None,
) -> float | None:
    """Return the cost of the question for all labels of an item, in yes/no questions.

    It is set by a lead, or measured by the time that picks take. None if it is never asked.
    """
    if settings.item_cost is not None or asked_for(settings, onto) == "labels":
        return settings.item_cost
    usual = usual_seconds(_by_label(events, onto)) if settings.costs == MEASURED else None
    return item_price(onto, costs or {}, measured_price(events, usual=usual))


def measured_price(events: Sequence[Event], *, usual: float | None = None) -> float:
    """Return the number of yes/no questions that a person answers in the time of one pick.

    It is the ratio of the medians of the latest answers. `usual` replaces the median of the yes/no
    questions, in seconds.
    """
    yes_no: list[float] = []
    picks: list[float] = []
    for label, seconds in _timed(reversed(events)):
        (picks if label is None else yes_no).append(seconds)
        if len(picks) >= LATEST <= len(yes_no):
            break
    if min(len(picks), len(yes_no)) < ENOUGH:
        return PRICE
    short = median(yes_no[:LATEST]) if usual is None else usual
    return _within(median(picks[:LATEST]) / short, LEAST, MOST) if short > 0 else PRICE


def measured_costs(events: Iterable[Event], onto: Ontology) -> dict[str, float]:
    """Return the measured cost of yes or no about each label, in usual yes/no questions.

    It is the median of the label's seconds over the usual seconds, smoothed with ENOUGH answers of
    usual length. So few answers change little. Labels without a timed answer are left out.
    """
    of_label = _by_label(events, onto)
    usual = usual_seconds(of_label)
    if usual is None:
        return {}
    costs = {}
    for label, seconds in of_label.items():
        n = len(seconds)
        times_as_long = _within(median(seconds[-LATEST:]) / usual, EASIEST, HARDEST)
        costs[label] = (n * times_as_long + ENOUGH) / (n + ENOUGH)
    return costs


def usual_seconds(of_label: Mapping[str, Sequence[float]]) -> float | None:
    """Return the usual seconds of a yes or no: the median of the labels' medians, or None.

    Each label counts once, so that a slow label that is asked often does not decide alone.
    """
    usual = median(median(seconds[-LATEST:]) for seconds in of_label.values()) if of_label else 0.0
    return usual if usual > 0 else None


def _by_label(events: Iterable[Event], onto: Ontology) -> dict[str, list[float]]:
    """Return the seconds of the yes/no answers about each label with a timed answer."""
    found: dict[str, list[float]] = {}
    for label, seconds in _timed(events):
        if label in onto.index:
            found.setdefault(str(label), []).append(seconds)
    return found


def _timed(events: Iterable[Event]) -> Iterator[tuple[str | None, float]]:
    """Yield label and seconds of each answer; the label of a pick is None."""
    for event in events:
        if event.kind == ANSWER and event.seconds is not None and not isinstance(event.value, str):
            yield event.label, event.seconds


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)
