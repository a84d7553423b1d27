"""Pairs of items that relations may hold of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import CorollaryError

Ints = npt.NDArray[np.int64]


class Pairs:
    """Pairs of items, each with a head and a tail, by the items' numbers.

    A pair and its reverse are two pairs. Relations hold of the listed pairs only. A symmetric relation, or one with an
    inverse, says the same of the reverse, whether that is listed or not.
    """

    def __init__(self, head: npt.ArrayLike, tail: npt.ArrayLike):
        self.head = _numbers("head", head)
        self.tail = _numbers("tail", tail)
        if len(self.head) != len(self.tail):
            raise CorollaryError(
                f"head and tail must be of one length, got {len(self.head):,} and {len(self.tail):,}"
            )
        if (same := self.head == self.tail).any():
            j = int(np.argmax(same))
            raise CorollaryError(
                f"pair {j}: head and tail are both item {self.head[j]}; a pair has two items"
            )
        both = np.stack([self.head, self.tail], axis=1)
        _, first, which = np.unique(both, axis=0, return_index=True, return_inverse=True)
        before = first[which.reshape(-1)]
        if (again := before != np.arange(len(before))).any():
            j = int(np.argmax(again))
            raise CorollaryError(
                f"pair {j} ({self.head[j]}, {self.tail[j]}) is the same as pair {before[j]}; leave one out"
            )

    def __len__(self) -> int:
        return len(self.head)

    def __repr__(self) -> str:
        return f"<{len(self):,} Pairs>"

    def check_items(self, n: int) -> None:
        """An error for a pair whose end is not among `n` items."""
        for what, ends in (("head", self.head), ("tail", self.tail)):
            if (absent := ends >= n).any():
                j = int(np.argmax(absent))
                raise CorollaryError(
                    f"pair {j}: its {what} is item {ends[j]}, but there are {n:,} items"
                )


def _numbers(what: str, ends: npt.ArrayLike) -> Ints:
    array = np.asarray(ends)
    if not array.size:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise CorollaryError(
            f"{what} must be the numbers of items, one for each pair; got {array.dtype} of shape {array.shape}"
        )
    if array.min() < 0:
        j = int(np.argmin(array))
        raise CorollaryError(
            f"pair {j}: its {what} is item {array[j]}; numbers of items begin at 0"
        )
    return array.astype(np.int64)
