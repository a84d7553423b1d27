"""Agreement of people on the same items: their answers, and their consequences alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ..events import ANSWER, UNDO, Event
from ..state.standing import Standing
from ..state.standings import Standings, blank, stand_all
from .agreement import krippendorff_alpha, reliability
from .growth import AT_ONCE, CELLS, Growth

#: Agreement and reliability are reported from this many cells on that two people judged.
ENOUGH = 10
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """The answers of people about some items, a row for each person of an item, grouped by item.

    Attributes
    ----------
    items
        The item of each row.
    item, person
        The item and the person of each row, by number.
    said, closed
        The person's answers, and these with their consequences, int8 (n, K).
    repeated, reopened
        The same for second opinions only. People are asked open questions, so that most
        consequences agree with others; only those of a second opinion could differ.
    none
        The labels of a pick of none of these, which is one statement.
    """

    items: Sequence[str]
    item: Ints
    person: Ints
    said: Facts
    closed: Facts
    repeated: Facts
    reopened: Facts
    none: Mask

    @property
    def begins(self) -> Ints:
        """The first row of each item."""
        return np.flatnonzero(np.diff(self.item, prepend=-1))

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield all pairs of rows of the same item."""
        for apart in count(1):
            first = np.flatnonzero(self.item[apart:] == self.item[: len(self.item) - apart])
            if not len(first):
                return
            yield first, first + apart


