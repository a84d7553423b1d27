"""Answers, flags and undos of people: each is written with its expectation, and its effect reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from ...learning.stopping.calibration import CLIP, Learnt, learnt_of_one
from ...logic.engines import Floats
from ...logic.errors import Contradiction
from ..events import ANSWER, EXPECTED, FLAG, ONTOLOGY, REPORT, UNDO, WITHDRAW, Event, new_key
from ..live import drafts
from ..state.state import Change, State
from ..storage.records import LEAD, Annotator
from .ledger import Pending
from .live import Live
from .replies import Reply, Seen, Undone, opened_of_own, outcome_of, seen_by


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it comes in.

    Parameters
    ----------
    who, item, label, value
        The person, the question and the answer. Without a label it is about the whole item.
    key
        The client's key, so that a repeated answer counts once.
    seconds
        The time that the answer took.
    lease
        The id of the lease of the question.
    """

    who: str
    item: str
    label: str | None
    value: Any
    _: KW_ONLY
    key: str | None = None
    seconds: float | None = None
    lease: str | None = None


def take_answer(live: Live, given: Answer) -> Pending[Reply]:
    """Write an answer; wait on the reply before sending it."""
    who = given.who
    item = given.item
    label = given.label
    known = False
    seen = None

    def draft(state: State) -> Event:
        nonlocal label, known, seen
        person = live.members.check(who)
        made = drafts.draft_answer(state, who, item, label, given.value, given.seconds)
        label = made.label
        said = live.said_by_model(who, item, label, given.lease)
        if live.was_put(who, item, label, given.lease):
            said |= expectation(state, made)
        if said:
            made = replace(made, detail={**(made.detail or {}), **said})
        seen = _hidden(live, state, person, item, label)
        known = label is not None and state.is_known(item, label)
        return made

    def tell(event: Event, change: Change) -> Reply:
        live.release_for(who, item, label, given.lease)
        live.answered(event)
        state = live.state
        counts = live.state.counts()
        found = next((one for one in change.after.conflicts if one.concerns(event.seq)), None)
        said = change.before.said
        first = who not in said.opinions.get(str(label), {})
        if seen is None:
            second = known and first if label is not None else bool(said.replied().keys() - {who})
            return Reply(
                event, change.settled, change.opened, second, found, state.is_done(item), counts
            )
        shown = outcome_of(state, seen, event, change)
        second = first and label in seen.known and label not in seen.hidden
        # No conflict is shown, because the one found may depend on hidden labels. A lead sees them all.
        return Reply(event, shown.settled, shown.opened, second, None, shown.done, counts)

    return live.ledger.write(given.key or new_key(), (ANSWER, who), draft, tell, retell=live.retold)


def _hidden(
    live: Live, state: State, person: Annotator, item: str, label: str | None
) -> Seen | None:
    """Return the part of an item that a person may see; None if nothing is hidden from them.

    A lead sees all but the label they are asked about.
    """
    if person.role != LEAD:
        return seen_by(state, person.name, item)
    held = live.leases.on(item)
    cell = (item, label)
    asked = held is not None and held.who == person.name and held.label == label
    blind = asked and (
        state.settings.fallible or cell in state.waiting.second or cell in state.waiting.gold
    )
    return seen_by(state, None, item, asked=label) if blind else None


def undo(live: Live, who: str, seq: int | None, key: str | None) -> Undone:
    """Take back the person's last answer or flag, or event `seq`; a lead may take back anybody's."""
    lead = False

    def draft(state: State) -> Event:
        nonlocal lead
        lead = live.members.check(who).role == LEAD
        return drafts.draft_undo(state, who, seq, lead=lead)

    def tell(event: Event, change: Change) -> Undone:
        assert event.refers is not None
        state = live.state
        undone = state.event(event.refers)
        opened = change.opened
        settled = change.settled
        settings = state.settings
        if not lead and (settings.overlap or settings.gold_share or settings.fallible):
            # other people's answers may be hidden from this person
            opened = opened_of_own(state.onto, who, change)
            settled = ()
        return Undone(event, undone, opened, settled, state.counts())

    def first(event: Event, change: Change) -> Undone:
        undone = tell(event, change)
        if undone.undone.kind == WITHDRAW:
            live.reconsider()
        elif undone.undone.kind == REPORT:
            live.reports_changed()
        elif undone.undone.kind == ONTOLOGY:
            live.renewed()
        return undone

    return live.ledger.write(
        key or new_key(), (UNDO, who), draft, first, retell=lambda event: tell(event, Change())
    ).wait()


def flag(
    live: Live, who: str, item: str, label: str | None, detail: dict[str, Any], key: str | None
) -> Event:
    """Flag an item for the lead; its flagger is no longer asked about it."""

    def released(event: Event) -> Event:
        live.release_for(who, item, event.label, None)
        return event

    return say(
        live,
        (FLAG, who),
        key,
        lambda state: drafts.draft_flag(state, who, item, label, detail),
        tell=released,
    )


def itself(event: Event) -> Event:
    """Return the event as its own reply."""
    return event


def say(
    live: Live,
    about: tuple[str, str],
    key: str | None,
    draft: Callable[[State], Event],
    *,
    lead: bool = False,
    tell: Callable[[Event], Event] = itself,
) -> Event:
    """Write an event of a person, or with `lead` of a lead; return the event."""

    def checked(state: State) -> Event:
        live.members.check(about[1], lead=lead)
        return draft(state)

    return live.ledger.write(
        key or new_key(), about, checked, lambda event, _: tell(event), retell=itself
    ).wait()


def expectation(state: State, answer: Event) -> dict[str, Any]:
    """Return the detail of an answer that is about to be written: how expected it was.

    It is empty before the first model, and if the answer adds nothing. That is the case for "can't
    tell", for labels known already, and for answers that contradict known labels.
    """
    if not state.has_model or isinstance(answer.value, str):
        return {}
    onto = state.onto
    row = state.row(str(answer.item))
    before = state.session.known_of(row)[None]
    after = before.copy()
    for label, value in state.statements.of(
        replace(answer, ontology=state.version), onto
    ).cells.items():
        if label is not None:
            after[0, onto.index[label]] = value
    if ((before >= 0) & (before != after)).any() or (before == after).all():
        return {}
    try:
        after = state.session.follow(after)
    except Contradiction:
        return {}
    beliefs = state.session.beliefs[row : row + 1]
    return {EXPECTED: as_detail(learnt_of_one(onto, beliefs, before, after))}


def as_detail(one: Learnt) -> str:
    """Return the expectation of one answer as a text, because a log may have a million in memory.

    The numbers are its risk, whether it surprised, and its -log probability at each sharpness, in
    thousandths. If other surprises were possible, the -log probability of any surprise follows.
    """
    numbers = _thousandths(one.log_p[0])
    if one.surprised[0] and not np.allclose(one.chance, np.exp(one.log_p), rtol=1e-3, atol=CLIP):
        numbers += _thousandths(np.log(np.maximum(one.chance[0], CLIP)))
    return f"{one.risk[0]:.4g} {one.surprised[0]:d} {' '.join(map(str, numbers))}"


def _thousandths(log_p: Floats) -> list[int]:
    found: list[int] = (-1000.0 * log_p).round().astype(int).tolist()
    return found
