"""A long log as columns: the events of items of which people only said yes or no, or nothing, label by label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..events import ANSWER, DOUBT, FLAG, SKIP, UNDO, Event
from ..state.standing_of_many import blank

#: So many cells are worked out at once, at most: they must fit into memory.
CELLS = 4_000_000
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
NO_LABEL = -1


@dataclass
class PlainLog:
    """Events of plain items, those of an item side by side and in order; people and labels by number.

    `value` is 1 for yes, 0 for no, -1 where nothing is said of a label. `adds` is 1 for an answer, -1 for what takes it
    back, which then has its label and value, and 0 for what changes nothing. `own` tells whether whoever takes an
    answer back gave it. What is not plain is in `rest`.
    """

    items: list[str] = field(default_factory=list)
    people: dict[str, int] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)
    starts: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    seq: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    who: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    label: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    value: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    adds: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    asks: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    regretted: Mask = field(default_factory=lambda: np.empty(0, np.bool_))

    @classmethod
    def of(cls, of_item: Mapping[str, Sequence[Event]], onto: Ontology) -> PlainLog:
        """The columns of all items that are plain."""
        log = cls()
        starts = [0]
        rows = list[tuple[int, int, int, int, int, int, bool]]()
        for item, events in of_item.items():
            found = _rows(events, onto.index, log.people)
            if found is None:
                log.rest.append(item)
                continue
            log.items.append(item)
            rows += found
            starts.append(len(rows))
        log.starts = np.array(starts, np.int64)
        if rows:
            columns = np.array(rows, np.int64).T
            log.seq, log.who, log.label, log.value, log.adds, log.asks = columns[:6]
            log.regretted = columns[6].astype(np.bool_)
        return log

    def parts(self, labels: int) -> Iterator[tuple[int, int]]:
        """Items from one to another, as many as fit into memory."""
        step = max(1, CELLS // max(1, labels))
        for start in range(0, len(self.items), step):
            yield start, min(start + step, len(self.items))


def _rows(
    events: Iterable[Event], index: Mapping[str, int], people: dict[str, int]
) -> list[tuple[int, int, int, int, int, int, bool]] | None:
    """The rows of an item, None where it is not plain: it was said more of it, or the same by someone twice."""
    rows: list[tuple[int, int, int, int, int, int, bool]] = []
    places: dict[int, int] = {}
    said: set[tuple[str, str]] = set()
    for event in events:
        kind = event.kind
        who = event.who
        number = people.setdefault(who, len(people))
        if kind == ANSWER:
            label = event.label
            value = event.value
            if label is None or label not in index or (who, label) in said:
                return None
            said.add((who, label))
            places[event.seq] = len(rows)
            known = int(value) if isinstance(value, bool) else -1
            rows.append((event.seq, number, index[label], known, 1, int(value != SKIP), False))
        elif kind == UNDO and event.refers in places:
            place = places.pop(event.refers)
            seq, by, k, known, adds, asks, _ = rows[place]
            rows[place] = (seq, by, k, known, adds, asks, by == number)
            rows.append((event.seq, number, k, known, -1, -asks, False))
        elif kind in (FLAG, DOUBT):
            rows.append((event.seq, number, NO_LABEL, -1, 0, 0, False))
        else:
            return None
    return rows


@dataclass(frozen=True)
class Steps:
    """What each event of plain items did: labels settled, and said, and items done, more than before.

    `second` tells which are second opinions.

    `clashing` are the items that are not plain after all: what was said of them cannot be true.
    """

    settled: Ints
    said: Ints
    done: Ints
    second: Mask
    clashing: Mask


def step_by_step(log: PlainLog, onto: Ontology) -> Steps:
    """Take the events of all items together, the first of each, the second of each, and so on."""
    n = len(log.seq)
    settled, said, done = (np.zeros(n, np.int64) for _ in range(3))
    steps = Steps(settled, said, done, np.zeros(n, np.bool_), np.zeros(len(log.items), np.bool_))
    untouched = blank(onto)
    for first, last in log.parts(len(onto)):
        _take_part(log, onto, untouched, first, last, steps)
    return steps


def _take_part(
    log: PlainLog, onto: Ontology, untouched: Facts, first: int, last: int, steps: Steps
) -> None:
    sizes = np.diff(log.starts[first : last + 1])
    yes, no = (np.zeros((last - first, len(onto)), np.int16) for _ in range(2))
    known = np.tile(untouched, (last - first, 1))
    free = untouched < 0
    for turn in range(int(sizes.max(initial=0))):
        item = np.flatnonzero(sizes > turn)
        at = log.starts[first + item] + turn
        some = (log.adds[at] != 0) & (log.value[at] >= 0)
        item = item[some]
        at = at[some]
        k = log.label[at]
        value = log.value[at]
        adds = log.adds[at]
        spoken = yes[item, k] + no[item, k]
        steps.second[at] = (adds > 0) & ((spoken > 0) | (known[item, k] >= 0))
        before = effect(yes[item], no[item])
        yes[item, k] += (adds * (value == 1)).astype(np.int16)
        no[item, k] += (adds * (value == 0)).astype(np.int16)
        after = effect(yes[item], no[item])
        follows, clash = onto.closure(after)
        steps.clashing[first + item[clash]] = True
        steps.said[at] = (after[:, free] >= 0).sum(axis=1) - (before[:, free] >= 0).sum(axis=1)
        steps.settled[at] = (follows[:, free] >= 0).sum(axis=1) - (known[item][:, free] >= 0).sum(
            axis=1
        )
        steps.done[at] = (follows >= 0).all(axis=1).astype(np.int64) - (known[item] >= 0).all(
            axis=1
        )
        known[item] = follows


def effect(yes: npt.NDArray[np.int16], no: npt.NDArray[np.int16]) -> Facts:
    """The answers in effect, by how many people say yes and no of each cell: those on which they agree."""
    return np.where((yes > 0) & (no == 0), 1, np.where((no > 0) & (yes == 0), 0, -1)).astype(
        np.int8
    )