class Overlap:
    """Sums over items that several people answered; a changed item is taken out first."""

    def __init__(self, growth: Growth):
        self._growth = growth
        self._onto = growth.onto
        self._open = blank(self._onto) < 0
        self._people: dict[str, int] = {}
        self._counted: dict[str, int] = {}  # items in the sums, each with its number of events
        self._pairs = np.zeros(len(self._onto), np.int64)
        self._differ = np.zeros(len(self._onto), np.int64)
        self._judged: Counter[tuple[int, int, int]] = Counter()
        self._agreed = np.zeros((0, 2, 3), np.int64)
        self._votes: dict[str, Ints] = {}  # label, person, value, by item

    def refresh(self, items: Iterable[str]) -> None:
        """Count items with further events again."""
        events = {item: self._growth.of_item[item] for item in items}
        before = {
            item: of_item[: self._counted.pop(item)]
            for item, of_item in events.items()
            if item in self._counted
        }
        for rows in self._rows(before):
            self._add(rows, -1)
        for item in before:
            self._votes.pop(item, None)
        for rows in self._rows(events):
            self._add(rows, 1)
            self._keep_votes(rows)
            self._counted |= {item: len(events[item]) for item in rows.items}

    def judged(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Count cells that people settled independently, by label, number of yes and number of no.

        Each person settles cells by their own answers.
        """
        cells = [(*cell, often) for cell, often in sorted(self._judged.items()) if often]
        label, yes, no, often = np.array(cells, np.int64).reshape(-1, 4).T
        return label, yes, no, often

    def differences(self) -> tuple[Ints, Ints]:
        """Count pairs of people on each label, and the pairs that differ.

        One of the two gave a second opinion on what the other settled.
        """
        return self._pairs, self._differ

    def of_people(self) -> dict[str, dict[str, float | int | None]]:
        """Return how far each person agrees with others, on the same questions and on consequences."""
        return {who: _alphas(*self._agreed[n]) for who, n in self._people.items()}

    def reliabilities(self, truth: Mapping[tuple[str, str], bool]) -> dict[str, float]:
        """Return how often each person is right, by second opinions and decisions of leads.

        Votes are sorted, so that the sums are the same for any order of events.
        """
        decided: dict[str, dict[int, bool]] = {}
        for (item, label), value in truth.items():
            if label in self._onto.index:
                decided.setdefault(item, {})[self._onto.index[label]] = value
        votes = self._votes | self._votes_on(decided)
        if not votes:
            return {}
        items = sorted(votes)
        names = sorted(self._people)
        rank = np.argsort([self._people[who] for who in names])
        place = np.repeat(np.arange(len(items)), [len(votes[item]) for item in items])
        label, person, value = np.concatenate([votes[item] for item in items]).T
        order = np.lexsort([rank[person], label, place])
        units, unit = np.unique((place * len(self._onto) + label)[order], return_inverse=True)
        cells = [divmod(one, len(self._onto)) for one in units.tolist()]
        certain = [decided.get(items[i], {}).get(k, -1) for i, k in cells]
        some, number = np.unique(rank[person][order], return_inverse=True)
        right = reliability(unit, number, value[order], np.array(certain, np.int8))
        spoke = np.bincount(number)
        return {
            names[p]: float(right[n]) for n, p in enumerate(some.tolist()) if spoke[n] >= ENOUGH
        }

    def _votes_on(self, decided: Mapping[str, Mapping[int, bool]]) -> dict[str, Ints]:
        """Return the votes on items with decisions, with first opinions on these labels."""
        of_item = {item: self._growth.of_item[item] for item in decided if item in self._counted}
        votes = {item: self._votes.get(item, np.empty((0, 3), np.int64)) for item in of_item}
        for rows in self._rows(of_item):
            for begin, end in zip(rows.begins, [*rows.begins[1:], len(rows.item)], strict=True):
                item = rows.items[begin]
                for k in decided[item]:
                    if (rows.repeated[begin:end, k] >= 0).any():
                        continue
                    who = begin + np.flatnonzero(
                        (rows.said[begin:end, k] >= 0) & (rows.closed[begin:end, k] >= 0)
                    )
                    new = [np.full(len(who), k), rows.person[who], rows.closed[who, k]]
                    votes[item] = np.vstack([votes[item], np.stack(new, axis=1)])
        return {item: found for item, found in votes.items() if len(found)}

    def _rows(self, of_item: Mapping[str, Sequence[Event]]) -> Iterator[Rows]:
        """Yield the answers about items that at least two people answered, in parts."""
        step = max(2, min(AT_ONCE, CELLS // (8 * len(self._onto))))
        spoken: list[tuple[str, str, list[Event]]] = []
        for item, events in of_item.items():
            by = own_answers(events)
            if len(by) >= 2:
                spoken += [(item, who, own) for who, own in by.items()]
            if len(spoken) >= step:
                yield self._rows_of(spoken)
                spoken = []
        if spoken:
            yield self._rows_of(spoken)

    def _rows_of(self, spoken: Sequence[tuple[str, str, list[Event]]]) -> Rows:
        second = self._growth.second
        own = self._stand(events for _, _, events in spoken)
        again = self._stand([one for one in events if one.seq in second] for _, _, events in spoken)
        number = {item: n for n, item in enumerate(dict.fromkeys(item for item, _, _ in spoken))}
        people = [self._people.setdefault(who, len(self._people)) for _, who, _ in spoken]
        return Rows(
            [item for item, _, _ in spoken],
            np.array([number[item] for item, _, _ in spoken], np.int64),
            np.array(people, np.int64),
            own.answers,
            # Cells that the ontology alone settles are nobody's opinion.
            np.where(self._open, own.known, -1).astype(np.int8),
            again.answers,
            np.where(self._open, again.known, -1).astype(np.int8),
            self._none(again.standings),
        )

    def _stand(self, of_row: Iterable[Sequence[Event]]) -> Standings:
        events = {str(n): events for n, events in enumerate(of_row)}
        return stand_all(events, self._onto, self._growth.statements)

    def _none(self, standings: Sequence[Standing]) -> Mask:
        """Return the labels that each person denied by a pick of "none of these"."""
        none = np.zeros((len(standings), len(self._onto)), np.bool_)
        for n, one in enumerate(standings):
            for label, by in one.said.opinions.items() if one.said.picks else ():
                if label in self._onto.index:
                    none[n, self._onto.index[label]] = any(o.picked == () for o in by.values())
        return none

    def _add(self, rows: Rows, times: int) -> None:
        """Add rows to the sums, or subtract them with `times` -1."""
        new = len(self._people) - len(self._agreed)
        self._agreed = np.concatenate([self._agreed, np.zeros((new, 2, 3), np.int64)])
        for a, b in rows.pairs():
            compared, differ = _compared(rows, a, b)
            self._pairs += times * compared.sum(axis=0)
            self._differ += times * (compared & differ).sum(axis=0)
            free = (rows.reopened[a] >= 0) | (rows.reopened[b] >= 0)
            same = _counted(rows.said[a], rows.said[b], np.True_)
            through = _counted(rows.closed[a], rows.closed[b], free)
            for side in (a, b):
                np.add.at(self._agreed, rows.person[side], times * np.stack([same, through], 1))
        self._add_judged(rows, times)

    def _add_judged(self, rows: Rows, times: int) -> None:
        yes = np.add.reduceat(rows.closed == 1, rows.begins, axis=0, dtype=np.int64)
        no = np.add.reduceat(rows.closed == 0, rows.begins, axis=0, dtype=np.int64)
        free = np.maximum.reduceat(rows.reopened, rows.begins, axis=0) >= 0
        item, label = np.nonzero((yes + no >= 2) & free)
        cells = np.stack([label, yes[item, label], no[item, label]], axis=1)
        for cell, often in zip(*np.unique(cells, axis=0, return_counts=True), strict=True):
            self._judged[tuple(cell.tolist())] += times * int(often)

    def _keep_votes(self, rows: Rows) -> None:
        """Keep the votes on cells with a second opinion."""
        asked = np.maximum.reduceat(rows.repeated, rows.begins, axis=0) >= 0
        sizes = np.diff(rows.begins, append=len(rows.item))
        row, label = np.nonzero((rows.closed >= 0) & np.repeat(asked, sizes, axis=0))
        votes = np.stack([label, rows.person[row], rows.closed[row, label]], axis=1)
        _, firsts = np.unique(rows.item[row], return_index=True)
        for first, found in zip(firsts, np.split(votes, firsts[1:]), strict=False):
            self._votes[rows.items[row[first]]] = found


def _compared(rows: Rows, a: Ints, b: Ints) -> tuple[Mask, Mask]:
    """Return the cells on which one of two people gave a second opinion, and where they differ.

    A pick of none of these counts once: by the label on which the two differ, or by the first.
    """
    differ = rows.closed[a] != rows.closed[b]
    both = (rows.closed[a] >= 0) & (rows.closed[b] >= 0)
    both &= (rows.repeated[a] >= 0) | (rows.repeated[b] >= 0)
    for side in (a, b):
        cells = both & rows.none[side]
        some = np.flatnonzero(cells.any(axis=1))
        both[some] &= ~cells[some]
        apart = cells[some] & differ[some]
        first = np.where(apart.any(axis=1), apart.argmax(axis=1), cells[some].argmax(axis=1))
        both[some, first] = True
    return both, differ


def own_answers(events: Sequence[Event]) -> dict[str, list[Event]]:
    """Return each person's answers about an item that they did not take back, also if a lead rejected them."""
    by_seq = {event.seq: event for event in events}
    regretted = {
        event.refers
        for event in events
        if event.kind == UNDO and event.refers in by_seq and by_seq[event.refers].who == event.who
    }
    found: dict[str, list[Event]] = {}
    for event in events:
        if event.kind == ANSWER and event.seq not in regretted:
            found.setdefault(event.who, []).append(event)
    return {
        who: said
        for who, said in found.items()
        if any(isinstance(event.value, bool | list) for event in said)
    }


def _counted(one: Facts, other: Facts, free: Mask | np.bool_) -> Ints:
    """Count the free cells that both know in each row: yes-yes, no-no and different."""
    both = (one >= 0) & (other >= 0) & free
    same = one == other
    return np.stack(
        [(both & cells).sum(axis=1) for cells in (same & (one == 1), same & (one == 0), ~same)], 1
    )


def _alphas(same: Ints, through: Ints) -> dict[str, float | int | None]:
    return {
        "overlap": int(same.sum()),
        "alpha": _alpha(same),
        "overlap_implied": int(through.sum()),
        "alpha_implied": _alpha(through),
    }


def _alpha(counted: Ints) -> float | None:
    yes, no, differ = counted.tolist()
    if yes + no + differ < ENOUGH:
        return None
    return krippendorff_alpha(
        np.repeat([2, 0, 1], [yes, no, differ]), np.repeat([0, 2, 1], [yes, no, differ])
    )
