"""Pairs of items that relations may hold of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import CorollaryError

Ints = npt.NDArray[np.int64]


class Pairs:
    """Pairs of items, each with a head and a tail, by the items' numbers.

    A pair and its reverse are two pairs. Relations hold of the listed pairs only. A symmetric relation, or one with an
    inverse, says the same of the reverse, whether that is listed or not.

    Parameters
    ----------
    head, tail
        The number of an item for each pair.
    X
        What a session's learner sees of the pairs: a matrix, a table, or a list of texts. By default it
        sees the features of both ends, and `texts`.
    texts
        The words that people read of each pair.
    beliefs
        The probability of each relation, pairs x relations. They replace the learner of relations.
    facts
        The relations known from the start, pairs x relations: 1, 0, and -1 if unknown; or a dict of some
        pairs, `{(0, 1): {"eats": True}}`.

    Raises
    ------
    CorollaryError
        If a pair has one item twice, is there twice, or an argument has another number of rows.
    """

    def __init__(
        self,
        head: npt.ArrayLike,
        tail: npt.ArrayLike,
        *,
        X: Any = None,
        texts: Any = None,
        beliefs: Any = None,
        facts: Any = None,
    ):
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
        size = int(self.tail.max(initial=-1)) + 1
        _, first, which = np.unique(
            self.head * size + self.tail, return_index=True, return_inverse=True
        )
        before = first[which]
        if (again := before != np.arange(len(before))).any():
            j = int(np.argmax(again))
            raise CorollaryError(
                f"pair {j} ({self.head[j]}, {self.tail[j]}) is the same as pair {before[j]}; leave one out"
            )

        self.X, self.texts, self.beliefs, self.facts = X, texts, beliefs, facts
        for what, table in (("X", X), ("texts", texts), ("beliefs", beliefs), ("facts", facts)):
            rows = None if what == "facts" and isinstance(table, Mapping) else _length(table)
            if rows is not None and rows != len(self.head):
                raise CorollaryError(
                    f"{what} of Pairs must have a row for each of {len(self.head):,} pairs, got {rows:,}"
                )

    def __len__(self) -> int:
        return len(self.head)

    def __repr__(self) -> str:
        return f"<{len(self):,} Pairs>"

    @cached_property
    def _row(self) -> dict[tuple[int, int], int]:
        ends = zip(self.head.tolist(), self.tail.tolist(), strict=True)
        return {of: j for j, of in enumerate(ends)}

    def row(self, of: object) -> int:
        """Return the row of a pair.

        Parameters
        ----------
        of
            The pair, as (head, tail).

        Returns
        -------
        int

        Raises
        ------
        CorollaryError
            If there is no such pair.
        """
        found = self._row.get(of) if isinstance(of, tuple) else None
        if found is None:
            raise CorollaryError(f"{of!r} is not one of the pairs")
        return found

    def rows(self, what: str, given: Any) -> Any:
        """Return rows of values for all pairs if given by pair, else the values unchanged.

        Parameters
        ----------
        what
            The name of the argument, for messages.
        given
            The values: a dict from pairs, or rows.

        Returns
        -------
        list or the same value
        """
        if not isinstance(given, Mapping):
            return given
        rows: list[Mapping[str, Any]] = [{} for _ in range(len(self))]
        for of, row in given.items():
            if isinstance(of, str) or not isinstance(row, Mapping):
                raise CorollaryError(
                    f"{what}: the key {of!r} is no pair; a dict is of pairs: {{(head, tail): {{relation: True}}}}"
                )
            rows[self.row(of)] = row
        return rows

    def check_items(self, n: int) -> None:
        """Raise an error if the end of a pair is not among the items.

        Parameters
        ----------
        n
            The number of items.

        Raises
        ------
        CorollaryError
            If a head or a tail is no row of an item.
        """
        for what, ends in (("head", self.head), ("tail", self.tail)):
            if (absent := ends >= n).any():
                j = int(np.argmax(absent))
                raise CorollaryError(
                    f"pair {j}: its {what} is item {ends[j]}, but there are {n:,} items"
                )


def _numbers(what: str, ends: npt.ArrayLike) -> Ints:
    try:
        array = np.asarray(ends)
    except ValueError:
        raise CorollaryError(
            f"{what} must be the numbers of items, one for each pair; got lists of several lengths"
        ) from None
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


def _length(table: Any) -> int | None:
    """The number of rows; None if the table does not tell, as functions do not."""
    if isinstance(table, dict):
        table = next(iter(table.values()), [])
    if hasattr(table, "shape"):
        return int(table.shape[0]) if len(table.shape) else None
    return len(table) if hasattr(table, "__len__") else None
