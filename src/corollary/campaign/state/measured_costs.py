"""The cost of a question, in yes/no questions: set by a lead, or measured by the seconds that people take."""

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


#: So many picks and yes/no answers are measured before the price of a pick counts, and of each label as many answers
#: as usual are taken to have come before; at most so many count, the latest.
ENOUGH = 20
LATEST = 500
#: Whatever was measured, a pick costs at least and at most so many yes/no questions.
LEAST = 1.0
MOST = 20.0
#: And yes or no about one label at least and at most so many of the usual ones.
EASIEST = 0.2
HARDEST = 5.0


def asked_for(settings: Settings, onto: Ontology) -> Asks:
    """Whether people are asked yes or no, for all labels of an item, or both."""
    return asks(settings.pick, settings.item_cost, onto)


def holds_one(onto: Ontology) -> bool:
    """Whether one label, with those above it, or none holds for each item: one pick settles it."""
    return is_one_pick(onto, onto.propagate(np.full((1, len(onto)), -1, np.int8))[0])


def prices(settings: Settings, onto: Ontology, events: Sequence[Event]) -> Floats:
    """What each question costs, (K+1,): yes or no about each label, and last all labels of an item at once."""
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
    """What a question for all labels of an item costs: as set by hand, or by how long picks take; None: never asked.

    It is in the same unit as what yes or no about each label costs.
    """
    if settings.item_cost is not None or asked_for(settings, onto) == "labels":
        return settings.item_cost
    usual = usual_seconds(_by_label(events, onto)) if settings.costs == MEASURED else None
    return item_price(onto, costs or {}, measured_price(events, usual=usual))


def measured_price(events: Sequence[Event], *, usual: float | None = None) -> float:
    """How many yes/no questions a person answers in the time of one pick, by the median of the latest of each.

    `usual` is how long a yes/no question takes, if that is not to be the median of the latest.
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
    """How many usual yes/no questions a person answers in the time of one about each label, where that is measured.

    The median of a label's seconds over the usual, as if ENOUGH answers that took as long as usual had come before:
    few answers tell little.
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
    """How long yes or no takes about the label in the middle: the median of the labels' medians.

    However often each was asked: a slow label that is asked most is not the measure. None if no clock can tell.
    """
    usual = median(median(seconds[-LATEST:]) for seconds in of_label.values()) if of_label else 0.0
    return usual if usual > 0 else None


def _by_label(events: Iterable[Event], onto: Ontology) -> dict[str, list[float]]:
    """The seconds of the yes/no answers about each label that was ever timed."""
    found: dict[str, list[float]] = {}
    for label, seconds in _timed(events):
        if label in onto.index:
            found.setdefault(str(label), []).append(seconds)
    return found


def _timed(events: Iterable[Event]) -> Iterator[tuple[str | None, float]]:
    """The label of each answer, None for a pick, and its seconds; second opinions take yes or no like any other."""
    for event in events:
        if event.kind == ANSWER and event.seconds is not None and not isinstance(event.value, str):
            yield event.label, event.seconds


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)
