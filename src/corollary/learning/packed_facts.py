"""Facts in two bits a cell, for tables that are read a row at a time."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from ..logic.engines import Facts

#: Cells in a byte, the first in the lowest bits: 0 is unknown, 1 no, 2 yes.
CELLS = 4
#: The cells of every byte, in the four bytes of one number.
UNPACKED = (
    ((np.arange(256)[:, None] >> (2 * np.arange(CELLS)) & 3) - 1)
    .astype(np.int8)
    .view(np.uint32)[:, 0]
)
#: Rows packed at once, to save memory.
ROWS_AT_ONCE = 4096


class PackedFacts:
    """Facts of N items, -1 unknown, 0 no, 1 yes; rows are read as int8, (K,) or (n, K), and put as such."""

    def __init__(self, n_items: int, n_labels: int):
        self.bytes = np.zeros((n_items, -(-n_labels // CELLS)), np.uint8)
        self._n_labels = n_labels

    @classmethod
    def of(cls, facts: Facts) -> Self:
        """The same facts, packed."""
        out = cls(*facts.shape)
        for start in range(0, len(facts), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            out[rows] = facts[rows]
        return out

    def __len__(self) -> int:
        return len(self.bytes)

    def __getitem__(self, rows: int | slice | npt.NDArray[np.int64]) -> Facts:
        """A copy of some rows."""
        unpacked = UNPACKED.take(self.bytes[rows]).view(np.int8)
        return unpacked[..., : self._n_labels]

    def __setitem__(self, rows: int | slice | npt.NDArray[np.int64], facts: Facts) -> None:
        codes = np.zeros((*facts.shape[:-1], self.bytes.shape[1] * CELLS), np.int8)
        np.add(facts, 1, out=codes[..., : self._n_labels])
        four = codes.view(
            "<u4"
        )  # the codes are 8 bits apart, and shall be 2; bits above the lowest byte are cut off
        self.bytes[rows] = (four | four >> 6 | four >> 12 | four >> 18).astype(np.uint8)

    def put(self, i: int, k: int, value: int) -> None:
        """Put one fact."""
        place = k // CELLS
        shift = 2 * (k % CELLS)
        self.bytes[i, place] = self.bytes.item(i, place) & ~(3 << shift) | (value + 1) << shift

    def differ(self, facts: Facts) -> npt.NDArray[np.int64]:
        """The rows in which these facts and others (N, K) are not the same."""
        found = [
            start
            + np.flatnonzero(
                (self[start : start + ROWS_AT_ONCE] != facts[start : start + ROWS_AT_ONCE]).any(
                    axis=1
                )
            )
            for start in range(0, len(facts), ROWS_AT_ONCE)
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def copy(self) -> Self:
        """The same facts, which later ones do not change."""
        twin = type(self)(0, self._n_labels)
        twin.bytes = self.bytes.copy()
        return twin
