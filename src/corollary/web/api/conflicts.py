"""What a lead has to settle: conflicts, flags and doubts; and what a lead knows: decisions and gold."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import Shown, item_out

router = APIRouter(prefix="/api", tags=["conflicts"])


@router.get("/conflicts")
def conflicts(campaign: Served, person: Person) -> list[schemas.ToSettleOut]:
    """Return the conflicts that hold items back, the oldest first."""
    shown = Shown(campaign, person)
    return [
        schemas.ToSettleOut(
            item=item_out(campaign.item(one.item).item),
            conflict=shown.conflict(one.item, one.conflict),
            doubts=[shown.event(event) for event in one.doubts],
            waiting=one.waiting,
        )
        for one in campaign.conflicts()
    ]


@router.post("/decisions")
def decisions(decision: schemas.Decision, campaign: Served, person: Person) -> schemas.ReplyOut:
    """Decide a label of an item, whatever people answered."""
    reply = campaign.decide(
        person.name,
        decision.item,
        decision.label,
        decision.value,
        reject=decision.reject,
        note=decision.note,
        key=decision.key,
    )
    return Shown(campaign, person).reply(reply)


@router.post("/gold")
def gold(known: schemas.Gold, campaign: Served, person: Person) -> schemas.Noted:
    """Make a gold question: its answer is known, and people may be asked it as if it were open."""
    event = campaign.gold(person.name, known.item, known.label, known.value, key=known.key)
    return schemas.Noted(seq=event.seq)


@router.get("/flags")
def flags(campaign: Served, person: Person) -> list[schemas.EventOut]:
    """Flags and doubts that wait for a lead, the oldest item first."""
    shown = Shown(campaign, person)
    return [shown.event(event) for event in campaign.marked()]


@router.post("/flags/{seq}/settle")
def settle(
    seq: Annotated[int, Path(ge=1, le=2**53, description="The flag's or the doubt's number.")],
    wanted: schemas.Settle,
    campaign: Served,
    person: Person,
) -> schemas.Noted:
    """The end of a flag or doubt."""
    return schemas.Noted(seq=campaign.unflag(person.name, seq, key=wanted.key).seq)
