"""How a campaign grew: questions asked and labels settled after every event, worked out once for each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..events import ANSWER, SKIP, UNDO, Event
from ..state.standing import Standing, finding_clashes
from ..state.standing_of_many import stand_all
from ..state.statements import Statements
from ..state.tally import Tally, Untouched
from .plain_log import Ints, PlainLog, step_by_step

#: So many events are worked out at once, at most: their rows must fit into memory.
AT_ONCE = 4096
#: From so many events on the first are taken as columns.
MANY = 2000


@dataclass(frozen=True)
class Curve:
    """Of each number of questions asked the labels that people said, those that are settled, and the items done."""

    asked: list[int]
    answered: list[int]
    settled: list[int]
    done: list[int]

    def thinned(self, most: int = 200) -> Curve:
        """At most so many points, the first and the last among them."""
        n = len(self.asked)
        rows = (
            range(n)
            if n <= most
            else np.unique(np.linspace(0, n - 1, most).round().astype(np.int64)).tolist()
        )
        return Curve(
            *(
                [series[i] for i in rows]
                for series in (self.asked, self.answered, self.settled, self.done)
            )
        )


class Growth:
    """What every event did under one ontology. Events come in order; what is past never changes."""

    def __init__(self, onto: Ontology, statements: Statements):
        self._onto = onto
        self._statements = statements
        self._untouched = Untouched.of(onto)
        self._find = finding_clashes(onto)
        self._asks: dict[int, int] = {}
        #: Of each event about an item its number, the questions it asked, what people said, what is settled since, and
        #: whether the item is done.
        self._did: Ints = np.zeros((0, 5), np.int64)
        self.of_item: dict[str, list[Event]] = {}
        self.last: Event | None = None
        #: The plain items of a long log, while they are at hand.
        self.log: PlainLog | None = None
        #: Answers to what others had said, or what was known already.
        self.second: set[int] = set()

    @property
    def seq(self) -> int:
        """The last event taken."""
        return 0 if self.last is None else self.last.seq

    @property
    def gains(self) -> tuple[Ints, Ints]:
        """Events about items by number, and how many more labels each settled, or fewer."""
        return self._did[:, 0], self._did[:, 3]

    def extend(self, events: Sequence[Event]) -> set[str]:
        """Take the events that came since; the items they are about."""
        about = [event for event in events if event.item is not None]
        if len(about) >= MANY and not self.of_item:
            self._take_all(about)
        else:
            for start in range(0, len(about), AT_ONCE):
                self._take(about[start : start + AT_ONCE])
        if events:
            self.last = events[-1]
        return {str(event.item) for event in about}

    def curve(self) -> Curve:
        """Up to what is asked now: where answers were taken back, the later state counts."""
        asked, answered, settled, done = np.cumsum(
            np.vstack([np.zeros((1, 5), np.int64), self._did]), axis=0
        ).T[1:]
        last = np.full(int(asked.max()) + 1, -1, np.int64)
        last[asked] = np.arange(len(asked))
        rows = last[: asked[-1] + 1]
        rows = rows[rows >= 0]
        return Curve(
            asked[rows].tolist(),
            answered[rows].tolist(),
            settled[rows].tolist(),
            done[rows].tolist(),
        )

    def _take_all(self, events: Sequence[Event]) -> None:
        """The first of a long log: items that are plain all together, the others one by one."""
        for event in events:
            self.of_item.setdefault(str(event.item), []).append(event)
        self.log = log = PlainLog.of(self.of_item, self._onto)
        steps = step_by_step(log, self._onto)
        plain = np.repeat(~steps.clashing, np.diff(log.starts))
        self._did = np.column_stack([log.seq, log.asks, steps.said, steps.settled, steps.done])[
            plain
        ]
        self._asks = dict(zip(log.seq[plain].tolist(), log.asks[plain].tolist(), strict=True))
        self.second.update(log.seq[plain & steps.second].tolist())
        others = {*log.rest, *(log.items[i] for i in np.flatnonzero(steps.clashing).tolist())}
        rest = [event for event in events if event.item in others]
        for item in others:
            del self.of_item[item]
        for start in range(0, len(rest), AT_ONCE):
            self._take(rest[start : start + AT_ONCE])
        self._did = self._did[np.argsort(self._did[:, 0])]

    def _take(self, events: Sequence[Event]) -> None:
        until: dict[str, Sequence[Event]] = {}
        for item in dict.fromkeys(str(event.item) for event in events):
            until[f"before {item}"] = tuple(self.of_item.setdefault(item, []))
        for event in events:
            of_item = self.of_item[str(event.item)]
            of_item.append(event)
            until[str(event.seq)] = tuple(of_item)
        found = stand_all(until, self._onto, self._statements, find=self._find)
        tallies = Tally.each(found.standings, found.known, self._untouched)
        place = {
            name: step
            for name, *step in zip(until, found.standings, found.known, tallies, strict=True)
        }
        now = {str(event.item): place[f"before {event.item}"] for event in events}
        did = []
        for event in events:
            item = str(event.item)
            (before, was, tally) = now[item]
            now[item] = place[str(event.seq)]
            if self._is_second(event, before, was):
                self.second.add(event.seq)
            after = now[item][2]
            self._asks[event.seq] = self._questions(event)
            gained = (
                _said(after) - _said(tally),
                after.settled - tally.settled,
                after.done - tally.done,
            )
            did.append((event.seq, self._asks[event.seq], *gained))
        self._did = np.vstack([self._did, np.array(did, np.int64).reshape(-1, 5)])

    def _questions(self, event: Event) -> int:
        if event.kind == UNDO and event.refers is not None:
            return -self._asks.get(event.refers, 0)
        return int(event.kind == ANSWER and event.value != SKIP)

    def _is_second(self, event: Event, before: Standing, was: Facts) -> bool:
        if event.kind != ANSWER or isinstance(event.value, str):
            return False
        if event.label is None:
            return bool(before.said.replied().keys() - {event.who})
        others = before.said.opinions.get(event.label, {}).keys() - {event.who}
        k = self._onto.index.get(event.label)
        mine = event.who in before.said.opinions.get(event.label, {})
        return bool(others) or (k is not None and bool(was[k] >= 0) and not mine)


def _said(tally: Tally) -> int:
    return tally.answered + tally.decided + tally.imported + tally.accepted
