"""The effects of each event of a log: questions asked and labels settled, in sum and by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import (
    ANSWER,
    CANT_TELL,
    ONTOLOGY,
    PREDICTED,
    SKIP,
    SUGGESTED,
    UNDO,
    WITHDRAW,
    Event,
)
from ..labels.statements import Statements
from ..state.standing import TAKES_BACK, Standing, finding_clashes
from ..state.standings import blank, stand_all

#: At most this many events are taken at once: few enough that their objects die young, and with
#: many labels fewer, to fit into memory.
AT_ONCE = 256
CELLS = 4_000_000
#: What an answer says; all other events come after.
YES, NO, WHOLE, UNSURE, SKIPPED, NO_ANSWER = range(6)
SAYS = ("yes", "no", "whole", CANT_TELL, SKIP)
#: Answers faster than this, in seconds, can hardly have been thought about.
FAST = 1.0
#: The share of fast answers is reported from this many answers on.
ENOUGH = 20
TOO_MANY_FAST = 0.05
#: A row for each event: people and days by number; labels in effect, labels settled and items
#: done more than before it.
ROW = np.dtype(
    [
        ("seq", np.int64),
        ("who", np.int32),
        ("says", np.int8),
        ("day", np.int32),
        ("asks", np.int8),
        ("seconds", np.float64),
        ("in_effect", np.int32),
        ("settled", np.int32),
        ("done", np.int8),
    ]
)
Rows = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Curve:
    """Labels in effect, labels settled and items done, by the number of questions asked."""

    asked: list[int]
    answered: list[int]
    settled: list[int]
    done: list[int]

    def thinned(self, most: int = 200) -> Curve:
        """Keep at most `most` points, the first and the last among them."""
        n = len(self.asked)
        if n <= most:
            return self
        rows = np.unique(np.linspace(0, n - 1, most).round().astype(np.int64)).tolist()
        series = (self.asked, self.answered, self.settled, self.done)
        return Curve(*([one[i] for i in rows] for one in series))


class Growth:
    """The effects of each event about an item under one ontology, in the order of the log.

    Attributes
    ----------
    of_item
        The events about each item.
    second
        The numbers of second opinions: answers about labels that others answered, or that were known.
    taken_back
        The numbers of events that were taken back.
    suggested
        The answers that were given with a suggestion, or to compare with those.
    ontologies
        The events that put another version of the ontology in force.
    """

    def __init__(self, onto: Ontology, statements: Statements):
        self.onto = onto
        self.statements = statements
        self.last: Event | None = None
        self.of_item: dict[str, list[Event]] = {}
        self.second: set[int] = set()
        self.taken_back: set[int] = set()
        self.suggested: list[Event] = []
        self.ontologies: list[Event] = []
        self._find = finding_clashes(onto)
        self._open = blank(onto) < 0
        self._people: dict[str, int] = {}
        self._days: dict[str, int] = {}
        self._at: list[str] = []
        self._rows: Rows = np.empty(0, ROW)

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return 0 if self.last is None else self.last.seq

    def extend(self, events: Sequence[Event], withdrawn: Collection[str] = ()) -> list[str]:
        """Add the following events, except those about withdrawn items; return their items."""
        about = [
            event
            for event in events
            if event.item is not None and event.kind != WITHDRAW and event.item not in withdrawn
        ]
        step = max(1, min(AT_ONCE, CELLS // len(self.onto)))
        parts = [self._take(about[i : i + step]) for i in range(0, len(about), step)]
        self._rows = np.concatenate([self._rows, *parts])
        for event in events:
            if event.kind in TAKES_BACK and event.refers is not None:
                self.taken_back.add(event.refers)
            elif event.kind == ONTOLOGY:
                self.ontologies.append(event)
        self.last = events[-1] if events else self.last
        return list(dict.fromkeys(str(event.item) for event in about))

    def curve(self) -> Curve:
        """Return the curve up to now; if answers were taken back, the later state counts."""
        asked, *others = (
            np.concatenate([[0], np.cumsum(self._rows[name], dtype=np.int64)])
            for name in ("asks", "in_effect", "settled", "done")
        )
        last = np.full(int(asked.max()) + 1, -1, np.int64)
        last[asked] = np.arange(len(asked))
        rows = last[: asked[-1] + 1]
        rows = rows[rows >= 0]
        return Curve(asked[rows].tolist(), *(one[rows].tolist() for one in others))

    def asked(self) -> tuple[int, int, dict[str, int]]:
        """Return the number of answers not taken back, of can't tell among them, and of each day.

        Skipped questions do not count.
        """
        rows = self._rows[self._standing]
        rows = rows[rows["says"] != SKIPPED]
        of_day = np.bincount(rows["day"], minlength=len(self._days)).tolist()
        days = {day: n for day, n in zip(self._days, of_day, strict=True) if n}
        return len(rows), int((rows["says"] == UNSURE).sum()), days

    def of_people(self) -> dict[str, dict[str, Any]]:
        """Return figures of each person's answers that were not taken back."""
        own = np.flatnonzero(self._standing)
        own = own[np.argsort(self._rows["who"][own], kind="stable")]
        numbers = np.bincount(self._rows["who"][own], minlength=len(self._people))
        parts = np.split(own, np.cumsum(numbers)[:-1]) if len(numbers) else []
        return {
            who: answered(self._rows[part]) | {"last": self._at[part[-1]] if len(part) else None}
            for who, part in zip(self._people, parts, strict=True)
        }

    @property
    def _standing(self) -> npt.NDArray[np.bool_]:
        """Return which rows are answers that were not taken back."""
        gone = np.fromiter(self.taken_back, np.int64, len(self.taken_back))
        return np.asarray(
            (self._rows["says"] != NO_ANSWER) & ~np.isin(self._rows["seq"], gone), np.bool_
        )

    def _take(self, events: Sequence[Event]) -> Rows:
        """Return the rows of some events, from the state of their items before and after each."""
        states: dict[str, Sequence[Event]] = {}
        latest: dict[str, int] = {}
        before = []
        after = []
        for event in events:
            item = str(event.item)
            of_item = self.of_item.setdefault(item, [])
            if item not in latest:
                latest[item] = len(states)
                states[f"before {item}"] = tuple(of_item)
            before.append(latest[item])
            latest[item] = len(states)
            after.append(len(states))
            of_item.append(event)
            states[str(event.seq)] = tuple(of_item)
        found = stand_all(states, self.onto, self.statements, find=self._find)
        for event, n in zip(events, before, strict=True):
            if event.kind == ANSWER and self._is_second(event, found.standings[n], found.known[n]):
                self.second.add(event.seq)
            if event.kind == ANSWER and {SUGGESTED, PREDICTED} & (event.detail or {}).keys():
                self.suggested.append(event)
        self._at += [event.at for event in events]
        rows = np.empty(len(events), ROW)
        rows["seq"] = [event.seq for event in events]
        rows["who"] = [self._people.setdefault(event.who, len(self._people)) for event in events]
        rows["says"] = [_says(event) for event in events]
        rows["day"] = [self._days.setdefault(event.at[:10], len(self._days)) for event in events]
        rows["asks"] = [self._asks(event) for event in events]
        rows["seconds"] = [np.nan if one.seconds is None else one.seconds for one in events]
        of_state = {
            "in_effect": np.count_nonzero(found.answers[:, self._open] >= 0, axis=1),
            "settled": np.count_nonzero(found.known[:, self._open] >= 0, axis=1),
            "done": np.all(found.known >= 0, axis=1).astype(np.int64),
        }
        for name, numbers in of_state.items():
            rows[name] = numbers[after] - numbers[before]
        return rows

    def _asks(self, event: Event) -> int:
        """Return the change in the number of questions asked by an event."""
        if event.kind == UNDO:
            gone = (one for one in self.of_item[str(event.item)] if one.seq == event.refers)
            return -sum(_says(one) < SKIPPED for one in gone)
        return int(_says(event) < SKIPPED)

    def _is_second(self, event: Event, before: Standing, was: Facts) -> bool:
        """Whether others had answered the same label, or it was known already."""
        if isinstance(event.value, str):
            return False
        if event.label is None:
            return bool(before.said.replied().keys() - {event.who})
        label = self.statements.label_of(event, self.onto)
        said = before.said.opinions.get(label, {}).keys()
        k = self.onto.index.get(label)
        was_known = k is not None and bool(was[k] >= 0)
        return bool(said - {event.who}) or (was_known and event.who not in said)


