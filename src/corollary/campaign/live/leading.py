"""Actions of a lead: decisions, settings, a new ontology, and one answer for many items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..events import (
    ANSWER,
    DECISION,
    GROUP,
    ITEMS,
    LONGEST_KEY,
    ONTOLOGY,
    SETTINGS,
    UNDO,
    Event,
    new_key,
)
from ..items import Item, check_alike
from ..live import drafts
from ..settings import AUTO
from ..state.state import Change, State
from ..state.unreadable import Unreadable
from ..training.item_reading import auto_encoder
from .answering import say
from .ledger import Ticket
from .live import Live
from .ontology_update import Seen, parse_ontology, plan, preview
from .replies import Reply


def decide(
    live: Live,
    who: str,
    item: str,
    label: str,
    value: bool,
    *,
    reject: Sequence[int],
    note: str,
    key: str | None,
) -> Reply:
    """Decide a label of an item, whatever people answered; the answers `reject` no longer count."""

    def draft(state: State) -> Event:
        live.members.check(who, lead=True)
        return drafts.draft_decision(state, who, item, label, value, reject=reject, note=note)

    def tell(event: Event, change: Change) -> Reply:
        done = live.state.is_done(item)
        left = next(iter(change.after.conflicts), None)
        return Reply(event, change.settled, change.opened, False, left, done, live.state.counts())

    return live.ledger.write(
        key or new_key(), (DECISION, who), draft, tell, retell=live.retold
    ).wait()


def change_ontology(live: Live, who: str, text: str, key: str | None) -> Event:
    """Put another ontology in force; raise CorollaryError if decisions would clash under it."""
    onto = parse_ontology(text)

    def draft(state: State) -> Event:
        _check_decisions(() if state.trouble is not None else preview(state, onto).refused)
        version = live.store.add_ontology(text, who=who)
        state.ontologies[version] = onto
        return Event(kind=ONTOLOGY, who=who, value=version)

    return say(
        live, (ONTOLOGY, who), key, draft, lead=True, tell=lambda event: _renewed(live, event)
    )


def update_ontology(
    live: Live,
    who: str,
    new: Ontology,
    follow: Mapping[str, str],
    file: str,
    key: str | None,
    seen: Seen | None = None,
) -> Event:
    """Put a new release in force; answers follow terms that were renamed, merged or replaced."""

    def draft(state: State) -> Event:
        if state.trouble is not None:
            raise Unreadable(str(state.trouble))
        update = plan(state, new, follow)
        if seen is not None:
            seen.check(update)
        _check_decisions(update.change.refused)
        text = str(update.release.onto)
        version = live.store.add_ontology(text, who=who)
        state.ontologies[version] = parse_ontology(text)
        detail = update.detail(state.settings.labels, file)
        return Event(kind=ONTOLOGY, who=who, value=version, detail=detail)

    return say(
        live, (ONTOLOGY, who), key, draft, lead=True, tell=lambda event: _renewed(live, event)
    )


def _check_decisions(refused: Sequence[tuple[str, str]]) -> None:
    if refused:
        item, message = refused[0]
        raise CorollaryError(
            f"the decisions about {len(refused):,} items cannot be true under this ontology; "
            f"undo them, or change it. The first is item {item!r}: {message}"
        )


def change_settings(live: Live, who: str, changes: Mapping[str, Any], key: str | None) -> None:
    """Change some settings."""
    wanted = dict(changes)

    def draft(state: State) -> Event:
        if wanted.get("encoder") == AUTO:
            wanted["encoder"] = auto_encoder(live.items.values())
        new = state.settings.changed(wanted)
        detail = {name: getattr(new, name) for name in wanted}
        return Event(kind=SETTINGS, who=who, detail=detail)

    def tell(event: Event) -> Event:
        live.renewed()
        if "labels" in wanted and live.state.settings.reads_with is not None:
            live.train()  # the encoder reads what labels mean
        return event

    say(live, (SETTINGS, who), key, draft, lead=True, tell=tell)


def _renewed(live: Live, event: Event) -> Event:
    live.renewed()
    return event


def add(live: Live, who: str, items: Iterable[Item], facts: Iterable[drafts.Fact]) -> int:
    """Add items and known labels, all or none; return the number of events."""
    new = list(items)
    known = list(facts)
    with live.ledger.lock:
        live.members.check(who, lead=True)
        state = live.state
        list(check_alike(new, live.vectors()))
        for item, _, _ in known:
            if item in state.withdrawn:
                drafts.check_item(state, item)
        events = [Event(kind=ITEMS, who=who, value=len(new))] if new else []
        events += drafts.draft_facts(known, {*state.ids, *(item.id for item in new)}, state.onto)
        if not events:
            return 0
        tickets = live.ledger.put_all(events, items=new)
        if new:
            live.add_items(new)
        live.renewed()
        if known:
            live.train()
    tickets[-1].receipt.wait()
    return len(events)


def put_all(live: Live, who: str, draft: Callable[[State], list[Event]]) -> list[Event]:
    """Write a lead's events about items, all or none, then end their leases and train again."""
    with live.ledger.lock:
        live.members.check(who, lead=True)
        drafted = draft(live.state)
        if not drafted:
            return []
        tickets = live.ledger.put_all(drafted)
        for ticket in tickets:
            if (lease := live.leases.on(str(ticket.event.item))) is not None:
                live.release(lease)
        live.reconsider()
    tickets[-1].receipt.wait()
    return [ticket.event for ticket in tickets]


