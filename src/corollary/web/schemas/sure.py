"""Shapes of what a model is sure of, of its audit, and of accepting it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from .common import Given, ItemOut
from .contents import GroupKey

AtLeast = Annotated[float, Field(gt=0.5, lt=1, description="How probable each must be.", examples=[0.99])]
MostWrong = Annotated[
    float | None,
    Field(gt=0, lt=1, description="The share of them that may be wrong; 1 - at_least unless given.", examples=[0.01]),
]


class CellOut(BaseModel):
    """One label of one item."""

    item: str = Field(description="The item's identifier.", examples=["robin"])
    label: str = Field(description="The label.", examples=["Bird"])


class SureCells(BaseModel):
    """Cells that a model is sure of."""

    at_least: float = Field(description="How probable each is.", examples=[0.99])
    most_wrong: float = Field(description="The share of them that may be wrong.", examples=[0.01])
    cells: int = Field(description="How many open cells are predicted so, or were when an audit drew.", examples=[5200])


class AuditOut(SureCells):
    """How an audit stands; what is predicted is not told, so that nobody is led by it."""

    seq: int = Field(description="Its event.", examples=[415])
    state: Literal["open", "passed", "failed", "outdated"] = Field(
        description="Outdated where another model or ontology is in use by now: nothing is accepted by it."
    )
    drawn: int = Field(description="How many were drawn.", examples=[299])
    right: int = Field(description="Of these, known to be as predicted.", examples=[120])
    wrong: int = Field(description="Of these, known to be otherwise, or nobody could tell.", examples=[0])
    at_most: float | None = Field(description="The share of all that may be wrong, at 95 %; null until it is finished.")
    to_answer: list[CellOut] = Field(description="Those that are still to be answered, as any other question.")


class AuditQuestion(BaseModel):
    """A cell of an audit, as a question."""

    item: ItemOut = Field(description="What it is about.")
    label: str = Field(description="The label.", examples=["Bird"])
    text: str = Field(description="The question as people read it.", examples=["Is “robin” a Bird?"])
    definition: str | None = Field(description="What the label means.", examples=["A feathered animal."])


class AuditNow(AuditOut):
    """How the last audit stands, and what to answer next."""

    question: AuditQuestion | None = Field(description="The next to answer; null unless it is open.")


class LastAudit(BaseModel):
    """The last audit."""

    audit: AuditNow | None = Field(description="How it stands; null where there is none.")


class SureOut(SureCells):
    """What the model in use is sure of, and what an audit takes."""

    items: int = Field(description="Items that they are of.", examples=[310])
    left_out: int = Field(description="Items left out, as something that is not sure would follow.", examples=[0])
    needed: int = Field(description="Cells that an audit draws at least.", examples=[299])
    audit: AuditOut | None = Field(description="The last audit; null where there is none.")


class AuditWanted(Given):
    """An audit to draw."""

    key: GroupKey
    at_least: AtLeast = 0.99
    n: int | None = Field(
        default=None, ge=1, le=1_000_000, description="How many to draw; as few as can do unless given."
    )
    most_wrong: MostWrong = None


class Acceptance(Given):
    """Accept what the last audit confirmed."""

    key: GroupKey
