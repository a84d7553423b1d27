"""Acceptance of sure predictions after an audit: one group of events, which is undone as one.

It is written in batches, so that nobody waits long for the lock. `left` is the number of items still
to come; repeat the key to go on with them. No other model comes into use before the last batch.
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
    """The sure predictions, and the audit that they need.

    Attributes
    ----------
    at_least
        The least probability of a sure prediction.
    most_wrong
        The largest share of wrong ones that the audit allows.
    unit
        Whether an audit samples whole items, or labels of items (cells).
    cells, items
        The number of open labels that are predicted, and of their items.
    left_out
        The number of items left out because a label that is not sure would follow.
    needed
        The least number of questions in an audit, if all of them turn out right.
    audit, under_way
        The last audit, and the acceptance that is not finished.
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
    """Return the sure predictions of now; only for leads."""
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
    """Sample questions from the sure predictions; people answer them like any others."""
    wrong = _allowed(at_least, most_wrong)

    def draft(state: State) -> Event:
        if state.session.awaited:
            raise CorollaryError("a model is being trained: draw the audit once it is in use")
        _refuse_meanwhile(state)
        return audits.draft_audit(state, who, _sure(state, at_least), at_least, wrong, n)

    event = say(live, (AUDIT, who), key, draft, lead=True)
    with live.ledger.lock:
        return audits.audit_of(live.state, event)


def last_audit(live: Live, who: str) -> tuple[Audit | None, UnderWay | None]:
    """Return the last audit and an unfinished acceptance, without a search for sure predictions."""
    with live.ledger.lock:
        live.members.check(who, lead=True)
        return audits.last_audit(live.state), under_way(live.state)


def accept(live: Live, who: str, key: str | None, progress: Progress | None) -> GroupReply:
    """Accept all predictions that the last audit confirmed, batch by batch."""
    name = key or new_key()
    return until_done(lambda: accept_some(live, who, name), progress)


def accept_some(live: Live, who: str, key: str, most: int = BATCH) -> GroupReply:
    """Accept the next items that the last audit confirmed; a new key begins with the first."""
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
            raise CorollaryError(
                f"nothing is left to accept: all that audit {passed.seq} confirmed is known already"
            )
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
    """Whether a group goes on: not if it is finished, or one of its events was taken back."""
    unfinished = (written[-1].detail or {}).get(LEFT, 0) > 0
    return unfinished and not any(event.seq in state.taken_back for event in written)


def _refuse_meanwhile(state: State) -> None:
    found = under_way(state)
    if found is not None:
        raise CorollaryError(
            f"the acceptance after audit {found.audit} is not finished, {found.done:,} of "
            f"{found.done + found.left:,} items so far: go on with the key {found.group!r}, or undo that group"
        )


def _passed(state: State) -> Audit:
    """Return the last audit; raise CorollaryError unless it passed."""
    last = audits.last_audit(state)
    if last is None:
        raise CorollaryError("nothing is accepted without an audit: draw one first")
    if last.state == "outdated":
        raise CorollaryError(
            f"audit {last.seq} is of an earlier model or ontology: draw another"
        )  # fmt: skip
    if last.state == "failed":
        raise CorollaryError(
            f"audit {last.seq} failed: {last.wrong:,} of {len(last.drawn):,} {last.unit} were wrong. "
            f"More than the allowed {last.most_wrong:.2%} of all may be wrong, at 95 % confidence"
        )
    if last.state == "open":
        item, label = last.to_answer[0]
        first = f"item {item!r}" if label is None else f"{label!r} of item {item!r}"
        raise CorollaryError(
            f"audit {last.seq} is not finished: {len(last.to_answer):,} of its {len(last.drawn):,} {last.unit} are "
            f"open; the first is {first}"
        )
    return last


def _sure(state: State, at_least: float) -> SureItems | SureCells:
    if not state.has_model:
        raise CorollaryError("there is no model yet; answer some questions first")
    return find_sure(state, at_least)


def _allowed(at_least: float, most_wrong: float | None) -> float:
    """Return the allowed share of wrong ones, by default one minus the probability."""
    if not 0.5 < at_least < 1.0:
        raise CorollaryError(f"at_least is a probability above 0.5 and below 1, got {at_least!r}")
    wrong = round(1.0 - at_least, 12) if most_wrong is None else float(most_wrong)
    if not 0.0 < wrong < 1.0:
        raise CorollaryError(f"most_wrong is a share above 0 and below 1, got {most_wrong!r}")
    return wrong
