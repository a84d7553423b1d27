"""Where people spoke of the same items: what each said, what follows from their own answers alone, and who differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..events import ANSWER, UNDO, Event
from ..state.standing import Standing
from ..state.standing_of_many import blank, stand_all
from ..state.statements import Statements
from .agreement import krippendorff_alpha
from .overlap_sums import Sums, Vote, Votes
from .plain_log import Mask, PlainLog
from .plain_overlap import NO_VOTES, PlainOverlap

#: Where fewer cells were judged by two people, nothing is said of how far they agree.
ENOUGH = 10
#: What so many people said of items is worked out at once, at most: their rows must fit into memory.
AT_ONCE = 4096
Ints = npt.NDArray[np.int64]
NONE: Ints = np.empty(0, np.int64)


@dataclass(frozen=True)
class Words:
    """What one person said of an item, and all that follows from that alone, int8 (K,).

    `repeated` and `reopened` are the same of those answers only that were second opinions. People are asked what is
    open, so that most of what follows from their answers agrees with the others of necessity: only what follows from
    a second opinion could have differed. `none` marks the labels of a second opinion that is one statement: "none of
    these".
    """

    who: str
    said: Facts
    closed: Facts
    repeated: Facts
    reopened: Facts
    none: Mask | None = None


@dataclass(frozen=True)
class Shared:
    """An item that at least two people spoke of; what is compared is worked out once."""

    words: tuple[Words, ...]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Labels on which one of two people gave a second opinion on what the other settled; those who differ.

        A pick counts once: "none of these" by the label on which the two differ, or by the first if they agree.
        """
        pairs = [NONE]
        differ = [NONE]
        for a, b in combinations(self.words, 2):
            both = (a.closed >= 0) & (b.closed >= 0) & ((a.repeated >= 0) | (b.repeated >= 0))
            for none in (a.none, b.none):
                cells = NONE if none is None else np.flatnonzero(both & none)
                both[cells] = False
                both[[*cells[a.closed[cells] != b.closed[cells]], *cells][:1]] = True
            pairs.append(np.flatnonzero(both))
            differ.append(np.flatnonzero(both & (a.closed != b.closed)))
        return np.concatenate(pairs), np.concatenate(differ)

    @cached_property
    def judged(self) -> tuple[Ints, Ints, Ints]:
        """Labels that people settled independently, each by their own answers: label, how many yes, how many no."""
        rows = np.array([one.closed for one in self.words])
        free = np.array([one.reopened for one in self.words])
        yes = (rows == 1).sum(axis=0)
        no = (rows == 0).sum(axis=0)
        cells = np.flatnonzero((yes + no >= 2) & (free >= 0).any(axis=0))
        return cells, yes[cells], no[cells]

    @cached_property
    def people(self) -> dict[str, Ints]:
        """By person the cells of each pair with another: yes-yes, no-no, different; as said, and as follows, (2, 3)."""
        found = {one.who: np.zeros((2, 3), np.int64) for one in self.words}
        for a, b in combinations(self.words, 2):
            free = (a.reopened >= 0) | (b.reopened >= 0)
            counted = np.array(
                [_counted(a.said, b.said), _counted(a.closed, np.where(free, b.closed, -1))]
            )
            found[a.who] += counted
            found[b.who] += counted
        return found

    @cached_property
    def votes(self) -> list[tuple[int, str, bool]]:
        """What each person says of the labels that someone was asked again: label, who, what."""
        free = np.array([one.repeated for one in self.words]).max(axis=0) >= 0
        return [
            (k, one.who, bool(one.closed[k]))
            for one in self.words
            for k in np.flatnonzero((one.closed >= 0) & free).tolist()
        ]

    def others_on(self, k: int) -> list[tuple[str, bool]]:
        """Who said a label, and what, where nobody was asked again."""
        if any(one.repeated[k] >= 0 for one in self.words):
            return []
        return [
            (one.who, bool(one.closed[k]))
            for one in self.words
            if one.said[k] >= 0 and one.closed[k] >= 0
        ]


