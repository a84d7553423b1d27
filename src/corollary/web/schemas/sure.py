"""Shapes of sure predictions, their audit and their acceptance."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from .common import Given, ItemOut
from .contents import GroupKey

AtLeast = Annotated[
    float, Field(gt=0.5, lt=1, description="The least probability of each.", examples=[0.99])
]
MostWrong = Annotated[
    float | None,
    Field(
        gt=0,
        lt=1,
        description="The share of them that may be wrong; 1 - at_least unless given.",
        examples=[0.01],
    ),
]


class QuestionOut(BaseModel):
    """One label of one item, or a whole item."""

    item: str = Field(description="The item's identifier.", examples=["robin"])
    label: str | None = Field(description="The label; null for the whole item.", examples=["Bird"])


class SureThings(BaseModel):
    """Sure predictions, of items or cells."""

    at_least: float = Field(description="The least probability of each.", examples=[0.99])
    most_wrong: float = Field(description="The share of them that may be wrong.", examples=[0.01])
    unit: Literal["items", "cells"] = Field(
        description="The unit that is sampled and counted: items if each has one label, else cells."
    )


class AuditOut(SureThings):
    """The state of an audit, without predictions, so that nobody is led by them."""

    sure: int = Field(
        description="The number of items, or cells, that it was sampled from.", examples=[5200]
    )
    seq: int = Field(description="Its event.", examples=[415])
    state: Literal["open", "passed", "failed", "outdated"] = Field(
        description="Outdated if another model or ontology is in use now; then it accepts nothing."
    )
    drawn: int = Field(description="The number drawn.", examples=[299])
    right: int = Field(description="The number answered as predicted.", examples=[120])
    wrong: int = Field(
        description="The number answered differently, or with can't tell.", examples=[0]
    )
    at_most: float | None = Field(
        description="The share of all that may be wrong, at 95 %; null until it is finished."
    )
    to_answer: list[QuestionOut] = Field(description="The questions still to be answered.")


class AuditQuestion(BaseModel):
    """A question of an audit."""

    item: ItemOut = Field(description="The item.")
    label: str | None = Field(
        description="The label; null for the whole item, see `GET /api/options`.",
        examples=["Bird"],
    )
    text: str = Field(
        description="The question as people read it.", examples=["Is “robin” a Bird?"]
    )
    definition: str | None = Field(
        description="The definition of the label.", examples=["A feathered animal."]
    )


class AuditNow(AuditOut):
    """Return the state of the last audit, and its next question."""

    question: AuditQuestion | None = Field(
        description="The next to answer; null unless it is open."
    )


class AcceptanceOut(BaseModel):
    """An acceptance that is not finished."""

    group: str = Field(
        description="Its name: `accept` with this key goes on, `group-undo` takes it back."
    )
    audit: int = Field(description="The event of its audit.", examples=[415])
    done: int = Field(description="Items accepted so far.", examples=[500])
    left: int = Field(description="Items still to come.", examples=[6254])


class LastAudit(BaseModel):
    """The last audit."""

    audit: AuditNow | None = Field(description="The last audit; null if there is none.")
    under_way: AcceptanceOut | None = Field(
        description="An acceptance that is not finished; null if there is none."
    )


class SureOut(SureThings):
    """The sure predictions of the current model, and the size of an audit."""

    cells: int = Field(description="Open cells with a sure prediction.", examples=[5200])
    items: int = Field(description="Their items.", examples=[310])
    left_out: int = Field(
        description="Items left out, because a label that is not sure would follow.", examples=[0]
    )
    needed: int = Field(description="The smallest size of an audit.", examples=[299])
    audit: AuditOut | None = Field(description="The last audit; null if there is none.")
    under_way: AcceptanceOut | None = Field(
        description="An acceptance that is not finished; null if there is none."
    )


class AuditWanted(Given):
    """An audit to draw."""

    key: GroupKey
    at_least: AtLeast = 0.99
    n: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="How many to draw; as few as can do unless given.",
    )
    most_wrong: MostWrong = None


class Acceptance(Given):
    """Accept what the last audit confirmed."""

    key: GroupKey
