"""What was said of cells as evidence (N, K): cells of which nobody spoke take no room."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
import numpy.typing as npt

from ..logic.engines import Floats

Rows = npt.NDArray[np.int64]
#: So few rows are looked up one by one.
FEW = 8


class Evidence:
    """Log-likelihood ratios of the cells that something was said of, 0 elsewhere; rows are read as (n, K)."""

    def __init__(self, n_items: int, n_labels: int):
        self._shape = n_items, n_labels
        self._first = np.zeros(
            n_items + 1, np.int32
        )  # where each item begins in the two that follow
        self._label = np.empty(0, np.int32)
        self._ratio = np.empty(0)
        #: Items that were put one by one, which count instead: the labels spoken of, and the ratios.
        self.since: dict[int, tuple[Rows, Floats]] = {}

    def put(self, i: int, row: Floats) -> None:
        """Put all that was said of item i, (K,)."""
        labels = np.flatnonzero(row)
        self.since[i] = labels, row[labels]

    def put_all(self, item: Rows, label: Rows, ratio: Floats) -> None:
        """Put all that was said of all items: a ratio for each statement, in the order in which they are added up."""
        n_items, n_labels = self._shape
        cells, place = np.unique(item * n_labels + label, return_inverse=True)
        self._ratio = np.zeros(len(cells))
        np.add.at(self._ratio, place, ratio)
        self._label = (cells % n_labels).astype(np.int32)
        self._first = np.searchsorted(cells, np.arange(n_items + 1) * n_labels).astype(np.int32)
        self.since = {}

    def __getitem__(self, rows: Rows) -> Floats:
        out = np.zeros((len(rows), self._shape[1]))
        if len(rows) <= FEW:
            for row, i in enumerate(rows.tolist()):
                labels, ratios = self._of(i)
                out[row, labels] = ratios
            return out
        count = self._first[rows + 1] - self._first[rows]
        if count.any():
            ends = np.cumsum(count)
            place = np.arange(ends[-1]) + np.repeat(self._first[rows] - ends + count, count)
            out[np.repeat(np.arange(len(rows)), count), self._label[place]] = self._ratio[place]
        for row, i in enumerate(rows.tolist() if self.since else ()):
            if i in self.since:
                labels, ratios = self.since[i]
                out[row] = 0.0
                out[row, labels] = ratios
        return out

    def _of(self, i: int) -> tuple[npt.NDArray[np.integer], Floats]:
        """The labels of one item that something was said of, and the ratios."""
        if i in self.since:
            return self.since[i]
        place = slice(self._first[i], self._first[i + 1])
        return self._label[place], self._ratio[place]

    def copy(self) -> Self:
        """Return a copy that later reports do not change; kept arrays are never written to."""
        twin = copy(self)
        twin.since = self.since.copy()
        return twin
