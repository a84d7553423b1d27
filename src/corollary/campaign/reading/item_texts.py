"""The ids and texts of items, prepared for search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, repeat
from operator import contains
from threading import Lock

import numpy as np
import numpy.typing as npt

from ..items import Item

Mask = npt.NDArray[np.bool_]


class Texts:
    """Texts in lower case; a longer query is searched only in the matches of a shorter one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._folded: list[str] = []
        self._last: tuple[str, Mask] | None = None

    def missing(self, items: Mapping[str, Item]) -> list[Item]:
        """Return the items that are new here; needs the campaign's lock. Items never change."""
        if len(self._folded) > len(items):
            self._folded = []
        return (
            list(islice(items.values(), len(self._folded), None))
            if len(self._folded) < len(items)
            else []
        )

    def having(self, query: str, n: int, new: Sequence[Item] = ()) -> Mask:
        """Return which of the first n items contain the query; `new` are the items that are new here."""
        with self._lock:
            known = len(self._folded)
            if n > known:
                self._folded += [_folded(item) for item in new[len(new) - (n - known) :]]
            folded = self._folded[:n] if n < known else self._folded
            last = self._last
            wanted = query.casefold()
            if last is not None and (len(last[1]) != n or last[0] not in wanted):
                last = None
            found = np.ones(n, np.bool_) if last is None else last[1].copy()
            if last is None or last[0] != wanted:
                rows = np.flatnonzero(found)
                some = folded if last is None else [folded[i] for i in rows.tolist()]
                found[rows] = np.fromiter(map(contains, some, repeat(wanted)), np.bool_, len(some))
                self._last = (wanted, found.copy())
            return found


def _folded(item: Item) -> str:
    return f"{item.id}\n{item.text or ''}".casefold()