def _says(event: Event) -> int:
    if event.kind != ANSWER:
        return NO_ANSWER
    if isinstance(event.value, bool):
        return YES if event.value else NO
    return {CANT_TELL: UNSURE, SKIP: SKIPPED}.get(str(event.value), WHOLE)


def answered(rows: Rows) -> dict[str, Any]:
    """Return figures of answers: values, settled labels, seconds, the share of yes."""
    counts = Counter(rows["says"].tolist())
    replies = rows[rows["says"] < UNSURE]
    seconds = rows["seconds"][~np.isnan(rows["seconds"])]
    of_replies = replies["seconds"][~np.isnan(replies["seconds"])]
    fast = float((of_replies < FAST).mean()) if len(of_replies) else 0.0
    spoken = counts[YES] + counts[NO]
    return {
        "answers": len(rows) - counts[SKIPPED],
        **{name: counts[n] for n, name in enumerate(SAYS)},
        "seconds": _median(seconds),
        "settled": int(replies["settled"].sum()),
        "median": _median(of_replies),
        "yes_rate": counts[YES] / spoken if spoken else None,
        "fast": fast,
        "too_fast": len(of_replies) >= ENOUGH and fast >= TOO_MANY_FAST,
    }


def _median(seconds: Floats) -> float | None:
    return float(np.median(seconds)) if len(seconds) else None


#: The figures of a person who never answered.
NOTHING_DONE = answered(np.empty(0, ROW)) | {"last": None}
