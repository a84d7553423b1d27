"""What people want to say, checked against what is there and made into events; nothing is changed here."""

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
    """Something said of an item that a lead withdrew."""


def check_item(state: State, item: str) -> int:
    """The row of an item of which something can be said; refuse one that was withdrawn."""
    row = state.row(item)
    seq = state.standing_of(item).said.withdrawn
    if seq is not None:
        event = state.event(seq)
        reason = (event.detail or {}).get("reason")
        raise Withdrawn(
            f"item {item!r} was withdrawn by a lead{f' ({reason})' if reason else ''}: nothing more is taken of it; "
            f"a lead can bring it back by undoing event {seq}"
        )
    return row


def draft_answer(
    state: State, who: str, item: str, label: str | None, value: Any, seconds: float | None
) -> Event:
    """An answer. A reply about a whole item is kept with the labels that were open to it."""
    check_item(state, item)
    if label is not None:
        label = state.find(label)
        return Event(kind=ANSWER, who=who, item=item, label=label, value=value, seconds=seconds)
    if isinstance(value, str):
        return Event(kind=ANSWER, who=who, item=item, value=value, seconds=seconds)
    if not isinstance(value, Collection):
        raise CorollaryError(
            f"which labels {item!r} has is answered by a list of them, got {value!r}"
        )
    names = list(dict.fromkeys(map(state.find, value)))
    options = _options(state, who, item)
    on = state.onto.propagate(
        dict.fromkeys(names, True)
    )  # a reply that contradicts itself is refused,
    state.onto.propagate({**dict.fromkeys(options, False), **on})  # also by what it does not name
    detail = {"options": options}
    return Event(kind=ANSWER, who=who, item=item, value=names, seconds=seconds, detail=detail)


def _options(state: State, who: str, item: str) -> list[str]:
    """The labels that a reply about the whole item speaks of: those open to the person, and those of a reply before."""
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
    """An undo of an event, by default of one's own last answer or flag."""
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
        raise NotAllowed(f"event {seq} is not yours; only a lead may undo what others said")
    if seq in state.taken_back:
        again = AGAIN.get(meant.kind, "answer")
        raise CorollaryError(f"event {seq} is taken back already; to undo an undo, {again} again")
    draft = Event(kind=UNDO, who=who, item=meant.item, label=meant.label, refers=seq)
    if meant.kind == ONTOLOGY:
        _check_last_ontology(state, meant)
    brings_back = meant.kind in (DECISION, GOLD, WITHDRAW)  # decisions, which may clash
    return _foreseen(state, draft) if brings_back else draft


def _check_last_ontology(state: State, meant: Event) -> None:
    """Refuse to undo an ontology that is not in force, or under whose precursor decisions clash."""
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
    """A flag on an item, at the question about a label."""
    check_item(state, item)
    label = None if label is None else state.find(label)
    return Event(kind=FLAG, who=who, item=item, label=label, detail=detail)


def draft_unflag(state: State, who: str, seq: int) -> Event:
    """The end of a flag, or of a doubt."""
    meant = state.event(seq)
    if meant.kind not in (FLAG, DOUBT):
        raise CorollaryError(f"event {seq} is no flag and no doubt but of the kind {meant.kind!r}")
    if seq in state.taken_back:
        raise CorollaryError(f"event {seq} is taken back already")
    return Event(kind=UNFLAG, who=who, item=meant.item, label=meant.label, refers=seq)


def draft_doubt(state: State, who: str, seq: int, rules: Sequence[str], note: str) -> Event:
    """A doubt about one's own answer, for the lead."""
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
    """A decision of a lead; refused where it clashes with other decisions about the item."""
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
    """An answer that the lead knows; it counts as a decision."""
    check_item(state, item)
    label = state.find(label)
    return _foreseen(state, Event(kind=GOLD, who=who, item=item, label=label, value=value))


def draft_withdrawals(state: State, who: str, items: Iterable[str], reason: str) -> list[Event]:
    """The withdrawal of items; of those that were withdrawn before there is nothing to tell."""
    rows = {item: state.row(item) for item in items}
    detail = {"reason": reason} if reason else None
    return [
        Event(kind=WITHDRAW, who=who, item=item, detail=detail)
        for item in rows
        if item not in state.withdrawn
    ]


def draft_returns(state: State, who: str, items: Iterable[str]) -> list[Event]:
    """The undoing of withdrawals; of items that are in use there is nothing to tell."""
    rows = {item: state.row(item) for item in items}
    seqs = [state.standing_of(item).said.withdrawn for item in rows]
    return [draft_undo(state, who, seq, lead=True) for seq in seqs if seq is not None]


def draft_facts(facts: Iterable[Fact], there: Collection[str], onto: Ontology) -> list[Event]:
    """Labels that are known already, of items that are there."""
    known = list(facts)
    for item, label, _ in known:
        if label not in onto.index:
            raise CorollaryError(f"unknown label {label!r}{nearest(label, onto.labels)}")
        if item not in there:
            raise CorollaryError(f"the label {label!r} is of item {item!r}, which is not there")
    return [
        Event(kind=FACT, who=IMPORT, item=item, label=label, value=value)
        for item, label, value in known
    ]


def _foreseen(state: State, draft: Event) -> Event:
    state.foresee(replace(draft, seq=state.seq + 1, ontology=state.version))
    return draft
