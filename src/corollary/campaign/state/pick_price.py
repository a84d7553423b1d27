"""What questions cost people, in yes/no questions: as measured by their seconds, once there is something to measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from ...learning.choosing.picks import PRICE, Asks, asks, item_price
from ...learning.choosing.question_worth import price_list
from ...logic.engines import Floats
from ...logic.ontology import Ontology
from ..events import ANSWER, Event
from ..settings import MEASURED, Settings

#: So many of each are measured before it counts; at most so many, the latest.
ENOUGH, LATEST = 20, 500
#: Whatever was measured, a pick costs at least and at most so many yes/no questions.
LEAST, MOST = 1.0, 20.0
#: And yes or no about one label at least and at most so many of the usual ones.
EASIEST, HARDEST = 0.2, 5.0


def asked_for(settings: Settings, onto: Ontology) -> Asks:
    """Whether people are asked yes or no, for all labels of an item, or both."""
    return asks(settings.pick, settings.item_cost, onto)


def prices(settings: Settings, onto: Ontology, events: Sequence[Event]) -> Floats:
    """What each question costs, (K+1,): yes or no about each label, and last all labels of an item at once."""
    costs = measured_costs(events, onto) if settings.costs == MEASURED else {}
    return price_list(onto, costs, price_of_item(settings, onto, events, costs), asked=asked_for(settings, onto))


def price_of_item(
    settings: Settings, onto: Ontology, events: Sequence[Event], costs: Mapping[str, float] | None = None
) -> float | None:
    """What a question for all labels of an item costs: as set by hand, or by how long picks take; None: never asked."""
    if settings.item_cost is not None or asked_for(settings, onto) == "labels":
        return settings.item_cost
    return item_price(onto, costs or {}, measured_price(events))


def measured_price(events: Sequence[Event]) -> float:
    """How many yes/no questions a person answers in the time of one pick, by the median of the latest of each."""
    yes_no: list[float] = []
    picks: list[float] = []
    for label, seconds in _timed(reversed(events)):
        (picks if label is None else yes_no).append(seconds)
        if len(picks) >= LATEST <= len(yes_no):
            break
    picks, yes_no = picks[:LATEST], yes_no[:LATEST]
    return _times_as_long(picks, yes_no, LEAST, MOST) or PRICE


def measured_costs(events: Iterable[Event], onto: Ontology) -> dict[str, float]:
    """How many usual yes/no questions a person answers in the time of one about each label, where that is measured."""
    every: list[float] = []
    of_label: dict[str, list[float]] = {label: [] for label in onto.labels}
    for label, seconds in _timed(events):
        if label is not None:
            every.append(seconds)
            of_label.setdefault(label, []).append(seconds)
    costs = {label: _times_as_long(of_label[label], every, EASIEST, HARDEST) for label in onto.labels}
    return {label: cost for label, cost in costs.items() if cost is not None}


def _timed(events: Iterable[Event]) -> Iterator[tuple[str | None, float]]:
    """The label of each answer, None for a pick, and its seconds; second opinions take yes or no like any other."""
    for event in events:
        if event.kind == ANSWER and event.seconds is not None and not isinstance(event.value, str):
            yield event.label, event.seconds


def _times_as_long(some: list[float], usual: list[float], least: float, most: float) -> float | None:
    """How much longer some take, within bounds; None where too few were measured, or no clock can tell."""
    if min(len(some), len(usual)) < ENOUGH:
        return None
    long, short = median(some[-LATEST:]), median(usual[-LATEST:])
    return min(max(long / short, least), most) if short > 0 else None
