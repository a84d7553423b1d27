"""Where people spoke of the same plain items, for all of them at once: what `Shared` tells of each, summed up."""

from __future__ import annotations

from itertools import count

import numpy as np

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..state.standing_of_many import blank
from .overlap_sums import Sums, Votes
from .plain_log import Ints, Mask, PlainLog

#: Votes on second opinions: item, label, person (all by number), yes or no.
NO_VOTES: Ints = np.empty((0, 4), np.int64)


class PlainOverlap:
    """Sums over the plain items of a log, and the votes on cells of which someone gave a second opinion.

    Items that turn out not to be plain, since someone's own answers cannot be true, are in `rest`.
    """

    def __init__(self, log: PlainLog, second: Mask, onto: Ontology):
        self._onto = onto
        self._blank = blank(onto)
        self._people = list(log.people)
        self.sums = Sums(len(onto))
        votes = [NO_VOTES]
        self.rest = list[str]()
        for first, last in log.parts(4 * len(onto)):
            votes.append(self._add(log, second, first, last))
        self.votes = Votes(np.concatenate(votes), log.items, log.people)

    def _add(self, log: PlainLog, second: Mask, first: int, last: int) -> Ints:
        """Take some items; their votes."""
        at = np.arange(log.starts[first], log.starts[last])
        item = np.repeat(np.arange(first, last), np.diff(log.starts[first : last + 1]))
        some = (log.adds[at] > 0) & (log.value[at] >= 0) & ~log.regretted[at]
        at = at[some]
        item = item[some]
        # A row for each person of each item, items side by side.
        cell, row = np.unique(item * len(log.people) + log.who[at], return_inverse=True)
        of_item = cell // len(log.people)
        of_person = cell % len(log.people)
        again = second[at]
        said, repeated = (np.full((len(cell), len(self._onto)), -1, np.int8) for _ in range(2))
        said[row, log.label[at]] = log.value[at]
        repeated[row[again], log.label[at[again]]] = log.value[at[again]]
        (closed, clash) = self._onto.closure(said)
        (reopened, _) = self._onto.closure(repeated)
        wrong = np.unique(of_item[clash])
        self.rest += [log.items[i] for i in wrong.tolist()]
        number = np.bincount(of_item - first, minlength=last - first)
        several = (number[of_item - first] >= 2) & ~np.isin(of_item, wrong)
        of_item = of_item[several]
        of_person = of_person[several]
        free = self._blank < 0  # what the ontology alone settles is nobody's opinion
        closed, reopened = (
            np.where(free, one[several], -1).astype(np.int8) for one in (closed, reopened)
        )
        rows = Rows(of_item, of_person, said[several], closed, repeated[several], reopened)
        self._add_pairs(rows)
        self._add_judged(rows)
        return rows.votes()

    def _add_pairs(self, rows: Rows) -> None:
        agreed = np.zeros((len(self._people), 2, 3), np.int64)
        for apart in count(1):
            a = (
                np.flatnonzero(rows.item[apart:] == rows.item[:-apart])
                if len(rows.item) > apart
                else np.empty(0, int)
            )
            if not len(a):
                break
            b = a + apart
            both = (rows.closed[a] >= 0) & (rows.closed[b] >= 0)
            asked = both & ((rows.repeated[a] >= 0) | (rows.repeated[b] >= 0))
            self.sums.add_pairs(
                asked.sum(axis=0), (asked & (rows.closed[a] != rows.closed[b])).sum(axis=0)
            )
            free = (rows.reopened[a] >= 0) | (rows.reopened[b] >= 0)
            said = _counted(rows.said[a], rows.said[b])
            through = _counted(rows.closed[a], rows.closed[b], free)
            for side in (a, b):
                np.add.at(agreed, rows.person[side], np.stack([said, through], axis=1))
        self.sums.add_people(
            {who: agreed[n] for n, who in enumerate(self._people) if agreed[n].any()}
        )

    def _add_judged(self, rows: Rows) -> None:
        if not len(rows.item):
            return
        yes, no = (
            np.add.reduceat(rows.closed == value, rows.begins, axis=0, dtype=np.int64)
            for value in (1, 0)
        )
        free = np.maximum.reduceat(rows.reopened, rows.begins, axis=0) >= 0
        item, label = np.nonzero((yes + no >= 2) & free)
        most = int(max(yes.max(), no.max())) + 1
        codes, times = np.unique(
            (label * most + yes[item, label]) * most + no[item, label], return_counts=True
        )
        cells = [(*divmod(code // most, most), code % most) for code in codes.tolist()]
        self.sums.add_judged(dict(zip(cells, times.tolist(), strict=True)))


class Rows:
    """What each person said of each item, and what follows, as of `Words`; the rows of an item side by side."""

    def __init__(
        self, item: Ints, person: Ints, said: Facts, closed: Facts, repeated: Facts, reopened: Facts
    ):
        self.item = item
        self.person = person
        self.said = said
        self.closed = closed
        self.repeated = repeated
        self.reopened = reopened
        self.begins = np.flatnonzero(np.diff(item, prepend=-1))

    def votes(self) -> Ints:
        """What people say of cells that someone was asked again."""
        if not len(self.item):
            return NO_VOTES
        asked = np.maximum.reduceat(self.repeated, self.begins, axis=0) >= 0
        sizes = np.diff(self.begins, append=len(self.item))
        row, label = np.nonzero((self.closed >= 0) & np.repeat(asked, sizes, axis=0))
        return np.column_stack(
            [self.item[row], label, self.person[row], self.closed[row, label]]
        ).astype(np.int64)


def _counted(one: Facts, other: Facts, free: Mask | None = None) -> Ints:
    """Of the cells of each row that both know, and are free, how many are yes-yes, no-no, and different."""
    both = (one >= 0) & (other >= 0)
    same = one == other
    if free is not None:
        both &= free
    counted = [both & same & (one == 1), both & same & (one == 0), both & ~same]
    return np.stack([cells.sum(axis=1) for cells in counted], axis=1)