#: The most items that are answered at once.
MOST = 10_000
#: The number of events in a batch of a group. Everybody waits while a batch is written.
BATCH = 500
LONGEST_NAME = LONGEST_KEY - 10  # the keys of the events are made from the name


@dataclass(frozen=True)
class GroupReply:
    """The effect of the events of a group.

    Attributes
    ----------
    group, events
        The name of the group, and the events written now.
    settled, opened
        The number of labels that are known now, or open again.
    conflicts
        The items in conflict.
    counts
        The figures of the campaign.
    done, left
        The number of events of the group so far, and still to come. Repeat the key to go on.
    """

    group: str
    events: tuple[Event, ...]
    settled: int = 0
    opened: int = 0
    conflicts: tuple[str, ...] = ()
    counts: dict[str, Any] = field(default_factory=dict)
    done: int = 0
    left: int = 0


#: Called with the number of events done, and the number of all events.
Progress = Callable[[int, int], None]


def until_done(write: Callable[[], GroupReply], progress: Progress | None) -> GroupReply:
    """Write the batches of a group until nothing is left; return one reply for all."""
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
    """Give the same answer about a label for many items, all or none."""
    name = group_name(key or new_key())

    def draft(state: State) -> list[Event]:
        live.members.check(who, lead=True)
        listed = list(dict.fromkeys(items))
        if not 0 < len(listed) <= MOST:
            raise CorollaryError(f"answer 1 to {MOST:,} items at once, got {len(listed):,}")
        made = [drafts.draft_answer(state, who, item, label, value, None) for item in listed]
        return [in_group(event, name) for event in made]

    def tell(tickets: list[Ticket]) -> GroupReply:
        for ticket in tickets:
            live.release_for(who, str(ticket.event.item), ticket.event.label, None)
            live.answered(ticket.event)
        return reply_of(live, name, tickets)

    return live.ledger.write_all(
        name, (ANSWER, who), draft, tell, retell=lambda: retold(live, name)
    ).wait()


def undo_all(
    live: Live, who: str, group: str, key: str | None, progress: Progress | None = None
) -> GroupReply:
    """Take back all events of a group that are still in effect, batch by batch."""
    name = key or new_key()
    return until_done(lambda: undo_some(live, who, group, name), progress)


def undo_some(live: Live, who: str, group: str, key: str, most: int = BATCH) -> GroupReply:
    """Take back the next events of a group that are still in effect."""
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
    """Return the name of a group, or raise CorollaryError if it is too long."""
    if len(name) > LONGEST_NAME:
        raise CorollaryError(
            f"the key of a group may have at most {LONGEST_NAME} characters, got {len(name):,}"
        )
    return name


def in_group(event: Event, name: str, **more: Any) -> Event:
    """Return the event as one of a group."""
    return replace(event, detail={**(event.detail or {}), GROUP: name, **more})


def reply_of(live: Live, name: str, tickets: list[Ticket], *, left: int = 0) -> GroupReply:
    """Return the reply about events of a group."""
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
    """Return the reply to a repeated request whose first reply is no longer kept."""
    events = tuple(live.state.of_group[name])
    return GroupReply(name, events, counts=live.state.counts(), done=len(events))
