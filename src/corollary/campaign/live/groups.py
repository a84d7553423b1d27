"""The same answer for many items at once: each its own event, stored together, and taken back together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ...logic.errors import CorollaryError
from ..events import ANSWER, GROUP, LONGEST_KEY, UNDO, Event, new_key
from ..state.state import State
from . import drafts
from .ledger import Ticket
from .live import Live

#: The most items that are answered at once.
MOST = 10_000
#: The number of events that are written at a time where a group is written in batches; everybody waits meanwhile.
BATCH = 500
LONGEST_NAME = LONGEST_KEY - 10  # the keys of the events are made of it


@dataclass(frozen=True)
class GroupReply:
    """What events of a group did: how many cells are known now or open again, and which items are in conflict.

    `done` counts the events of the group so far, `left` those that are still to come: repeat the key to go on.
    """

    group: str
    events: tuple[Event, ...]
    settled: int = 0
    opened: int = 0
    conflicts: tuple[str, ...] = ()
    counts: dict[str, Any] = field(default_factory=dict)
    done: int = 0
    left: int = 0


#: Is called with how many events are done, and of how many.
Progress = Callable[[int, int], None]


def until_done(write: Callable[[], GroupReply], progress: Progress | None) -> GroupReply:
    """Write the batches of a group until nothing is left, and report all of them together."""
    replies = [write()]
    while replies[-1].left:
        if progress is not None:
            progress(replies[-1].done, replies[-1].done + replies[-1].left)
        replies.append(write())
    return replace(
        replies[-1],
        events=tuple(event for reply in replies for event in reply.events),
        settled=sum(reply.settled for reply in replies),
        opened=sum(reply.opened for reply in replies),
        conflicts=tuple(item for reply in replies for item in reply.conflicts),
    )


def answer_all(
    live: Live, who: str, items: Iterable[str], label: str, value: Any, key: str | None
) -> GroupReply:
    """Answer a label of many items alike, all or none."""
    name = group_name(key or new_key())

    def draft(state: State) -> list[Event]:
        live.members.check(who, lead=True)
        listed = list(dict.fromkeys(items))
        if not 0 < len(listed) <= MOST:
            raise CorollaryError(
                f"from 1 to {MOST:,} items are answered at once, got {len(listed):,}"
            )
        made = [drafts.draft_answer(state, who, item, label, value, None) for item in listed]
        return [in_group(event, name) for event in made]

    def tell(tickets: list[Ticket]) -> GroupReply:
        for ticket in tickets:
            live.release_for(who, str(ticket.event.item), label, None)
            live.answered(ticket.event)
        return reply_of(live, name, tickets)

    return live.ledger.write_all(
        name, (ANSWER, who), draft, tell, retell=lambda: retold(live, name)
    ).wait()


def undo_all(
    live: Live, who: str, group: str, key: str | None, progress: Progress | None = None
) -> GroupReply:
    """Take back all events of a group that still stand, with what followed from them, batch by batch."""
    name = key or new_key()
    return until_done(lambda: undo_some(live, who, group, name), progress)


def undo_some(live: Live, who: str, group: str, key: str, most: int = BATCH) -> GroupReply:
    """Take back the next events of a group that still stand."""
    name = group_name(key)
    left = 0

    def draft(state: State) -> list[Event]:
        nonlocal left
        live.members.check(who, lead=True)
        members = [event for event in state.of_group.get(group, ()) if event.kind != UNDO]
        if not members:
            raise CorollaryError(f"there is no group {group!r}")
        standing = [event.seq for event in members if event.seq not in state.taken_back]
        if not standing and name not in state.of_group:
            raise CorollaryError(
                f"all {len(members):,} events of the group {group!r} are taken back already"
            )
        left = len(standing[most:])
        return [
            in_group(drafts.draft_undo(state, who, seq, lead=True), name) for seq in standing[:most]
        ]

    return live.ledger.write_more(
        name,
        UNDO,
        draft,
        lambda tickets: reply_of(live, name, tickets, left=left),
        retell=lambda: retold(live, name),
    ).wait()


def group_name(name: str) -> str:
    """The name of a group, if it is not too long."""
    if len(name) > LONGEST_NAME:
        raise CorollaryError(
            f"the key of a group may have {LONGEST_NAME} characters, got {len(name):,}"
        )
    return name


def in_group(event: Event, name: str, **more: Any) -> Event:
    """The event as one of a group."""
    return replace(event, detail={**(event.detail or {}), GROUP: name, **more})


def reply_of(live: Live, name: str, tickets: list[Ticket], *, left: int = 0) -> GroupReply:
    """What is told of a group."""
    return GroupReply(
        name,
        tuple(ticket.event for ticket in tickets),
        sum(len(ticket.change.settled) for ticket in tickets),
        sum(len(ticket.change.opened) for ticket in tickets),
        tuple(str(ticket.event.item) for ticket in tickets if ticket.change.after.conflicts),
        live.state.counts(),
        len(live.state.of_group[name]),
        left,
    )


def retold(live: Live, name: str) -> GroupReply:
    """What is told of a group that came again when its reply is gone."""
    events = tuple(live.state.of_group[name])
    return GroupReply(name, events, counts=live.state.counts(), done=len(events))
