"""How a campaign grew: questions asked and labels settled after every event, worked out once for each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..events import ANSWER, SKIP, UNDO, Event
from ..state.standing import NOTHING, Closure, Standing
from ..state.standing_of_many import stand_all
from ..state.tally import Tally, Untouched

#: So many events are worked out at once, at most: their rows must fit into memory.
AT_ONCE = 4096


@dataclass(frozen=True)
class Curve:
    """Of each number of questions asked, how many labels were settled, and how many of these people said."""

    asked: list[int]
    answered: list[int]
    settled: list[int]

    def thinned(self, most: int = 200) -> Curve:
        """At most so many points, the first and the last among them."""
        n = len(self.asked)
        rows = range(n) if n <= most else np.unique(np.linspace(0, n - 1, most).round().astype(np.int64)).tolist()
        return Curve(*([series[i] for i in rows] for series in (self.asked, self.answered, self.settled)))


class Growth:
    """What every event did under one ontology. Events come in order; what is past never changes."""

    def __init__(self, onto: Ontology, closure: Closure):
        self._onto, self._closure, self._untouched = onto, closure, Untouched.of(onto)
        self._now: dict[str, tuple[Standing, Facts, Tally]] = {}
        self._asks: dict[int, int] = {}
        self._points: dict[int, tuple[int, int]] = {0: (0, 0)}
        self._asked = self._answered = self._settled = 0
        self.of_item: dict[str, list[Event]] = {}
        self.last: Event | None = None
        #: By seq how many more labels an event settled, or fewer.
        self.gains: dict[int, int] = {}
        #: Answers to what others had said, or what was known already.
        self.second: set[int] = set()

    @property
    def seq(self) -> int:
        """The last event taken."""
        return 0 if self.last is None else self.last.seq

    def extend(self, events: Sequence[Event]) -> set[str]:
        """Take the events that came since; the items they are about."""
        about = [event for event in events if event.item is not None]
        for start in range(0, len(about), AT_ONCE):
            self._take(about[start : start + AT_ONCE])
        if events:
            self.last = events[-1]
        return {str(event.item) for event in about}

    def curve(self) -> Curve:
        """Up to what is asked now: where answers were taken back, the later state counts."""
        asked = sorted(asked for asked in self._points if asked <= self._asked)
        return Curve(asked, *(list(one) for one in zip(*(self._points[x] for x in asked), strict=True)))

    def _take(self, events: Sequence[Event]) -> None:
        until: dict[str, Sequence[Event]] = {}
        for event in events:
            of_item = self.of_item.setdefault(str(event.item), [])
            of_item.append(event)
            until[str(event.seq)] = tuple(of_item)
        found = stand_all(until, self._onto, self._closure)
        tallies = Tally.each(found.standings, found.known, self._untouched)
        for step in zip(events, found.standings, found.known, tallies, strict=True):
            self._step(*step)

    def _step(self, event: Event, after: Standing, known: Facts, now: Tally) -> None:
        item = str(event.item)
        before, was, tally = self._now.get(item, (NOTHING, self._untouched.known, Tally()))
        if self._is_second(event, before, was):
            self.second.add(event.seq)
        self._now[item] = (after, known.copy(), now)
        self.gains[event.seq] = now.settled - tally.settled
        self._settled += now.settled - tally.settled
        self._answered += _said(now) - _said(tally)
        self._asks[event.seq] = self._questions(event)
        self._asked += self._asks[event.seq]
        self._points[self._asked] = (self._answered, self._settled)

    def _questions(self, event: Event) -> int:
        if event.kind == UNDO and event.refers is not None:
            return -self._asks.get(event.refers, 0)
        return int(event.kind == ANSWER and event.value != SKIP)

    def _is_second(self, event: Event, before: Standing, was: Facts) -> bool:
        if event.kind != ANSWER or not isinstance(event.value, bool) or event.label is None:
            return False
        others = before.said.opinions.get(event.label, {}).keys() - {event.who}
        k = self._onto.index.get(event.label)
        mine = event.who in before.said.opinions.get(event.label, {})
        return bool(others) or (k is not None and bool(was[k] >= 0) and not mine)


def _said(tally: Tally) -> int:
    return tally.answered + tally.decided + tally.imported + tally.accepted
