"""The log and what follows from it, kept in step: an event is checked, placed and applied, then safe before told."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, Generic, TypeVar

from ..logic.errors import CorollaryError
from .events import Event
from .items import Item
from .state import Change, State
from .storage.errors import StoreError
from .storage.store import Store
from .storage.writer import Receipt

R = TypeVar("R")
#: So many replies are kept for clients that ask again.
REPLIES = 10_000


@dataclass(frozen=True, slots=True)
class Ticket:
    """An event on its way to the disk."""

    event: Event
    change: Change
    receipt: Receipt
    epoch: int


@dataclass(frozen=True, slots=True)
class Pending(Generic[R]):
    """A reply whose event is on its way to the disk: nobody may be told it before `wait` returns it.

    `receipt` is there for those who wait in their own way; None where the event is safe already.
    """

    reply: R
    _ledger: Ledger
    _ticket: Ticket | None

    @property
    def receipt(self) -> Receipt | None:
        """Tells when the event is safe; if that fails, `wait` brings memory back in step with the log."""
        return None if self._ticket is None else self._ticket.receipt

    def wait(self) -> R:
        """The reply, once its event is safe; not under the lock."""
        if self._ticket is not None:
            self._ledger.wait(self._ticket)
        return self.reply


class Ledger:
    """One state, one log. `load` reads the state from the store: at the start, and again if a write failed."""

    def __init__(self, store: Store, load: Callable[[], State]):
        self.store = store
        self.lock = RLock()
        self._load = load
        self._epoch = 0
        self._replies: OrderedDict[str, tuple[Any, Ticket]] = OrderedDict()
        self._last: Ticket | None = None
        self.state = load()
        self._keys = {event.key: event.seq for event in self.state.events}

    def write(
        self,
        key: str,
        about: tuple[str, str],
        draft: Callable[[State], Event],
        tell: Callable[[Event, Change], R],
        *,
        retell: Callable[[Event], R],
    ) -> Pending[R]:
        """Write one event; what it did may be told once it is safe.

        `about` is its kind and who writes it. `draft` checks and makes it, `tell` says what it did; both run under
        the lock. A key that is there already changes nothing: its first reply is given again, or what `retell` makes
        of the event if that is long ago.
        """
        with self.lock:
            if (seq := self._keys.get(key)) is not None:
                return self._again(self.state.event(seq), about, retell)
            ticket = self.put(draft(self.state), key=key)
            reply = tell(ticket.event, ticket.change)
            self._replies[key] = (reply, ticket)
            while len(self._replies) > REPLIES:
                self._replies.popitem(last=False)
            return Pending(reply, self, ticket)

    def put(self, draft: Event, *, key: str | None = None) -> Ticket:
        """Place an event that was checked and apply it; under the lock. `wait` tells when it is safe."""
        return self._put([replace(draft, key=key or draft.key, **self._place(1))])[-1]

    def put_all(self, drafts: Sequence[Event], *, items: Sequence[Item] = ()) -> list[Ticket]:
        """Place events that are stored together or not at all, with new items."""
        return self._put([replace(draft, **self._place(n)) for n, draft in enumerate(drafts, start=1)], items)

    def _place(self, n: int) -> dict[str, Any]:
        """What the n-th of the events to come has from its place in the log."""
        state = self.state
        model = 0 if state.model is None else int(state.model.value)
        return {"seq": state.seq + n, "ontology": state.version, "model": model}

    def _put(self, events: Sequence[Event], items: Sequence[Item] = ()) -> list[Ticket]:
        state = self.state
        try:
            receipts = self.store.append_all(events, items=items, new=True)
        except StoreError:
            self._recover(self._epoch)
            raise
        try:
            if len(events) == 1:
                changes = [state.apply(events[0], ids=[item.id for item in items])]
            else:
                state.apply_all(events, ids=[item.id for item in items])
                changes = [Change()] * len(events)
        except Exception:
            self._recover(self._epoch)  # the event is in the log: memory must follow it
            raise
        self._keys.update((event.key, event.seq) for event in events)
        tickets = [Ticket(*parts, self._epoch) for parts in zip(events, changes, receipts, strict=True)]
        self._last = tickets[-1]
        return tickets

    def wait(self, ticket: Ticket) -> None:
        """Until the event is safe; not under the lock. If it could not be stored the state is read again."""
        try:
            ticket.receipt.wait()
        except StoreError:
            with self.lock:
                self._recover(ticket.epoch)
            raise

    def flush(self) -> None:
        """Until all events so far are safe."""
        if self._last is not None:
            self.wait(self._last)

    def _again(self, first: Event, about: tuple[str, str], retell: Callable[[Event], R]) -> Pending[R]:
        if (first.kind, first.who) != about:
            raise CorollaryError(f"the key {first.key!r} was used for something else; each event needs its own")
        if first.key in self._replies:
            return Pending(self._replies[first.key][0], self, self._replies[first.key][1])
        return Pending(retell(first), self, None)

    def _recover(self, epoch: int) -> None:
        """Read everything again, once for all writes that failed together."""
        if epoch != self._epoch:
            return
        self._epoch += 1
        self._last = None
        self.state = self._load()
        self._keys = {event.key: event.seq for event in self.state.events}
        self._replies = OrderedDict((key, told) for key, told in self._replies.items() if key in self._keys)
