"""The log and what follows from it, kept in step: an event is checked, placed and applied, then safe before told."""

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
#: After a reading that failed everybody is told at once, for so long, instead of waiting for the next try in turn.
PAUSE_SECONDS = 1.0
#: So many replies are kept for clients that ask again.
REPLIES = 10_000


@dataclass(frozen=True, slots=True)
class Ticket:
    """An event on its way to the disk."""

    event: Event
    change: Change
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Pending(Generic[R]):
    """A reply whose event is on its way to the disk: nobody may be told it before `wait` returns it.

    `receipt` is there for those who wait in their own way; None where the event is safe already.
    """

    reply: R
    _ticket: Ticket | None

    @property
    def receipt(self) -> Receipt | None:
        """Tells when the event is safe."""
        return None if self._ticket is None else self._ticket.receipt

    def wait(self) -> R:
        """The reply, once its event is safe; not under the lock."""
        if self._ticket is not None:
            self._ticket.receipt.wait()
        return self.reply


class Ledger:
    """One state, one log. `load` reads from the store all that is kept in memory.

    It does so at the start, and again whenever the store says (by its epoch) that memory may no longer be what is
    stored. Until that has succeeded nobody gets the state: StoreError, and the log is never added to blindly.
    """

    def __init__(self, store: Store, load: Callable[[], State]):
        self.store = store
        self.lock = RLock()
        self._load = load
        self._replies: OrderedDict[str, tuple[Any, Ticket | None]] = OrderedDict()
        self._last: Ticket | None = None
        self._resting_until = 0.0
        self._telling = False  # a reply is being made from the state as the event left it
        self._epoch: int | None = None  # the store's, when all was read; None: it must be read
        self._state: State
        self.keep_up()

    @property
    def state(self) -> State:
        """What follows from the log; StoreError while that cannot be read."""
        self.keep_up()
        return self._state

    @property
    def in_step(self) -> bool:
        """Whether memory is what is stored, as far as is known; at once."""
        return self._epoch == self.store.epoch and not self.store.slept

    def keep_up(self) -> None:
        """See to it that memory is what is stored, or raise StoreError."""
        if self.store.slept:
            self.store.try_connection()
        if self.in_step:
            return
        with self.lock:
            if (
                self.in_step or self._telling
            ):  # someone else has read it, or it waits until the reply is made
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
        _ = (
            self.store.last
        )  # what is under way has ended, and no other process can write, when this is known
        epoch = self.store.epoch  # before reading: a failure meanwhile calls for another
        self._state = self._load()
        self._keys = {event.key: event.seq for event in self._state.events}
        # What was told of an event that is in the log after all is as true as before, and it is safe.
        self._replies = OrderedDict(
            (key, (told, None)) for key, (told, _) in self._replies.items() if key in self._keys
        )
        self._last = None
        self._epoch = epoch
        if again:
            LOG.warning("the campaign was read again after a failure: %d events", self._state.seq)

    def distrust(self) -> None:
        """Let everything be read again before anybody gets it."""
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
        """Write one event, perhaps with what a machine `reported`; what it did may be told once it is safe.

        `about` is its kind and who writes it. `draft` checks and makes it, `tell` says what it did; both run under
        the lock. A key that is there already changes nothing: its first reply is given again, or what `retell` makes
        of the event if that is long ago.
        """
        with self.lock:
            state = self.state
            if (seq := self._keys.get(key)) is not None:
                return self._again(state.event(seq), about, retell)
            drafted = draft(state if state.trouble is None else state.trouble.whole)
            ticket = self.put(drafted, key=key, reported=reported)
            return self._told(ticket, ticket, lambda: tell(ticket.event, ticket.change))

    def write_all(
        self,
        key: str,
        about: tuple[str, str],
        draft: Callable[[State], Sequence[Event]],
        tell: Callable[[list[Ticket]], R],
        *,
        retell: Callable[[], R],
    ) -> Pending[R]:
        """Write events about different items, stored together or not at all, each applied by itself.

        Their keys are made of one. As `write` otherwise: what they did is told of all of them together.
        """
        with self.lock:
            state = self.state
            if (seq := self._keys.get(f"{key}/1")) is not None:
                return self._again(state.event(seq), about, lambda _: retell())
            drafts = [replace(one, key=f"{key}/{n}") for n, one in enumerate(draft(state), start=1)]
            placed = [replace(one, **self._place(n)) for n, one in enumerate(drafts, start=1)]
            tickets = self._put(placed, each=True)
            return self._told(tickets[0], tickets[-1], lambda: tell(tickets))

    def write_more(
        self,
        name: str,
        kind: str,
        draft: Callable[[State], Sequence[Event]],
        tell: Callable[[list[Ticket]], R],
        *,
        retell: Callable[[], R],
    ) -> Pending[R]:
        """Write the next batch of a group, all of it or nothing; `draft` has no more events when it is done.

        The keys of its events are made of its name, so that a batch that comes again follows the one before.
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
            return Pending(self._telling_of(lambda: tell(tickets)), tickets[-1])

    def _told(self, first: Ticket, last: Ticket, tell: Callable[[], R]) -> Pending[R]:
        """What was written is told, and kept for who asks again with the key of the first event."""
        reply = self._telling_of(tell)
        self._replies[first.event.key] = (reply, last)
        while len(self._replies) > REPLIES:
            self._replies.popitem(last=False)
        return Pending(reply, last)

    def _telling_of(self, tell: Callable[[], R]) -> R:
        self._telling = True
        try:
            return tell()
        finally:
            self._telling = False

    def put(
        self, draft: Event, *, key: str | None = None, reported: Reported | None = None
    ) -> Ticket:
        """Place an event that was checked and apply it; under the lock. its receipt tells when it is safe."""
        placed = replace(draft, key=key or draft.key, **self._place(1))
        return self._put([placed], reported=None if reported is None else {placed.seq: reported})[
            -1
        ]

    def put_all(self, drafts: Sequence[Event], *, items: Sequence[Item] = ()) -> list[Ticket]:
        """Place events that are stored together or not at all, with new items."""
        return self._put(
            [replace(draft, **self._place(n)) for n, draft in enumerate(drafts, start=1)], items
        )

    def _place(self, n: int) -> dict[str, Any]:
        """What the n-th of the events to come has from its place in the log."""
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
            # Stored only now: a log that cannot be derived would lock the campaign.
            receipts = self.store.append_all(events, items=items, reported=reported, new=True)
        except Exception:
            self.distrust()  # memory is ahead of the log, or another process has written: memory must follow the log
            raise
        self._keys.update((event.key, event.seq) for event in events)
        tickets = [Ticket(*parts) for parts in zip(events, changes, receipts, strict=True)]
        self._last = tickets[-1]
        return tickets

    def _repair(self, trouble: Trouble, events: Sequence[Event]) -> list[Ticket]:
        """Add events to a log that cannot be derived, if it can be with them."""
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
        """Until all events so far are safe."""
        if self._last is not None:
            self._last.receipt.wait()

    def _again(
        self, first: Event, about: tuple[str, str], retell: Callable[[Event], R]
    ) -> Pending[R]:
        if (first.kind, first.who) != about:
            raise _used(first.key)
        if first.key not in self._replies:
            return Pending(retell(first), None)
        told, ticket = self._replies[first.key]
        if ticket is not None and ticket.receipt.failed and self.in_step:
            ticket = None  # nobody heard of its commit, but it has been read from the log since
        return Pending(told, ticket)


def _used(key: str) -> CorollaryError:
    return CorollaryError(f"the key {key!r} was used for something else; each event needs its own")
