"""What everybody said, for a lead to look through."""

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
        str | None, Query(max_length=200, description="Only what this person said.")
    ] = None,
    item: Annotated[
        str | None, Query(max_length=LONGEST_ID, description="Only of this item.")
    ] = None,
    label: Annotated[str | None, Query(max_length=1000, description="Only of this label.")] = None,
    kind: Annotated[Kind | None, Query(description="Only of this kind.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**53, description="Only events before this number.")
    ] = None,
) -> schemas.History:
    """What everybody said, the last first."""
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
        events=[
            schemas.RememberedOut(
                **shown.event(one.event).model_dump(),
                stands=one.stands,
                text=texts.get(one.event.item or ""),
            )
            for one in found
        ],
        next_before=found[-1].event.seq if len(found) == limit else None,
    )
