"""The thread that writes: all waiting events go into one transaction, and are acknowledged after it."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from threading import Condition, Thread
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ..events import Event, to_row
from . import tables
from .event_groups import UNKNOWN, Group, Receipt, brief, describe, insert, kept, promise
from .records import Lease, StoreError, StoreTaken

LEASE_SECONDS = 0.5  # the largest delay of the stored copy of leases
BEAT_SECONDS = 2.0  # the interval of tries that notice a lost database without other requests
SLEPT_SECONDS = (
    3 * BEAT_SECONDS
)  # after a pause of this length, another process may have taken over
T = TypeVar("T")
Change = Callable[[sa.Connection], T]
LOG = logging.getLogger(__name__)


#: The time that a campaign counts as failing after a failed write, unless a later one succeeds.
FAILING_SECONDS = 60.0


class Writer:
    """The only writer of an open campaign.

    An event gets its number when it is handed in, so that the caller can act on it at once. If a
    transaction fails, its events and all waiting ones are refused, because their numbers are wrong
    now. The next event follows the last stored one.

    Parameters
    ----------
    connect
        Returns the connection, a new one if the last was lost.
    find
        Returns the numbers of keys that are stored.
    beat
        Try the connection from time to time, also without anything to write.

    Attributes
    ----------
    epoch
        Grows whenever memory and store may differ: a write failed, its outcome is unknown, or
        another process had the campaign meanwhile.
    """

    def __init__(
        self,
        connect: Callable[[], sa.Connection],
        find: Callable[[Sequence[str]], dict[str, int]],
        *,
        beat: bool = False,
    ):
        self._connect = connect
        self._find = find
        self._beat = beat
        self.epoch = 0
        self._tried_at = (
            time.monotonic()
        )  # the time of the last try of the connection, with or without success
        self._trying_since: float | None = None  # the start of the current try
        self._failed_at: float | None = None  # the time of the last write if it failed
        self._state = Condition()
        self._last: int | None = None  # the last number given; None until read from the log
        self._groups: list[Group] = []
        self._pending: dict[str, Receipt] = {}  # by key, until committed
        self._changes: deque[tuple[Change[Any], Future[Any], bool]] = deque()
        self._leases: dict[str, Lease | None] = {}  # to write; None: to delete
        self._leases_due = 0.0
        self._closing = False
        self._thread = Thread(target=self._run, name="corollary-writer", daemon=True)
        self._thread.start()

    @property
    def last(self) -> int:
        """The number of the last event, stored or waiting."""
        if self._last is None:
            self.change(self._read_last, derived=True).result()
        if (last := self._last) is None:
            raise StoreError("the end of the log could not be read; try again")
        return last

    @property
    def failing(self) -> bool:
        """Whether the last write failed less than a minute ago; after that others may try."""
        failed = self._failed_at
        return failed is not None and time.monotonic() - failed < FAILING_SECONDS

    @property
    def slept(self) -> bool:
        """Whether this process was suspended, and has not tried the connection since."""
        trying = self._trying_since
        now = time.monotonic() if trying is None else trying
        return self._beat and now - self._tried_at > SLEPT_SECONDS

    def try_connection(self) -> None:
        """Try the connection; `epoch` grows if another process has taken the campaign."""
        with suppress(StoreError):  # without the database nobody can take the campaign
            self.change(lambda connection: connection.execute(sa.select(1)), derived=True).result()

    def append(
        self, events: Sequence[Event], *, before: Change[None] | None = None, new: bool = False
    ) -> list[Receipt]:
        """Hand in events that are stored all or none; an event with a known key keeps its number.

        With `new`, the caller knows that no key is in the log, and none is looked up.
        """
        _ = self.last  # reads the end of the log after a failure
        with self._state:
            self._check_open()
            if self._last is None:
                raise StoreError("the log has just failed; nothing of this was stored, try again")
            known = (
                {}
                if new
                else self._find([event.key for event in events if event.key not in self._pending])
            )
            rows: list[dict[str, Any]] = []
            receipts: list[Receipt] = []
            future = promise()
            fresh: dict[str, Receipt] = {}
            last = self._last
            for event in events:
                if earlier := self._pending.get(event.key) or fresh.get(event.key):
                    receipts.append(Receipt(earlier.seq, True, earlier.future))
                elif event.key in known:
                    receipts.append(Receipt(known[event.key], True, kept(known[event.key])))
                else:
                    if event.seq not in (0, last + 1):
                        raise StoreError(
                            f"event {event.seq} is out of step: the next one is {last + 1}"
                        )
                    last += 1
                    rows.append(to_row(event) | {"seq": last})
                    fresh[event.key] = Receipt(last, False, future)
                    receipts.append(fresh[event.key])
            if rows:
                self._last = last
                self._pending |= fresh
                self._groups.append(Group(rows, before, future))
                self._state.notify_all()
        return receipts

    def change(self, make: Change[T], *, derived: bool = False) -> Future[T]:
        """Run a change in a transaction of its own, between the events.

        With `derived` it writes no data that memory has too, so that a failure needs no reading.
        """
        future: Future[T] = promise()
        with self._state:
            self._check_open()
            self._changes.append((make, future, derived))
            self._state.notify_all()
        return future

    def mirror(self, held: Iterable[Lease], released: Iterable[str]) -> None:
        """Store leases soon, without waiting."""
        with self._state:
            self._check_open()
            if not self._leases:
                self._leases_due = time.monotonic() + LEASE_SECONDS
            self._leases |= {lease.id: lease for lease in held} | dict.fromkeys(released)
            self._state.notify_all()

    def close(self) -> None:
        """Write everything that waits, then stop."""
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._thread.join()

    def _check_open(self) -> None:
        if self._closing:
            raise StoreError("this campaign is closed; open it again")

    def _run(self) -> None:
        while True:
            with self._state:
                beat_at = time.monotonic() + BEAT_SECONDS
                while not (
                    self._groups or self._changes or self._closing or self._lease_wait() == 0
                ):
                    if self._beat and time.monotonic() >= beat_at:
                        break
                    self._state.wait(self._wait(beat_at))
                groups = self._groups
                self._groups = []
                change = self._changes.popleft() if self._changes else None
                leases = {}
                if self._closing or self._lease_wait() == 0:
                    leases = self._leases
                    self._leases = {}
                if self._closing and not (groups or change or leases):
                    return
            if groups:
                self._write(groups)
            if change:
                self._apply(*change)
            if leases:
                self._write_leases(leases)
            if not (groups or change or leases):
                self._try_connection()

    def _wait(self, beat_at: float) -> float | None:
        waits = [self._lease_wait(), max(0.0, beat_at - time.monotonic()) if self._beat else None]
        return min((wait for wait in waits if wait is not None), default=None)

    def _try_connection(self) -> None:
        try:
            self._transact(lambda connection: connection.execute(sa.select(1)))
        except Exception as error:  # the next write raises it
            LOG.warning("the database does not answer: %s", brief(error))

    def _lease_wait(self) -> float | None:
        return max(0.0, self._leases_due - time.monotonic()) if self._leases else None

    def _write(self, groups: list[Group]) -> None:
        try:
            self._transact(lambda connection: insert(connection, groups))
        except Exception as error:  # any error is raised in the callers, and the thread must go on
            self._refuse(groups, error)
            return
        self._failed_at = None
        with self._state:
            for group in groups:
                for row in group.rows:
                    del self._pending[row["key"]]
        for group in groups:
            group.future.set_result(group.rows[-1]["seq"])

    def _refuse(self, groups: list[Group], error: Exception) -> None:
        with self._state:
            groups = groups + self._groups
            self._groups = []
            self._pending.clear()
            self._last = None
            self.epoch += 1
        LOG.error("%d groups of events were not stored: %s", len(groups), brief(error))
        for group in groups:
            refusal = StoreError(f"{describe(error)}: {brief(error)}")
            refusal.__cause__ = error
            group.future.set_exception(refusal)

    def _apply(self, make: Change[T], future: Future[T], derived: bool) -> None:
        try:
            result = self._transact(make)
        except Exception as error:
            self.epoch += not derived
            refusal = (
                error
                if isinstance(error, StoreError)
                else StoreError(f"{describe(error)}: {brief(error)}")
            )
            refusal.__cause__ = error if refusal is not error else None
            future.set_exception(refusal)
        else:
            future.set_result(result)

    def _write_leases(self, leases: dict[str, Lease | None]) -> None:
        held = [asdict(lease) for lease in leases.values() if lease is not None]

        def write(connection: sa.Connection) -> None:
            connection.execute(sa.delete(tables.leases).where(tables.leases.c.id == sa.bindparam("old")),
                               [{"old": lease} for lease in leases])  # fmt: skip
            if held:
                connection.execute(sa.insert(tables.leases), held)

        try:
            self._transact(write)
        except Exception as error:  # only a copy: the leases in memory count
            LOG.warning("leases were not written down, again later: %s", brief(error))
            with self._state:
                self._leases = {} if self._closing else leases | self._leases
                self._leases_due = time.monotonic() + LEASE_SECONDS

    def _transact(self, make: Change[T]) -> T:
        self._trying_since = time.monotonic()
        try:
            return self._try(make)
        finally:
            self._tried_at = time.monotonic()
            self._trying_since = None

    def _try(self, make: Change[T], *, retry: bool = True) -> T:
        try:
            connection = self._connect()
        except StoreTaken:
            with self._state:
                self._last = None
                self.epoch += 1
            raise
        committing = False
        try:
            with connection.begin():
                result = make(connection)
                committing = True
            return result
        except Exception as error:
            if isinstance(error, DBAPIError | OSError):
                self._failed_at = time.monotonic()
            with suppress(
                Exception
            ):  # the connection may be lost; the next transaction gets a new one
                connection.invalidate()
                connection.close()
            # A restarted server has lost the connection. The outcome of a commit is unknown then.
            if (
                retry
                and not committing
                and isinstance(error, DBAPIError)
                and error.connection_invalidated
            ):
                return self._try(make, retry=False)
            if committing:
                error.add_note(UNKNOWN)
            raise

    def _read_last(self, connection: sa.Connection) -> None:
        last = connection.execute(sa.select(sa.func.max(tables.events.c.seq))).scalar() or 0
        with self._state:
            if self._last is None:
                self._last = last
