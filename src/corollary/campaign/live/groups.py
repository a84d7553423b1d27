"""The same answer for many items at once: each its own event, stored together, and taken back together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ...logic.errors import CorollaryError
from ..events import ANSWER, LONGEST_KEY, UNDO, Event, new_key
from ..state.state import State
from . import drafts
from .ledger import Ticket
from .live import Live

#: The name by which events of a group know each other, among their details.
GROUP = "group"
#: Items that are answered at once; everybody waits meanwhile.
MOST = 10_000
LONGEST_NAME = LONGEST_KEY - 10  # the keys of the events are made of it


@dataclass(frozen=True)
class GroupReply:
    """What a group of events did: how many cells are known now or open again, and which items are in conflict.

    `left` are cells that were too many for one group.
    """

    group: str
    events: tuple[Event, ...]
    settled: int = 0
    opened: int = 0
    conflicts: tuple[str, ...] = ()
    counts: dict[str, Any] = field(default_factory=dict)
    left: int = 0


def answer_all(live: Live, who: str, items: Iterable[str], label: str, value: Any, key: str | None) -> GroupReply:
    """Answer a label of many items alike, all or none."""
    name = group_name(key or new_key())

    def draft(state: State) -> list[Event]:
        live.members.check(who, lead=True)
        listed = list(dict.fromkeys(items))
        if not 0 < len(listed) <= MOST:
            raise CorollaryError(f"from 1 to {MOST:,} items are answered at once, got {len(listed):,}")
        made = [drafts.draft_answer(state, who, item, label, value, None) for item in listed]
        return [in_group(event, name) for event in made]

    def tell(tickets: list[Ticket]) -> GroupReply:
        for ticket in tickets:
            live.release_for(who, str(ticket.event.item), label, None)
            live.answered(ticket.event)
        return reply_of(live, name, tickets)

    return live.ledger.write_all(name, (ANSWER, who), draft, tell, retell=lambda: retold(live, name)).wait()


def undo_all(live: Live, who: str, group: str, key: str | None) -> GroupReply:
    """Take back all events of a group that still stand, with what followed from them."""
    name = group_name(key or new_key())

    def draft(state: State) -> list[Event]:
        live.members.check(who, lead=True)
        members = [event for event in state.events if (event.detail or {}).get(GROUP) == group and event.kind != UNDO]
        if not members:
            raise CorollaryError(f"there is no group {group!r}")
        standing = [event.seq for event in members if event.seq not in state.taken_back]
        if not standing:
            raise CorollaryError(f"all {len(members):,} events of the group {group!r} are taken back already")
        return [in_group(drafts.draft_undo(state, who, seq, lead=True), name) for seq in standing]

    return live.ledger.write_all(
        name, (UNDO, who), draft, lambda tickets: reply_of(live, name, tickets), retell=lambda: retold(live, name)
    ).wait()


def group_name(name: str) -> str:
    """The name of a group, if it is not too long."""
    if len(name) > LONGEST_NAME:
        raise CorollaryError(f"the key of a group may have {LONGEST_NAME} characters, got {len(name):,}")
    return name


def in_group(event: Event, name: str) -> Event:
    """The event as one of a group."""
    return replace(event, detail={**(event.detail or {}), GROUP: name})


def reply_of(live: Live, name: str, tickets: list[Ticket], *, left: int = 0) -> GroupReply:
    """What is told of a group."""
    return GroupReply(
        name,
        tuple(ticket.event for ticket in tickets),
        sum(len(ticket.change.settled) for ticket in tickets),
        sum(len(ticket.change.opened) for ticket in tickets),
        tuple(str(ticket.event.item) for ticket in tickets if ticket.change.after.conflicts),
        live.state.counts(),
        left,
    )


def retold(live: Live, name: str) -> GroupReply:
    """What is told of a group that came again when its reply is gone."""
    events = (event for event in live.state.events if (event.detail or {}).get(GROUP) == name)
    return GroupReply(name, tuple(events), counts=live.state.counts())
