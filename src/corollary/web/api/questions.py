"""Questions and answers: what an annotator does all day."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ...campaign.campaign import Campaign
from ...campaign.items import LONGEST_ID
from ...campaign.storage.records import LEAD, Annotator, Lease
from .. import schemas
from ..context import Desk, Person, Served
from ..errors import Refusal
from ..schemas.from_campaign import Shown
from .lookups import has_item

router = APIRouter(prefix="/api", tags=["questions"])


@router.post("/questions", response_model=schemas.Questions)
async def questions(wanted: schemas.QuestionsWanted, request: Request) -> Response:
    """Return the next questions, held for the caller, or why there are none."""
    state = request.app.state
    desk: Desk = state.desk
    return await desk.do(_questions, wanted, state.campaign, request.state.caller)


def _questions(
    wanted: schemas.QuestionsWanted, campaign: Campaign, person: Annotator
) -> schemas.Questions:
    shown = Shown(campaign, person)
    asked = [
        shown.question(asking)
        for asking in campaign.next(person.name, wanted.n, options=wanted.options)
    ]
    found = campaign.situation(person.name)
    names = person.role == LEAD or campaign.settings.show_names
    return schemas.Questions(
        questions=asked,
        state="asking" if asked else found["state"],
        waiting=schemas.Waiting(
            skipped=found["skipped"],
            with_others=found["with_others"],
            others=found["others"] if names else [],
            free_at=found["free_at"],
            held=found["held"],
        ),
    )


@router.get("/options")
def options(
    campaign: Served,
    person: Person,
    item: Annotated[str, Query(max_length=LONGEST_ID, description="The item's identifier.")],
    query: Annotated[
        str, Query(max_length=1000, description="Only those with these letters in a name.")
    ] = "",
    under: Annotated[
        str | None,
        Query(
            max_length=1000,
            description="Right below this label; if empty, those with no open label above them.",
        ),
    ] = None,
    offset: Annotated[
        int, Query(ge=0, le=2**31, description="The number to leave out at the start.")
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=500, description="The largest number, besides labels above them.")
    ] = 50,
) -> schemas.OptionsOut:
    """Return options of a pick: the most probable, those with some letters, or those below a label."""
    if not has_item(campaign, item):
        raise Refusal(404, f"There is no item {item!r} in this campaign.")
    found = campaign.options(
        item, who=person.name, query=query, under=under, offset=offset, limit=limit
    )
    return Shown(campaign, person).options(found)


@router.post("/answers", response_model=schemas.ReplyOut)
async def answers(answer: schemas.Answer, request: Request) -> Response:
    """Answer a question, held or not. An acknowledged answer is on disk."""
    campaign: Campaign = request.app.state.campaign
    person: Annotator = request.state.caller
    desk: Desk = request.app.state.desk
    return await desk.once_safe(
        campaign.take_answer,
        partial(Shown(campaign, person).reply, most=answer.tell),
        person.name,
        answer.item,
        answer.label,
        answer.value,
        key=answer.key,
        seconds=answer.seconds,
        lease=answer.lease,
    )


@router.post("/undo")
def undo(wanted: schemas.UndoWanted, campaign: Served, person: Person) -> schemas.UndoneOut:
    """Take back an answer or a flag, with its consequences."""
    return Shown(campaign, person).undone(
        campaign.undo(person.name, wanted.seq, key=wanted.key), wanted.tell
    )


@router.post("/flags")
def flags(flag: schemas.Flag, campaign: Served, person: Person) -> schemas.Noted:
    """Flag an item for the lead; the caller is no longer asked about it."""
    event = campaign.flag(
        person.name,
        flag.item,
        flag.label,
        reason=flag.reason,
        note=flag.note,
        rule=flag.rule,
        key=flag.key,
    )
    return schemas.Noted(seq=event.seq)


@router.post("/doubts")
def doubts(doubt: schemas.Doubt, campaign: Served, person: Person) -> schemas.Noted:
    """Report a contradiction to the lead that the caller's own answer is part of."""
    event = campaign.doubt(
        person.name, doubt.seq, rules=doubt.rules, note=doubt.note, key=doubt.key
    )
    return schemas.Noted(seq=event.seq)


@router.get("/history")
def history(
    campaign: Served,
    person: Person,
    limit: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**53, description="Only events before this number.")
    ] = None,
    offered: Annotated[
        bool, Query(description="With all options of whole items (detail.options).")
    ] = True,
) -> schemas.History:
    """Answers, flags and doubts of the caller, the last first."""
    shown = Shown(campaign, person)
    found = campaign.history(person.name, limit, before)
    return schemas.History(
        events=[
            shown.remembered(one, _text(campaign, one.event.item), offered=offered) for one in found
        ],
        next_before=found[-1].event.seq if len(found) == limit else None,
    )


def _text(campaign: Campaign, item: str | None) -> str | None:
    return None if item is None else campaign.item(item).item.text


@router.post("/leases/renew")
def renew(wanted: schemas.LeaseIds, campaign: Served, person: Person) -> schemas.Renewed:
    """Hold questions for longer."""
    found = campaign.renew(person.name, wanted.leases)
    return schemas.Renewed(leases=[lease_out(lease) for lease in found])


@router.post("/leases/release")
def release(wanted: schemas.LeaseIds, campaign: Served, person: Person) -> schemas.Released:
    """Give questions back without an answer."""
    return schemas.Released(released=campaign.release(person.name, wanted.leases))


@router.get("/leases")
def leases(campaign: Served) -> list[schemas.LeaseOut]:
    """Return all held questions, with person and end."""
    return [lease_out(lease) for lease in campaign.leases()]


def lease_out(lease: Lease) -> schemas.LeaseOut:
    """Return a lease in the shape of the API."""
    return schemas.LeaseOut(
        id=lease.id, item=lease.item, label=lease.label, who=lease.who, expires=lease.expires
    )
