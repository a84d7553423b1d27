"""All items for a lead to look through, and one answer for many of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from ...campaign.live.leading import GroupReply
from ...campaign.reading.item_list import CellState, Mark, Row, Sort, Wanted
from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import item_out

router = APIRouter(prefix="/api", tags=["items"])


def _wanted(
    query: Annotated[
        str, Query(max_length=1000, description="Text in the item's identifier or text.")
    ] = "",
    label: Annotated[
        str | None, Query(max_length=1000, description="The label for `state` and the order.")
    ] = None,
    state: Annotated[
        CellState | None,
        Query(description="Only items with this state of the label, or of any label."),
    ] = None,
    mark: Annotated[
        Mark | None,
        Query(description="Only items with this mark; the only way to list withdrawn ones."),
    ] = None,
    who: Annotated[
        str | None, Query(max_length=200, description="Only items that this person answered.")
    ] = None,
    sort: Annotated[
        Sort,
        Query(description="The order: as they are, or the most doubtful or most probable first."),
    ] = "order",
    up: Annotated[bool, Query(description="Reverse the order.")] = False,
) -> Wanted:
    return Wanted(
        query=query.strip(), label=label, state=state, mark=mark, who=who, sort=sort, up=up
    )


@router.get("/item-list")
def item_list(
    campaign: Served,
    wanted: Annotated[Wanted, Depends(_wanted)],
    offset: Annotated[
        int, Query(ge=0, le=2**31, description="The number to leave out at the start.")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 50,
) -> schemas.ItemListOut:
    """List items for a lead.

    Searched, filtered and sorted, with their known and predicted labels.
    """
    page = campaign.list_items(wanted, offset=offset, limit=limit)
    return schemas.ItemListOut(
        items=[_row(one) for one in page.rows], total=page.total, model=page.model
    )


@router.get("/item-ids")
def item_ids(campaign: Served, wanted: Annotated[Wanted, Depends(_wanted)]) -> schemas.ItemIds:
    """Return all items that fit, in order, to be answered at once; refused if there are too many."""
    return schemas.ItemIds(ids=campaign.list_ids(wanted))


def _row(one: Row) -> schemas.ItemRow:
    return schemas.ItemRow(
        **item_out(one.item).model_dump(),
        yes=list(one.yes),
        predicted=[schemas.PredictedOut(label=label, probability=p) for label, p in one.predicted],
        open=one.open,
        doubt=one.doubt,
        value=one.value,
        source=one.source,
        probability=one.probability,
        marks=[mark for mark in one.marks if mark != "doubtful"],
    )


@router.post("/group-answers")
def answer_all(answer: schemas.GroupAnswer, campaign: Served, person: Person) -> schemas.GroupTold:
    """Give a label of many items the same answer, each an event of its own, all or none stored.

    `group-undo` undoes it.
    """
    return group_told(
        campaign.answer_all(person.name, answer.items, answer.label, answer.value, key=answer.key)
    )


@router.post("/group-undo")
def undo_all(wanted: schemas.GroupUndo, campaign: Served, person: Person) -> schemas.GroupTold:
    """Take back the answers of a group, and what followed.

    While some are `left`, repeat with the same key.
    """
    return group_told(campaign.undo_some(person.name, wanted.group, key=wanted.key))


def group_told(reply: GroupReply) -> schemas.GroupTold:
    """Return the effects of a group of answers in the shape of the API."""
    return schemas.GroupTold(
        group=reply.group,
        seqs=[event.seq for event in reply.events],
        settled=reply.settled,
        opened=reply.opened,
        conflicts=list(reply.conflicts),
        counts=schemas.Counts(**reply.counts),
        done=reply.done,
        left=reply.left,
    )
