"""The log and the state that follows from it, kept in step.

An event is checked, placed and applied. A reply is sent only after the event is on disk.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, Generic, TypeVar

from ...logic.errors import CorollaryError
from ..events import GROUP, Event
from ..items import Item
from ..state.state import Change, State
from ..state.unreadable import REPAIRS, Trouble, Unreadable
from ..state.verdicts import with_verdict
from ..storage.event_groups import Receipt
from ..storage.records import StoreError
from ..storage.reported import Reported
from ..storage.store import Store

R = TypeVar("R")
LOG = logging.getLogger(__name__)
#: After a failed reading, every caller gets an error at once for this time, instead of waiting for
#: the next try.
PAUSE_SECONDS = 1.0
#: The number of replies that are kept for clients that ask again.
REPLIES = 10_000


@dataclass(frozen=True, slots=True)
class Ticket:
    """An event on its way to the disk."""

    event: Event
    change: Change
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Pending(Generic[R]):
    """A reply whose event is on its way to the disk. Send it only after `wait` has returned."""

    reply: R
    _ticket: Ticket | None

    @property
    def receipt(self) -> Receipt | None:
        """The receipt of the event, which reports when it is on disk; None if it already is."""
        return None if self._ticket is None else self._ticket.receipt

    def wait(self) -> R:
        """Return the reply once its event is on disk. Do not call it under the lock."""
        if self._ticket is not None:
            self._ticket.receipt.wait()
        return self.reply


class Ledger:
    """One log, and its state in memory.

    `load` reads the state from the store: at the start, and again when the store's epoch says that
    memory and store may differ. Until that has succeeded, every access raises StoreError, so that
    nothing is added to a log that was not read.
    """

    def __init__(self, store: Store, load: Callable[[], State]):
        self.store = store
        self.lock = RLock()
        self._load = load
        self._replies: OrderedDict[str, tuple[Any, Ticket | None]] = OrderedDict()
        self._last: Ticket | None = None
        self._resting_until = 0.0
        self._replying = False  # a reply is being made from the state after its event
        self._epoch: int | None = None  # the store's epoch at the last reading; None: never read
        self._state: State
        self.keep_up()

    @property
    def state(self) -> State:
        """The state of the campaign; StoreError while the log cannot be read."""
        self.keep_up()
        return self._state

    @property
    def in_step(self) -> bool:
        """Whether memory and store agree, as far as the store knows."""
        return self._epoch == self.store.epoch and not self.store.slept

    def keep_up(self) -> None:
        """Read the store again if memory and store may differ, or raise StoreError."""
        if self.store.slept:
            self.store.try_connection()
        if self.in_step:
            return
        with self.lock:
            if (
                self.in_step or self._replying
            ):  # another thread has read it, or a reply is made first
                return
            if time.monotonic() < self._resting_until:
                raise StoreError(
                    "the campaign is being read again after a failure; try again in a moment"
                )
            try:
                self._read()
            except Exception as error:
                self._resting_until = time.monotonic() + PAUSE_SECONDS
                if isinstance(error, StoreError):
                    raise
                LOG.exception("the campaign could not be read again")
                raise StoreError(
                    f"the campaign cannot be read: {type(error).__name__}: {error}"
                ) from error

    def _read(self) -> None:
        again = self._epoch is not None
        _ = self.store.last  # waits for writes under way; afterwards no other process can write
        epoch = self.store.epoch  # taken before reading, so that a failure meanwhile causes another
        self._state = self._load()
        self._keys = {event.key: event.seq for event in self._state.events}
        # Replies about events in the log are still true, and their events are on disk.
        self._replies = OrderedDict(
            (key, (reply, None)) for key, (reply, _) in self._replies.items() if key in self._keys
        )
        self._last = None
        self._epoch = epoch
        if again:
            LOG.warning("the campaign was read again after a failure: %d events", self._state.seq)

    def distrust(self) -> None:
        """Have everything read again before the next access."""
        self._epoch = -1

    def write(
        self,
        key: str,
        about: tuple[str, str],
        draft: Callable[[State], Event],
        tell: Callable[[Event, Change], R],
        *,
        retell: Callable[[Event], R],
        reported: Reported | None = None,
    ) -> Pending[R]:
        """Write one event.

        A key that was used before changes nothing, and gives its first reply again.

        Parameters
        ----------
        key
            The client's key of the event, unique in the log.
        about
            The kind of the event, and the person who writes it.
        draft
            Checks and makes the event, under the lock.
        tell
            Makes the reply from the event and its effect, under the lock.
        retell
            Makes the reply of an event whose first reply is no longer kept.
        reported
            The contents of a machine's report.

        Returns
        -------
        Pending
            The reply; `wait` returns it once the event is on disk.
        """
        with self.lock:
            state = self.state
            if (seq := self._keys.get(key)) is not None:
                return self._again(state.event(seq), about, retell)
            drafted = draft(state if state.trouble is None else state.trouble.whole)
            ticket = self.put(drafted, key=key, reported=reported)
            return self._keep_reply(ticket, ticket, lambda: tell(ticket.event, ticket.change))

    def write_all(
        self,
        key: str,
        about: tuple[str, str],
        draft: Callable[[State], Sequence[Event]],
        tell: Callable[[list[Ticket]], R],
        *,
        retell: Callable[[], R],
    ) -> Pending[R]:
        """Write events about different items, all or none, with one reply for all of them.

        Their keys are made from `key`. Everything else is as in `write`.
        """
        with self.lock:
            state = self.state
            if (seq := self._keys.get(f"{key}/1")) is not None:
                return self._again(state.event(seq), about, lambda _: retell())
            drafts = [replace(one, key=f"{key}/{n}") for n, one in enumerate(draft(state), start=1)]
            placed = [replace(one, **self._place(n)) for n, one in enumerate(drafts, start=1)]
            tickets = self._put(placed, each=True)
            return self._keep_reply(tickets[0], tickets[-1], lambda: tell(tickets))

    def write_more(
        self,
        name: str,
        kind: str,
        draft: Callable[[State], Sequence[Event]],
        tell: Callable[[list[Ticket]], R],
        *,
        retell: Callable[[], R],
    ) -> Pending[R]:
        """Write the next batch of a group, all or none; `draft` returns no event when it is done.

        The keys of its events are made from the group's name and their number. So a repeated call
        writes the next batch.
        """
        with self.lock:
            state = self.state
            if (seq := self._keys.get(f"{name}/1", self._keys.get(name))) is not None:
                first = state.event(seq)
                if first.kind != kind or (first.detail or {}).get(GROUP) != name:
                    raise _used(name)
            written = len(state.of_group.get(name, ()))
            drafts = [
                replace(one, key=f"{name}/{n}")
                for n, one in enumerate(draft(state), start=written + 1)
            ]
            if not drafts:
                return Pending(retell(), self._last)
            tickets = self._put(
                [replace(one, **self._place(n)) for n, one in enumerate(drafts, start=1)], each=True
            )
            return Pending(self._reply_of(lambda: tell(tickets)), tickets[-1])

    def _keep_reply(self, first: Ticket, last: Ticket, tell: Callable[[], R]) -> Pending[R]:
        """Make the reply, and keep it under the key of the first event."""
        reply = self._reply_of(tell)
        self._replies[first.event.key] = (reply, last)
        while len(self._replies) > REPLIES:
            self._replies.popitem(last=False)
        return Pending(reply, last)

    def _reply_of(self, tell: Callable[[], R]) -> R:
        self._replying = True
        try:
            return tell()
        finally:
            self._replying = False

    def put(
        self, draft: Event, *, key: str | None = None, reported: Reported | None = None
    ) -> Ticket:
        """Place a checked event in the log and apply it; needs the lock."""
        placed = replace(draft, key=key or draft.key, **self._place(1))
        return self._put([placed], reported=None if reported is None else {placed.seq: reported})[
            -1
        ]

    def put_all(self, drafts: Sequence[Event], *, items: Sequence[Item] = ()) -> list[Ticket]:
        """Place events in the log and apply them, all or none, with new items; needs the lock."""
        return self._put(
            [replace(draft, **self._place(n)) for n, draft in enumerate(drafts, start=1)], items
        )

    def _place(self, n: int) -> dict[str, Any]:
        """Return number, ontology and model of the n-th event from now."""
        state = self.state
        model = 0 if state.model is None else int(state.model.value)
        return {"seq": state.seq + n, "ontology": state.version, "model": model}

    def _put(
        self,
        events: Sequence[Event],
        items: Sequence[Item] = (),
        *,
        reported: dict[int, Reported] | None = None,
        each: bool = False,
    ) -> list[Ticket]:
        state = self.state
        if state.trouble is not None:
            return self._repair(state.trouble, events)
        if items:
            self.store.check_new(items)
        events = [with_verdict(state, event) for event in events]
        try:
            state.reported.update(reported or {})
            if each or len(events) == 1:
                changes = [state.apply(event, ids=[item.id for item in items]) for event in events]
            else:
                state.apply_all(events, ids=[item.id for item in items])
                changes = [Change()] * len(events)
            # Stored only after it was applied: an event that cannot be applied would lock the campaign.
            receipts = self.store.append_all(events, items=items, reported=reported, new=True)
        except Exception:
            self.distrust()  # memory is ahead of the log, or another process has written to it
            raise
        self._keys.update((event.key, event.seq) for event in events)
        tickets = [Ticket(*parts) for parts in zip(events, changes, receipts, strict=True)]
        self._last = tickets[-1]
        return tickets

    def _repair(self, trouble: Trouble, events: Sequence[Event]) -> list[Ticket]:
        """Add events to a log that cannot be replayed, if they repair it."""
        if any(event.kind not in REPAIRS for event in events):
            raise Unreadable(str(trouble))
        placed = [event.placed(trouble.whole.seq + n) for n, event in enumerate(events, start=1)]
        trouble.check(placed)
        receipts = self.store.append_all(placed, new=True)
        for receipt in receipts:
            receipt.wait()
        self.distrust()
        self._read()
        return [
            Ticket(event, Change(), receipt)
            for event, receipt in zip(placed, receipts, strict=True)
        ]

    def flush(self) -> None:
        """Wait until all events so far are on disk."""
        if self._last is not None:
            self._last.receipt.wait()

    def _again(
        self, first: Event, about: tuple[str, str], retell: Callable[[Event], R]
    ) -> Pending[R]:
        if (first.kind, first.who) != about:
            raise _used(first.key)
        if first.key not in self._replies:
            return Pending(retell(first), None)
        reply, ticket = self._replies[first.key]
        if ticket is not None and ticket.receipt.failed and self.in_step:
            ticket = (
                None  # its commit was never confirmed, but it is in the log that was read since
            )
        return Pending(reply, ticket)


def _used(key: str) -> CorollaryError:
    return CorollaryError(f"the key {key!r} was used for something else; each event needs its own")
