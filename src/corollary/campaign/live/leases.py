"""Leases: who holds which item until when; in memory, and stored for the next start of the server."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from ...logic.errors import CorollaryError
from ..settings import LONGEST_LEASE
from ..storage.records import Lease


class Leases:
    """Leases on items, each held by one person. Callers end those that ran out with `expired`.

    Parameters
    ----------
    clock
        The time of day, which is shown to people, and read once when a server starts.
    steady
        The clock that decides when a lease runs out, because nobody can set it back. By default the
        system's, or `clock` if that is not the system's.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.time, steady: Callable[[], float] | None = None
    ):
        self._clock = clock
        self._steady = steady or (time.monotonic if clock is time.time else clock)
        self._leases: dict[str, Lease] = {}
        self._of_item: dict[str, str] = {}
        self._end: dict[str, float] = {}  # by lease, on the steady clock
        self._ends: list[
            tuple[float, str]
        ] = []  # the same as a heap, which also has ends that were replaced

    def restore(self, leases: Iterable[Lease]) -> None:
        """Take over stored leases; if an item has two, the later counts.

        No lease lasts longer than LONGEST_LEASE.
        """
        for lease in sorted(leases, key=lambda lease: lease.expires):
            if (old := self._of_item.get(lease.item)) is not None:
                self._forget(old)
            left = datetime.fromisoformat(lease.expires).timestamp() - self._clock()
            if left > LONGEST_LEASE:  # the clock was set back meanwhile
                lease = replace(lease, expires=self._after(LONGEST_LEASE))
            self._keep(lease, left)

    def take(self, who: str, item: str, label: str | None, seconds: float) -> Lease:
        """Lease a free item to a person."""
        if item in self._of_item:
            raise CorollaryError(f"item {item!r} is with {self._leases[self._of_item[item]].who!r}")
        lease = Lease(id=uuid4().hex, item=item, label=label, who=who, expires=self._after(seconds))
        self._keep(lease, seconds)
        return lease

    def renew(self, who: str, ids: Iterable[str], seconds: float) -> list[Lease]:
        """Extend leases of a person; return those that still exist."""
        renewed = []
        for lease in [self._leases.get(one) for one in ids]:
            if lease is not None and lease.who == who:
                longer = replace(lease, expires=self._after(seconds))
                self._keep(longer, seconds)
                renewed.append(longer)
        return renewed

    def release(self, id: str) -> Lease | None:
        """End a lease and return it; None if it does not exist."""
        return self._forget(id) if id in self._leases else None

    def expired(self) -> list[Lease]:
        """End and return all leases that have run out."""
        now = self._steady()
        gone = []
        while self._ends and self._ends[0][0] <= now:
            end, one = heapq.heappop(self._ends)
            if self._end.get(one) == end:  # else it was renewed or released
                gone.append(self._forget(one))
        return gone

    def of(self, who: str) -> list[Lease]:
        """Return the leases of a person, the oldest first."""
        return [lease for lease in self._leases.values() if lease.who == who]

    def on(self, item: str) -> Lease | None:
        """Return the lease on an item."""
        return self._leases[self._of_item[item]] if item in self._of_item else None

    def all(self) -> list[Lease]:
        """Return all leases, the oldest first."""
        return list(self._leases.values())

    def __len__(self) -> int:
        return len(self._leases)

    def _keep(self, lease: Lease, seconds: float) -> None:
        self._leases[lease.id] = lease
        self._of_item[lease.item] = lease.id
        self._end[lease.id] = self._steady() + min(seconds, LONGEST_LEASE)
        heapq.heappush(self._ends, (self._end[lease.id], lease.id))

    def _forget(self, id: str) -> Lease:
        lease = self._leases.pop(id)
        del self._of_item[lease.item], self._end[id]
        return lease

    def _after(self, seconds: float) -> str:
        then = self._clock() + min(seconds, LONGEST_LEASE)
        return datetime.fromtimestamp(then, UTC).isoformat(timespec="microseconds")
