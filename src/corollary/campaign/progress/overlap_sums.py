"""How far people agree, summed over items: what is added of an item can be taken out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from .agreement import reliability

Ints = npt.NDArray[np.int64]
#: What someone says of a cell: the item, the label by number, who, yes or no.
Vote = tuple[str, int, str, bool]


class Sums:
    """Of each label pairs of people who judged it, and of those who differ; cells by label, how many say yes and no.

    `people` has by person the cells of each pair with another: yes-yes, no-no, different; as said, and as follows.
    """

    def __init__(self, labels: int):
        self.pairs, self.differ = (np.zeros(labels, np.int64) for _ in range(2))
        self.judged: Counter[tuple[int, int, int]] = Counter()
        self.people: dict[str, Ints] = {}

    def add(self, other: Sums, *, times: int = 1) -> None:
        """Add other sums; take them out with `times` -1."""
        self.add_pairs(other.pairs, other.differ, times=times)
        self.add_judged(other.judged, times=times)
        self.add_people(other.people, times=times)

    def add_pairs(self, pairs: Ints, differ: Ints, *, times: int = 1) -> None:
        """Count pairs of people, by label."""
        self.pairs += times * pairs
        self.differ += times * differ

    def add_judged(self, judged: Mapping[tuple[int, int, int], int], *, times: int = 1) -> None:
        """Count cells, by label, how many say yes and how many no."""
        for cell, often in judged.items():
            self.judged[cell] += times * often
            if not self.judged[cell]:
                del self.judged[cell]

    def add_people(self, people: Mapping[str, Ints], *, times: int = 1) -> None:
        """Count cells of pairs of people, by person."""
        for who, counted in people.items():
            self.people[who] = self.people.get(who, 0) + times * counted

    def cells(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Of cells that are alike the label, how many say yes, how many no, and how many such cells there are."""
        cells = np.array([(*cell, often) for cell, often in sorted(self.judged.items())], np.int64)
        label, yes, no, often = cells.reshape(-1, 4).T
        return label, yes, no, often


class Votes:
    """Votes on cells of plain items, as columns: item, label, person, yes or no; items and people by number."""

    def __init__(self, columns: Ints, items: Iterable[str], people: Iterable[str]):
        self._columns = columns
        self._items = list(items)
        self._people = list(people)

    def without(self, items: Iterable[str]) -> Votes:
        """The votes on all other items."""
        gone = set(items)
        numbers = [i for i in np.unique(self._columns[:, 0]).tolist() if self._items[i] in gone]
        return Votes(
            self._columns[~np.isin(self._columns[:, 0], numbers)], self._items, self._people
        )

    def right(
        self, more: Iterable[Vote], truth: Mapping[tuple[str, int], bool], *, enough: int
    ) -> dict[str, float]:
        """How often each person is right, of whom there are `enough` votes, with more votes and what is true for sure.

        Votes are taken in one order, whatever was said first: sums are the same.
        """
        others = list(more)
        numbers, used = np.unique(self._columns[:, 0], return_inverse=True)
        names = [self._items[i] for i in numbers.tolist()]
        items = sorted({*names, *(one[0] for one in others)})
        people = sorted({*self._people, *(one[2] for one in others)})
        place, number = ({name: i for i, name in enumerate(names)} for names in (items, people))
        columns = self._columns.copy()
        columns[:, 0] = np.array([place[name] for name in names], np.int64)[used]
        columns[:, 2] = np.array([number[who] for who in self._people], np.int64)[
            self._columns[:, 2]
        ]
        further = [(place[item], k, number[who], int(value)) for item, k, who, value in others]
        columns = np.vstack([columns, np.array(further, np.int64).reshape(-1, 4)])
        if not len(columns):
            return {}
        columns = columns[np.lexsort(columns.T[[2, 1, 0]])]
        labels = int(columns[:, 1].max()) + 1
        units, unit = np.unique(columns[:, 0] * labels + columns[:, 1], return_inverse=True)
        certain = np.full(len(units), -1, np.int8)
        for (item, k), value in truth.items():
            if item in place and k < labels:
                at = int(np.searchsorted(units, place[item] * labels + k))
                if at < len(units) and units[at] == place[item] * labels + k:
                    certain[at] = value
        spoke = np.bincount(columns[:, 2], minlength=len(people))
        some = np.flatnonzero(spoke)
        right = reliability(unit, np.searchsorted(some, columns[:, 2]), columns[:, 3], certain)
        return {
            people[p]: float(right[n]) for n, p in enumerate(some.tolist()) if spoke[p] >= enough
        }
