"""Who holds which item until when: in memory, for a server that starts also written down."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from ..logic.errors import CorollaryError
from .storage.records import Lease


class Leases:
    """Leases on items, each held by one person; whoever asks first lets those that ran out go, with `expired`."""

    def __init__(self, *, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._leases: dict[str, Lease] = {}
        self._of_item: dict[str, str] = {}
        self._ends: list[tuple[str, str]] = []  # a heap; times as text sort as times

    def restore(self, leases: Iterable[Lease]) -> None:
        """Take over leases from before; of two on one item the later counts."""
        for lease in sorted(leases, key=lambda lease: lease.expires):
            if (old := self._of_item.get(lease.item)) is not None:
                self._forget(old)
            self._keep(lease)

    def take(self, who: str, item: str, label: str | None, seconds: float) -> Lease:
        """Give an item that is free to someone."""
        if item in self._of_item:
            raise CorollaryError(f"item {item!r} is with {self._leases[self._of_item[item]].who!r}")
        lease = Lease(id=uuid4().hex, item=item, label=label, who=who, expires=self._after(seconds))
        self._keep(lease)
        return lease

    def renew(self, who: str, ids: Iterable[str], seconds: float) -> list[Lease]:
        """Hold some of one's leases for longer; those that are gone are left out."""
        renewed = []
        for lease in [self._leases.get(one) for one in ids]:
            if lease is not None and lease.who == who:
                longer = replace(lease, expires=self._after(seconds))
                self._keep(longer)
                renewed.append(longer)
        return renewed

    def release(self, id: str) -> Lease | None:
        """Let a lease go; None if it is gone."""
        return self._forget(id) if id in self._leases else None

    def expired(self) -> list[Lease]:
        """Let go of all leases that have run out."""
        now, gone = self._after(0), []
        while self._ends and self._ends[0][0] <= now:
            end, one = heapq.heappop(self._ends)
            if one in self._leases and self._leases[one].expires == end:  # else renewed, or released before
                gone.append(self._forget(one))
        return gone

    def of(self, who: str) -> list[Lease]:
        """Someone's leases, the oldest first."""
        return [lease for lease in self._leases.values() if lease.who == who]

    def on(self, item: str) -> Lease | None:
        """The lease on an item."""
        return self._leases[self._of_item[item]] if item in self._of_item else None

    def all(self) -> list[Lease]:
        """All leases, the oldest first."""
        return list(self._leases.values())

    def __len__(self) -> int:
        return len(self._leases)

    def _keep(self, lease: Lease) -> None:
        self._leases[lease.id] = lease
        self._of_item[lease.item] = lease.id
        heapq.heappush(self._ends, (lease.expires, lease.id))

    def _forget(self, id: str) -> Lease:
        lease = self._leases.pop(id)
        del self._of_item[lease.item]
        return lease

    def _after(self, seconds: float) -> str:
        return datetime.fromtimestamp(self._clock() + seconds, UTC).isoformat(timespec="microseconds")
