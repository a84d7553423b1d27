"""The ids and texts of the items as they are searched."""

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
    """Texts without upper case; what a shorter query found is what a longer one is searched in."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._folded: list[str] = []
        self._last: tuple[str, Mask] | None = None

    def missing(self, items: Mapping[str, Item]) -> list[Item]:
        """The items that are not known here yet; under the campaign's lock. Items are added, and never changed."""
        if len(self._folded) > len(items):
            self._folded = []
        return (
            list(islice(items.values(), len(self._folded), None))
            if len(self._folded) < len(items)
            else []
        )

    def having(self, query: str, n: int, new: Sequence[Item] = ()) -> Mask:
        """Which of the first n items have the query in their id or text; `new` are those after the ones known here."""
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