class Overlap:
    """What people said of the items that at least two of them spoke of, kept up to date item by item.

    Of a long log the plain items are summed up at once; each of them that someone speaks of again is taken out of that.
    """

    def __init__(self, onto: Ontology, statements: Statements):
        self._onto = onto
        self._statements = statements
        self._blank = blank(onto)
        self._sums = Sums(len(onto))
        self._votes = Votes(NO_VOTES, (), ())  # of the plain items of a long log
        self._summed: dict[str, int] = {}  # these items, and how many of their events
        self.shared: dict[str, Shared] = {}  # all others

    def refresh(
        self,
        of_item: Mapping[str, Sequence[Event]],
        items: Iterable[str],
        second: Container[int],
        log: PlainLog | None = None,
    ) -> None:
        """Work out anew what people said of some items; `second` are the numbers of second opinions.

        The first time the plain ones of these items may come as a `log`.
        """
        if log is not None:
            items = self._sum_up(log, of_item, second)
        elif again := [item for item in items if item in self._summed]:
            before = PlainLog.of(
                {item: of_item[item][: self._summed.pop(item)] for item in again}, self._onto
            )
            self._sums.add(PlainOverlap(before, _among(before, second), self._onto).sums, times=-1)
            self._votes = self._votes.without(again)
        spoken: list[tuple[str, str, list[Event]]] = []
        for item in items:
            self._count(self.shared.pop(item, None), times=-1)
            by = own_answers(of_item[item])
            if len(by) >= 2:
                spoken += [(item, who, events) for who, events in by.items()]
        for start in range(0, len(spoken), AT_ONCE):
            self._take(spoken[start : start + AT_ONCE], second)
        for item in dict.fromkeys(item for item, _, _ in spoken):
            self._count(self.shared[item], times=1)

    def _sum_up(
        self, log: PlainLog, of_item: Mapping[str, Sequence[Event]], second: Container[int]
    ) -> list[str]:  # fmt: skip
        """Sum up the plain items of a long log; those that are not."""
        plain = PlainOverlap(log, _among(log, second), self._onto)
        self._sums.add(plain.sums)
        self._votes = plain.votes
        rest = {*log.rest, *plain.rest}
        self._summed = {item: len(of_item[item]) for item in log.items if item not in rest}
        return sorted(rest)

    def _count(self, one: Shared | None, *, times: int) -> None:
        if one is None:
            return
        pairs, differ = (np.bincount(labels, minlength=len(self._onto)) for labels in one.pairs)
        self._sums.add_pairs(pairs, differ, times=times)
        self._sums.add_judged(
            Counter(zip(*(part.tolist() for part in one.judged), strict=True)), times=times
        )
        self._sums.add_people(one.people, times=times)

    def _take(self, spoken: Sequence[tuple[str, str, list[Event]]], second: Container[int]) -> None:
        own = stand_all(
            {str(n): events for n, (_, _, events) in enumerate(spoken)},
            self._onto,
            self._statements,
        )
        again = stand_all(
            {
                str(n): [event for event in events if event.seq in second]
                for n, (_, _, events) in enumerate(spoken)
            },
            self._onto,
            self._statements,
        )
        for n, (item, who, _) in enumerate(spoken):
            # What the ontology alone settles is nobody's opinion.
            closed, reopened = (
                np.where(self._blank < 0, one.known[n], -1).astype(np.int8) for one in (own, again)
            )
            none = self._none(again.standings[n])
            words = Words(
                who, own.answers[n].copy(), closed, again.answers[n].copy(), reopened, none
            )
            before = self.shared[item].words if item in self.shared else ()
            self.shared[item] = Shared((*before, words))

    def _none(self, one: Standing) -> Mask | None:
        """The labels that someone denied by picking none of these."""
        denied = [
            self._onto.index[label]
            for label, by in one.said.opinions.items()
            if label in self._onto.index and any(opinion.picked == () for opinion in by.values())
        ]
        return np.isin(np.arange(len(self._onto)), denied) if denied else None

    def judged(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Of cells that people settled independently, each by their own answers: label, yes, no, how many are so."""
        return self._sums.cells()

    def differences(self) -> tuple[Ints, Ints]:
        """Of each label, pairs of people of whom one gave a second opinion on what the other settled; who differ."""
        return self._sums.pairs, self._sums.differ

    def of_people(self) -> dict[str, dict[str, float | int | None]]:
        """How far each person agrees with the others: on the same questions, and also through what follows."""
        return {who: _alphas(*counted) for who, counted in self._sums.people.items()}

    def reliabilities(self, truth: Mapping[tuple[str, str], bool]) -> dict[str, float]:
        """How often each person is right, by how they agree on second opinions and by what a lead decided."""
        index = self._onto.index
        decided = {
            (item, index[label]): value for (item, label), value in truth.items() if label in index
        }
        votes: list[Vote] = [
            (item, k, who, value)
            for item, shared in self.shared.items()
            for k, who, value in shared.votes
        ]
        for item, k in decided:
            if item in self.shared:
                votes += [(item, k, who, value) for who, value in self.shared[item].others_on(k)]
        return self._votes.right(votes, decided, enough=ENOUGH)


def _among(log: PlainLog, second: Container[int]) -> Mask:
    """Which events of a log are second opinions."""
    return np.array([seq in second for seq in log.seq.tolist()], np.bool_)


def own_answers(events: Sequence[Event]) -> dict[str, list[Event]]:
    """What each person said of an item and did not take back: that a lead rejects it is no change of mind."""
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


def _counted(one: Facts, other: Facts) -> Ints:
    """Of the cells that both know how many are yes-yes, no-no, and different."""
    both = (one >= 0) & (other >= 0)
    a = one[both] == 1
    b = other[both] == 1
    return np.array([int((a & b).sum()), int((~a & ~b).sum()), int((a ^ b).sum())], np.int64)


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
