"""Checks of what people want to write, and the events made from it; nothing is changed here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology
from ..events import (
    ACCEPT,
    ANSWER,
    DECISION,
    DOUBT,
    FACT,
    FLAG,
    GOLD,
    ONTOLOGY,
    REPORT,
    UNDO,
    UNFLAG,
    WITHDRAW,
    Event,
)
from ..people import NotAllowed
from ..state.standing import IMPORT
from ..state.state import State
from .replies import believed_and_known

#: An existing label of an item: the item, the label, yes or no.
Fact = tuple[str, str, bool]
OWN = (ANSWER, FLAG, DOUBT)
UNDOABLE = (*OWN, FACT, DECISION, GOLD, WITHDRAW, ACCEPT, REPORT, ONTOLOGY)


#: What to do instead of undoing an undo.
AGAIN = {
    WITHDRAW: "withdraw the item",
    REPORT: "report it",
    ONTOLOGY: "put the ontology in force",
}


class Withdrawn(CorollaryError):
    """An answer about an item that a lead withdrew."""


def check_item(state: State, item: str) -> int:
    """Return the row of an item; raise Withdrawn if a lead withdrew it."""
    row = state.row(item)
    seq = state.standing_of(item).said.withdrawn
    if seq is not None:
        event = state.event(seq)
        reason = (event.detail or {}).get("reason")
        raise Withdrawn(
            f"item {item!r} was withdrawn by a lead{f' ({reason})' if reason else ''} and takes no answers; "
            f"a lead can bring it back by undoing event {seq}"
        )
    return row


def draft_answer(
    state: State, who: str, item: str, label: str | None, value: Any, seconds: float | None
) -> Event:
    """Make an answer. A reply about a whole item keeps the labels that it could choose from."""
    check_item(state, item)
    if label is not None:
        label = state.find(label)
        return Event(kind=ANSWER, who=who, item=item, label=label, value=value, seconds=seconds)
    if isinstance(value, str):
        return Event(kind=ANSWER, who=who, item=item, value=value, seconds=seconds)
    if not isinstance(value, Collection):
        raise CorollaryError(
            f"the answer about item {item!r} must be a list of its labels, got {value!r}"
        )
    names = list(dict.fromkeys(map(state.find, value)))
    options = _options(state, who, item)
    on = state.onto.propagate(dict.fromkeys(names, True))  # raises if the reply contradicts itself,
    state.onto.propagate({**dict.fromkeys(options, False), **on})  # also by labels it leaves out
    detail = {"options": options}
    return Event(kind=ANSWER, who=who, item=item, value=names, seconds=seconds, detail=detail)


def _options(state: State, who: str, item: str) -> list[str]:
    """Return the labels that a reply about the whole item answers: open ones, and earlier options."""
    labels = state.onto.labels
    _, known = believed_and_known(state, who, item)
    options = {labels[k] for k in np.flatnonzero(known < 0).tolist()}
    for event in state.of_item.get(item, ()):
        if (
            event.kind == ANSWER
            and event.who == who
            and event.label is None
            and event.seq not in state.taken_back
        ):
            options |= {
                label
                for label in (event.detail or {}).get("options", ())
                if label in state.onto.index
            }
    return [label for label in labels if label in options]


def draft_undo(state: State, who: str, seq: int | None, *, lead: bool) -> Event:
    """Make an undo of an event, by default of the person's last answer or flag."""
    if seq is None:
        own = (
            event
            for event in reversed(state.of_person.get(who, ()))
            if event.kind in (ANSWER, FLAG)
        )
        last = next((event for event in own if event.seq not in state.taken_back), None)
        if last is None:
            raise CorollaryError("there is nothing to undo")
        seq = last.seq
    meant = state.event(seq)
    if meant.kind not in UNDOABLE:
        raise CorollaryError(f"event {seq} is of the kind {meant.kind!r}, which cannot be undone")
    if not lead and (meant.who != who or meant.kind not in OWN):
        raise NotAllowed(f"event {seq} is not yours; only a lead may undo events of other people")
    if seq in state.taken_back:
        again = AGAIN.get(meant.kind, "answer")
        raise CorollaryError(f"event {seq} is taken back already; to undo an undo, {again} again")
    draft = Event(kind=UNDO, who=who, item=meant.item, label=meant.label, refers=seq)
    if meant.kind == ONTOLOGY:
        _check_last_ontology(state, meant)
    brings_back = meant.kind in (DECISION, GOLD, WITHDRAW)  # decisions, which may clash
    return _foreseen(state, draft) if brings_back else draft


