"""What a pick ("which is it?") costs people, in yes/no questions: as measured, once there is something to measure."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from ...learning.choosing.picks import PRICE, Asks, asks, item_price
from ...logic.ontology import Ontology
from ..events import ANSWER, Event
from ..settings import Settings

#: So many of each are measured before it counts; at most so many, the latest.
ENOUGH, LATEST = 20, 500
#: Whatever was measured, a pick costs at least and at most so many yes/no questions.
LEAST, MOST = 1.0, 20.0


def asked_for(settings: Settings, onto: Ontology) -> Asks:
    """Whether people are asked yes or no, for all labels of an item, or both."""
    return asks(settings.pick, settings.item_cost, onto)


def price_of_item(settings: Settings, onto: Ontology, events: Iterable[Event]) -> float | None:
    """What a question for all labels of an item costs: as set by hand, or by how long picks take; None: never asked."""
    if settings.item_cost is not None or asked_for(settings, onto) == "labels":
        return settings.item_cost
    return item_price(onto, {}, measured_price(events))


def measured_price(events: Iterable[Event]) -> float:
    """How many yes/no questions a person answers in the time of one pick, by the median of each."""
    yes_no: list[float] = []
    picks: list[float] = []
    for event in events:
        if event.kind != ANSWER or event.seconds is None or isinstance(event.value, str):
            continue
        (picks if event.label is None else yes_no).append(event.seconds)
    if min(len(yes_no), len(picks)) < ENOUGH:
        return PRICE
    short, long = median(yes_no[-LATEST:]), median(picks[-LATEST:])
    return min(max(long / short, LEAST), MOST) if short > 0 else PRICE
