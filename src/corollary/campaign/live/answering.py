"""What people say: each event is written, with how far it was to be expected, and its effect is reported."""

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
from .replies import Reply, Seen, Undone, opened_of_own, seen_by, told_of


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it comes in: who gives it, to what, and perhaps its key, how long it took, and the lease."""

    who: str
    item: str
    label: str | None
    value: Any
    _: KW_ONLY
    key: str | None = None
    seconds: float | None = None
    lease: str | None = None


def take_answer(live: Live, given: Answer) -> Pending[Reply]:
    """Write an answer; the reply is there at once, and may be told once it is safe."""
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
        told = told_of(state, seen, event, change)
        second = first and label in seen.known and label not in seen.hidden
        # No conflict is told: which one is found, of several, may depend on what is hidden. A lead sees them all.
        return Reply(event, told.settled, told.opened, second, None, told.done, counts)

    return live.ledger.write(given.key or new_key(), (ANSWER, who), draft, tell, retell=live.retold)


def _hidden(
    live: Live, state: State, person: Annotator, item: str, label: str | None
) -> Seen | None:
    """What someone sees of an item of which something is hidden from them; a lead sees all but what they are asked.

    None where nothing is hidden.
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
    """Take back one's last answer or flag, or an event by its number; a lead may take back anybody's."""
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
            # what others said may be hidden from them
            opened = opened_of_own(state.onto, who, change)
            settled = ()
        return Undone(event, undone, opened, settled, state.counts())

    def first(event: Event, change: Change) -> Undone:
        undone = tell(event, change)
        if undone.undone.kind == WITHDRAW:
            live.reconsider()
        elif undone.undone.kind == REPORT:
            live.heard()
        elif undone.undone.kind == ONTOLOGY:
            live.renewed()
        return undone

    return live.ledger.write(
        key or new_key(), (UNDO, who), draft, first, retell=lambda event: tell(event, Change())
    ).wait()


def flag(
    live: Live, who: str, item: str, label: str | None, detail: dict[str, Any], key: str | None
) -> Event:
    """Tell the lead that something is wrong with an item; its flagger is no longer asked about it."""

    def told(event: Event) -> Event:
        live.release_for(who, item, event.label, None)
        return event

    return say(
        live,
        (FLAG, who),
        key,
        lambda state: drafts.draft_flag(state, who, item, label, detail),
        tell=told,
    )


def itself(event: Event) -> Event:
    """An event of which there is nothing more to tell."""
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
    """Write an event of someone, or of a lead; it is itself what is told."""

    def checked(state: State) -> Event:
        live.members.check(about[1], lead=lead)
        return draft(state)

    return live.ledger.write(
        key or new_key(), about, checked, lambda event, _: tell(event), retell=itself
    ).wait()


def expectation(state: State, answer: Event) -> dict[str, Any]:
    """The detail of an answer that is about to be written.

    Nothing before there is a model, nor where nothing is learnt: can't tell, what is known already, and what cannot be
    true with what is known.
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
    """What was learnt of one item, as a text: a log may have a million of them, all in memory.

    Its risk, whether it surprised, and in thousandths the -log of how probable it was at each sharpness; then, if it
    was one of several surprises that could have come, of how probable any was.
    """
    told = _thousandths(one.log_p[0])
    if one.surprised[0] and not np.allclose(one.chance, np.exp(one.log_p), rtol=1e-3, atol=CLIP):
        told += _thousandths(np.log(np.maximum(one.chance[0], CLIP)))
    return f"{one.risk[0]:.4g} {one.surprised[0]:d} {' '.join(map(str, told))}"


def _thousandths(log_p: Floats) -> list[int]:
    found: list[int] = (-1000.0 * log_p).round().astype(int).tolist()
    return found
