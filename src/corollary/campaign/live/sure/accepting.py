"""What a model is sure of, accepted all at once after an audit of it: one group of events, taken back as one.

It is written in batches, so that nobody waits long for the lock. `left` says how many items are still to come; whoever
repeats the key goes on with them. Until the last batch is written no other model is taken up.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....logic.errors import CorollaryError
from ...events import ACCEPT, AUDIT, GROUP, LEFT, Event, new_key
from ...state.state import State
from ..answering import say
from ..leading import (
    BATCH,
    GroupReply,
    Progress,
    group_name,
    in_group,
    reply_of,
    retold,
    until_done,
)
from ..ledger import Ticket
from ..live import Live
from . import audits
from .audits import Audit
from .sure_cells import SureCells, SureItems, Unit, find_sure, unit_of
from .under_way import UnderWay, under_way


@dataclass(frozen=True)
class SureThings:
    """How many items, and open cells of them, are predicted with at least a probability, and what an audit takes.

    An audit samples whole items, or cells, see `unit`. `left_out` counts the items of which nothing is accepted because
    something that is not sure would follow. `needed` is how many must be drawn, all of them right, so that at most
    `most_wrong` are wrong. `audit` is the last one, `under_way` an acceptance that is not finished.
    """

    at_least: float
    most_wrong: float
    unit: Unit
    cells: int
    items: int
    left_out: int
    needed: int
    audit: Audit | None
    under_way: UnderWay | None


def look(live: Live, who: str, at_least: float, most_wrong: float | None) -> SureThings:
    """What is sure now."""
    wrong = _allowed(at_least, most_wrong)
    with live.ledger.lock:
        live.members.check(who, lead=True)
        state = live.state
        sure = _sure(state, at_least)
        audit = audits.last_audit(state)
        counted = unit_of(state.onto), sure.cells, sure.items, sure.left_out
        return SureThings(at_least, wrong, *counted, audits.needed(wrong), audit, under_way(state))


def audit(
    live: Live, who: str, at_least: float, n: int | None, most_wrong: float | None, key: str | None
) -> Audit:  # fmt: skip
    """Sample questions from what is sure; who draws them, or anybody, answers them as any others."""
    wrong = _allowed(at_least, most_wrong)

    def draft(state: State) -> Event:
        if state.session.awaited:
            raise CorollaryError(
                "a model is being trained: audit what it is sure of once it is in use"
            )
        _refuse_meanwhile(state)
        return audits.draft_audit(state, who, _sure(state, at_least), at_least, wrong, n)

    event = say(live, (AUDIT, who), key, draft, lead=True)
    with live.ledger.lock:
        return audits.stands(live.state, event)


def last_audit(live: Live, who: str) -> tuple[Audit | None, UnderWay | None]:
    """How the last audit and an unfinished acceptance stand, without looking for all that is sure now."""
    with live.ledger.lock:
        live.members.check(who, lead=True)
        return audits.last_audit(live.state), under_way(live.state)


def accept(live: Live, who: str, key: str | None, progress: Progress | None) -> GroupReply:
    """Accept all that the last audit confirmed, batch by batch."""
    name = key or new_key()
    return until_done(lambda: accept_some(live, who, name), progress)


def accept_some(live: Live, who: str, key: str, most: int = BATCH) -> GroupReply:
    """Accept the next items of what the last audit confirmed; the first of them if the key is a new one."""
    name = group_name(key)

    def draft(state: State) -> list[Event]:
        live.members.check(who, lead=True)
        written = state.of_group.get(name, [])
        if not written:
            _refuse_meanwhile(state)
        elif not _goes_on(state, written):
            return []
        passed = _passed(state)
        sure = find_sure(state, passed.at_least, as_of=passed.seq)
        if not sure.items and not written:
            raise CorollaryError(f"of what audit {passed.seq} confirmed nothing is open any more")
        made = [
            Event(
                kind=ACCEPT,
                who=who,
                item=one.item,
                value=one.value,
                detail={"audit": passed.seq, "probability": one.probability, GROUP: name},
            )
            for one in sure.accepted(state, most)
        ]
        if (left := sure.items - len(made)) > 0:
            made[-1] = in_group(made[-1], name, **{LEFT: left})
        return made

    def tell(tickets: list[Ticket]) -> GroupReply:
        live.train_if_due()
        return reply_of(live, name, tickets, left=(tickets[-1].event.detail or {}).get(LEFT, 0))

    return live.ledger.write_more(
        name, ACCEPT, draft, tell, retell=lambda: retold(live, name)
    ).wait()


def _goes_on(state: State, written: list[Event]) -> bool:
    """Whether a group that was begun goes on: not if it is finished, or something of it was taken back."""
    unfinished = (written[-1].detail or {}).get(LEFT, 0) > 0
    return unfinished and not any(event.seq in state.taken_back for event in written)


def _refuse_meanwhile(state: State) -> None:
    found = under_way(state)
    if found is not None:
        raise CorollaryError(
            f"what audit {found.audit} confirmed is being accepted, {found.done:,} of {found.done + found.left:,} "
            f"items so far: go on with the key {found.group!r}, or take that group back"
        )


def _passed(state: State) -> Audit:
    """The last audit, which must have passed."""
    last = audits.last_audit(state)
    if last is None:
        raise CorollaryError("nothing is accepted without an audit: draw one first")
    if last.state == "outdated":
        raise CorollaryError(
            f"audit {last.seq} is of an earlier model or ontology than the one in use: draw another"
        )  # fmt: skip
    if last.state == "failed":
        raise CorollaryError(
            f"audit {last.seq} failed: {last.wrong:,} of {len(last.drawn):,} {last.unit} were wrong, which is more "
            f"than the {last.most_wrong:.2%} allowed of all, at 95 %"
        )
    if last.state == "open":
        item, label = last.to_answer[0]
        first = f"item {item!r}" if label is None else f"{label!r} of item {item!r}"
        raise CorollaryError(
            f"audit {last.seq} is not finished: {len(last.to_answer):,} of its {len(last.drawn):,} {last.unit} are "
            f"open, first {first}"
        )
    return last


def _sure(state: State, at_least: float) -> SureItems | SureCells:
    if not state.has_model:
        raise CorollaryError(
            "there is no model yet, so nothing is predicted; answer some questions first"
        )
    return find_sure(state, at_least)


def _allowed(at_least: float, most_wrong: float | None) -> float:
    """The share of wrong ones that is allowed: as the probability says unless it is given."""
    if not 0.5 < at_least < 1.0:
        raise CorollaryError(f"at_least is a probability above 0.5 and below 1, got {at_least!r}")
    wrong = round(1.0 - at_least, 12) if most_wrong is None else float(most_wrong)
    if not 0.0 < wrong < 1.0:
        raise CorollaryError(f"most_wrong is a share above 0 and below 1, got {most_wrong!r}")
    return wrong
