"""One thread that writes: all events that wait go into one transaction, and are acknowledged when it is on disk."""

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
from .event_groups import UNKNOWN, Group, Receipt, brief, insert, kept, promise, told
from .records import Lease, StoreError, StoreTaken

LEASE_SECONDS = 0.5  # how far the mirror of the leases may be behind
BEAT_SECONDS = 2.0  # how late it may be noticed that a database that is not asked anything has gone
SLEPT_SECONDS = (
    3 * BEAT_SECONDS
)  # a pause between two tries after which another process may have taken over
T = TypeVar("T")
Change = Callable[[sa.Connection], T]
LOG = logging.getLogger(__name__)


#: After a write that failed the campaign counts as not to be written for so long, unless one succeeds.
FAILING_SECONDS = 60.0


class Writer:
    """The only one that writes to an open campaign.

    `connect` gives the connection, a new one if the last was lost; `find` the places of keys that are stored.
    An event gets its place when it is handed in, so that the caller can act on it at once. If a transaction fails, its
    events are refused and so are all that wait behind them, for they have lost their places; the next event
    goes after the last one that is stored. `epoch` grows whenever what callers have in memory may no longer be what is
    stored: a write failed, or nobody knows whether it did, or another process had the campaign meanwhile. With `beat`
    the connection is tried now and then, also while there is nothing to write.
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
        )  # when the connection was last tried, with or without success
        self._trying_since: float | None = None  # when the try that is under way began
        self._failed_at: float | None = None  # when the last write failed; None where it did not
        self._state = Condition()
        self._last: int | None = None  # the last place given away; None until read from the log
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
        """The place of the last event, stored or waiting."""
        if self._last is None:
            self.change(self._read_last, derived=True).result()
        if (last := self._last) is None:
            raise StoreError("the log failed again while its end was read; try again")
        return last

    @property
    def failing(self) -> bool:
        """Whether the last write failed, less than a minute ago: after that others may try."""
        failed = self._failed_at
        return failed is not None and time.monotonic() - failed < FAILING_SECONDS

    @property
    def slept(self) -> bool:
        """Whether this process did not run for a while, and has not tried the connection since."""
        trying = self._trying_since
        now = time.monotonic() if trying is None else trying
        return self._beat and now - self._tried_at > SLEPT_SECONDS

    def try_connection(self) -> None:
        """Find out whether the campaign is still this process's; where another has it `epoch` grows."""
        with suppress(StoreError):  # a database that is away takes nothing over
            self.change(lambda connection: connection.execute(sa.select(1)), derived=True).result()

    def append(
        self, events: Sequence[Event], *, before: Change[None] | None = None, new: bool = False
    ) -> list[Receipt]:
        """Hand in events that are stored together or not at all; those whose key is known keep their first place.

        `new` says that the caller knows all keys and these are not among them: nothing is looked up.
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
        """Run something in a transaction of its own, between the events.

        `derived` says that it writes nothing that is kept in memory, too: if it fails nothing has to be read again.
        """
        future: Future[T] = promise()
        with self._state:
            self._check_open()
            self._changes.append((make, future, derived))
            self._state.notify_all()
        return future

    def mirror(self, held: Iterable[Lease], released: Iterable[str]) -> None:
        """Write leases down soon, without waiting."""
        with self._state:
            self._check_open()
            if not self._leases:
                self._leases_due = time.monotonic() + LEASE_SECONDS
            self._leases |= {lease.id: lease for lease in held} | dict.fromkeys(released)
            self._state.notify_all()

    def close(self) -> None:
        """Write what waits, then stop."""
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
        except Exception as error:  # whoever writes next is told
            LOG.warning("the database does not answer: %s", brief(error))

    def _lease_wait(self) -> float | None:
        return max(0.0, self._leases_due - time.monotonic()) if self._leases else None

    def _write(self, groups: list[Group]) -> None:
        try:
            self._transact(lambda connection: insert(connection, groups))
        except (
            Exception
        ) as error:  # whatever it was, the callers must hear of it and the thread must go on
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
            refusal = StoreError(f"{told(error)}: {brief(error)}")
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
                else StoreError(f"{told(error)}: {brief(error)}")
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
        except Exception as error:  # a mirror: the leases in memory count, and no answer may suffer
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
            ):  # it may be gone for good; the next transaction gets a new one
                connection.invalidate()
                connection.close()
            # A server that was started anew has lost the connection; nobody knows whether a commit came through.
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
