"""What a lead does: decisions, withdrawals, further items, another ontology, other settings; all written as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..events import DECISION, ITEMS, ONTOLOGY, SETTINGS, Event, new_key
from ..items import Item, check_alike
from ..settings import AUTO
from ..state.state import Change, State
from ..state.unreadable import Unreadable
from ..training.item_reading import auto_encoder
from . import drafts
from .answering import say
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
    """Settle a cell, whatever was answered; `reject` are answers that shall no longer stand."""

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
    """Put another ontology in force; refused where decisions would clash."""
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
    """Put a new release in force: answers follow terms that were renamed, merged and replaced."""

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
            live.train()  # what labels mean is read
        return event

    say(live, (SETTINGS, who), key, draft, lead=True, tell=tell)


def _renewed(live: Live, event: Event) -> Event:
    live.renewed()
    return event


def add(live: Live, who: str, items: Iterable[Item], facts: Iterable[drafts.Fact]) -> int:
    """Add items, and labels that are known already, all or nothing; how many events tell of it."""
    new = list(items)
    known = list(facts)
    with live.ledger.lock:
        live.members.check(who, lead=True)
        state = live.state
        list(check_alike(new, live.vectors()))
        for item, _, _ in known:
            if item in state.withdrawn:
                drafts.check_item(state, item)
        told = [Event(kind=ITEMS, who=who, value=len(new))] if new else []
        told += drafts.draft_facts(known, {*state.ids, *(item.id for item in new)}, state.onto)
        if not told:
            return 0
        tickets = live.ledger.put_all(told, items=new)
        if new:
            live.add_items(new)
        live.renewed()
        if known:
            live.train()
    tickets[-1].receipt.wait()
    return len(told)


def put_all(live: Live, who: str, draft: Callable[[State], list[Event]]) -> list[Event]:
    """Write the events of a lead about items, all or none, and go on without, or with, these items."""
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
