"""Everybody's answers, for a lead to look through."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ...campaign.items import LONGEST_ID
from ...campaign.progress.lookback import look_back
from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import Shown

router = APIRouter(prefix="/api", tags=["answers"])
Kind = Literal[
    "yes",
    "no",
    "whole",
    "cant_tell",
    "skip",
    "decision",
    "gold",
    "flag",
    "doubt",
    "fact",
    "withdraw",
    "accept",
]


@router.get("/log")
def log(
    campaign: Served,
    person: Person,
    who: Annotated[
        str | None, Query(max_length=200, description="Only events of this person.")
    ] = None,
    item: Annotated[
        str | None, Query(max_length=LONGEST_ID, description="Only events about this item.")
    ] = None,
    label: Annotated[
        str | None, Query(max_length=1000, description="Only events about this label.")
    ] = None,
    kind: Annotated[Kind | None, Query(description="Only events of this kind.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**53, description="Only events before this number.")
    ] = None,
) -> schemas.History:
    """Return everybody's answers, the last first."""
    shown = Shown(campaign, person)
    with campaign.lock:
        found = look_back(
            campaign.state, who=who, item=item, label=label, kind=kind, limit=limit, before=before
        )  # fmt: skip
        texts = {
            one.event.item: campaign.item(one.event.item).item.text
            for one in found
            if one.event.item is not None
        }
    return schemas.History(
        events=[shown.remembered(one, texts.get(one.event.item or "")) for one in found],
        next_before=found[-1].event.seq if len(found) == limit else None,
    )