def _check_last_ontology(state: State, meant: Event) -> None:
    """Raise CorollaryError if this ontology is not in force, or decisions clash under the one before."""
    if meant.value != state.version:
        raise CorollaryError(
            f"event {meant.seq} put version {meant.value} of the ontology in force; version "
            f"{state.version} came later: undo that first"
        )
    refused = state.standings_under(meant.ontology).refused
    if refused:
        item, clash = next(iter(refused.items()))
        raise CorollaryError(
            f"the decisions about {len(refused):,} items cannot be true under version "
            f"{meant.ontology} of the ontology; undo them first. The first is item {item!r}: {clash}"
        )


def draft_flag(
    state: State, who: str, item: str, label: str | None, detail: dict[str, Any]
) -> Event:
    """Make a flag on an item, at the question about a label."""
    check_item(state, item)
    label = None if label is None else state.find(label)
    return Event(kind=FLAG, who=who, item=item, label=label, detail=detail)


def draft_unflag(state: State, who: str, seq: int) -> Event:
    """Make the event that ends a flag or a doubt."""
    meant = state.event(seq)
    if meant.kind not in (FLAG, DOUBT):
        raise CorollaryError(
            f"event {seq} must be a flag or a doubt, not of the kind {meant.kind!r}"
        )
    if seq in state.taken_back:
        raise CorollaryError(f"event {seq} is taken back already")
    return Event(kind=UNFLAG, who=who, item=meant.item, label=meant.label, refers=seq)


def draft_doubt(state: State, who: str, seq: int, rules: Sequence[str], note: str) -> Event:
    """Make a doubt of a person about their own answer, for the lead."""
    meant = state.event(seq)
    if meant.kind != ANSWER or meant.who != who:
        raise NotAllowed(f"event {seq} is not an answer of yours")
    check_item(state, str(meant.item))
    detail = {"rules": list(rules), "note": note}
    return Event(kind=DOUBT, who=who, item=meant.item, label=meant.label, refers=seq, detail=detail)


def draft_decision(
    state: State,
    who: str,
    item: str,
    label: str,
    value: bool,
    *,
    reject: Sequence[int] = (),
    note: str = "",
) -> Event:
    """Make a lead's decision; raise Contradiction if it clashes with others about the item."""
    check_item(state, item)
    label = state.find(label)
    for seq in reject:
        meant = state.event(seq)
        if meant.item != item or meant.kind not in (ANSWER, FACT, ACCEPT):
            raise CorollaryError(
                f"event {seq} is no answer about item {item!r}: it cannot be rejected"
            )
    detail: dict[str, Any] = {"reject": list(reject)} if reject else {}
    detail |= {"note": note} if note else {}
    return _foreseen(
        state,
        Event(kind=DECISION, who=who, item=item, label=label, value=value, detail=detail or None),
    )


def draft_gold(state: State, who: str, item: str, label: str, value: bool) -> Event:
    """Make a gold answer, which the lead knows; it counts as a decision."""
    check_item(state, item)
    label = state.find(label)
    return _foreseen(state, Event(kind=GOLD, who=who, item=item, label=label, value=value))


def draft_withdrawals(state: State, who: str, items: Iterable[str], reason: str) -> list[Event]:
    """Make the withdrawals of items that are not withdrawn already."""
    rows = {item: state.row(item) for item in items}
    detail = {"reason": reason} if reason else None
    return [
        Event(kind=WITHDRAW, who=who, item=item, detail=detail)
        for item in rows
        if item not in state.withdrawn
    ]


def draft_returns(state: State, who: str, items: Iterable[str]) -> list[Event]:
    """Make the undos of withdrawals, for the items that are withdrawn."""
    rows = {item: state.row(item) for item in items}
    seqs = [state.standing_of(item).said.withdrawn for item in rows]
    return [draft_undo(state, who, seq, lead=True) for seq in seqs if seq is not None]


def draft_facts(facts: Iterable[Fact], there: Collection[str], onto: Ontology) -> list[Event]:
    """Make the events of known labels, of items in `there`."""
    known = list(facts)
    for item, label, _ in known:
        if label not in onto.index:
            raise CorollaryError(f"unknown label {label!r}{nearest(label, onto.labels)}")
        if item not in there:
            raise CorollaryError(
                f"the label {label!r} is of item {item!r}, which is not in the campaign"
            )
    return [
        Event(kind=FACT, who=IMPORT, item=item, label=label, value=value)
        for item, label, value in known
    ]


def _foreseen(state: State, draft: Event) -> Event:
    state.foresee(replace(draft, seq=state.seq + 1, ontology=state.version))
    return draft
