"""What a model is sure of, accepted all at once after an audit of it: one group of events, taken back as one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from ....logic.errors import CorollaryError
from ...events import ACCEPT, AUDIT, Event, new_key
from ...state.state import State
from ..answering import say
from ..groups import MOST, GroupReply, group_name, in_group, reply_of, retold
from ..ledger import Ticket
from ..live import Live
from . import audits
from .audits import Audit
from .sure_cells import Sure, find_sure


@dataclass(frozen=True)
class SureThings:
    """How many open cells of how many items are predicted with at least a probability, and what an audit takes.

    `left_out` counts the items of which nothing is accepted because something that is not sure would follow. `needed`
    is how many must be drawn, all of them right, so that at most `most_wrong` are wrong. `audit` is the last one.
    """

    at_least: float
    most_wrong: float
    cells: int
    items: int
    left_out: int
    needed: int
    audit: Audit | None


def look(live: Live, who: str, at_least: float, most_wrong: float | None) -> SureThings:
    """What is sure now."""
    wrong = _allowed(at_least, most_wrong)
    with live.ledger.lock:
        live.members.check(who, lead=True)
        sure = _sure(live.state, at_least)
        audit = audits.last_audit(live.state)
        return SureThings(at_least, wrong, len(sure.row), sure.items, sure.left_out, audits.needed(wrong), audit)


def audit(
    live: Live, who: str, at_least: float, n: int | None, most_wrong: float | None, key: str | None
) -> Audit:  # fmt: skip
    """Draw cells at random from what is sure; who draws them, or anybody, answers them as any others."""
    wrong = _allowed(at_least, most_wrong)

    def draft(state: State) -> Event:
        if state.session.awaited:
            raise CorollaryError("a model is being trained: audit what it is sure of once it is in use")
        return audits.draft_audit(state, who, _sure(state, at_least), at_least, wrong, n)

    event = say(live, (AUDIT, who), key, draft, lead=True)
    with live.ledger.lock:
        return audits.stands(live.state, event)


def last_audit(live: Live, who: str) -> Audit | None:
    """How the last audit stands, without looking for all that is sure now; None where there is none."""
    with live.ledger.lock:
        live.members.check(who, lead=True)
        return audits.last_audit(live.state)


def accept(live: Live, who: str, key: str | None) -> GroupReply:
    """Take over what the last audit confirmed, all or none; of very many items the first ones, and the rest again."""
    name = group_name(key or new_key())
    waiting = 0  # cells of the items that are not among the first

    def draft(state: State) -> list[Event]:
        nonlocal waiting
        live.members.check(who, lead=True)
        passed = _passed(state)
        sure = find_sure(state, passed.at_least, as_of=passed.seq)
        made = _events(state, who, sure, passed)
        if not made:
            raise CorollaryError(f"of what audit {passed.seq} confirmed nothing is open any more")
        waiting = sum(len(event.value) for event in made[MOST:])
        return [in_group(event, name) for event in made[:MOST]]

    def tell(tickets: list[Ticket]) -> GroupReply:
        live.train_if_due()
        return reply_of(live, name, tickets, left=waiting)

    return live.ledger.write_all(name, (ACCEPT, who), draft, tell, retell=lambda: retold(live, name)).wait()


def _events(state: State, who: str, sure: Sure, passed: Audit) -> list[Event]:
    cells = zip(sure.row.tolist(), sure.label.tolist(), sure.value.tolist(), sure.probability.tolist(), strict=True)
    made = []
    for row, of_item in groupby(cells, key=lambda cell: cell[0]):
        told = [(state.onto.labels[k], value, p) for _, k, value, p in of_item]
        detail = {"audit": passed.seq, "probability": {label: p for label, _, p in told}}
        values = {label: value for label, value, _ in told}
        made.append(Event(kind=ACCEPT, who=who, item=state.ids[row], value=values, detail=detail))
    return made


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
            f"audit {last.seq} failed: {last.wrong:,} of {len(last.drawn):,} were wrong, which is more than the "
            f"{last.most_wrong:.2%} allowed of all, at 95 %"
        )
    if last.state == "open":
        raise CorollaryError(
            f"audit {last.seq} is not finished: {len(last.to_answer):,} of its {len(last.drawn):,} cells are open, "
            f"first {last.to_answer[0][1]!r} of item {last.to_answer[0][0]!r}"
        )
    return last


def _sure(state: State, at_least: float) -> Sure:
    if not state.has_model:
        raise CorollaryError("there is no model yet, so nothing is predicted; answer some questions first")
    return find_sure(state, at_least)


def _allowed(at_least: float, most_wrong: float | None) -> float:
    """The share of wrong ones that is allowed: as the probability says unless it is given."""
    if not 0.5 < at_least < 1.0:
        raise CorollaryError(f"at_least is a probability above 0.5 and below 1, got {at_least!r}")
    wrong = round(1.0 - at_least, 12) if most_wrong is None else float(most_wrong)
    if not 0.0 < wrong < 1.0:
        raise CorollaryError(f"most_wrong is a share above 0 and below 1, got {most_wrong!r}")
    return wrong
