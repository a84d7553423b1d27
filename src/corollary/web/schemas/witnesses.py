"""Shapes of machines' reports, and of their reliability."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from .common import Given, ItemId, Key, Label, Name

Share = Annotated[float, Field(examples=[0.87])]
#: Cells that one request may speak of.
MOST = 20_000


class ReportedCell(Given):
    """A machine's report about one label of one item."""

    item: ItemId = Field(description="The item's identifier.", examples=["robin"])
    label: Label = Field(description="The label.", examples=["Bird"])
    value: Annotated[
        float,
        Field(ge=0, le=1, description="How probable a yes is; 0 is no, 1 is yes.", examples=[0.9]),
    ]


class MachineReport(Given):
    """The reports of a machine, which are evidence and never facts."""

    key: Key
    witness: Name = Field(
        description="The name of the machine; no person may have it.",
        examples=["old model"],
    )
    reports: Annotated[
        list[ReportedCell], Field(min_length=1, max_length=MOST, description="Cell by cell.")
    ]


class MachineTrust(BaseModel):
    """The reliability of a machine, estimated by the current model."""

    sensitivity: float = Field(
        description="How often it is right where the answer is yes.", examples=[0.87]
    )
    specificity: float = Field(
        description="How often it is right where the answer is no.", examples=[0.93]
    )
    sensitivity_interval: tuple[float, float] = Field(description="Lowest and highest, at 90 %.")
    specificity_interval: tuple[float, float] = Field(description="Lowest and highest, at 90 %.")
    answers: int = Field(description="Cells that it was judged by.", examples=[1200])
    wrong: float = Field(
        description="The number of reports that are probably wrong.", examples=[103.5]
    )
    votes: int = Field(
        0, description="The number of its reports about exclusive groups.", examples=[100]
    )
    right: float | None = Field(
        None, description="How often these votes are right; null without any.", examples=[0.82]
    )
    right_interval: tuple[float, float] | None = Field(
        None, description="Lowest and highest, at 90 %."
    )


class WitnessOut(BaseModel):
    """A machine with reports in effect."""

    name: str = Field(description="Its name.", examples=["old model"])
    cells: int = Field(description="Of how many cells it spoke.", examples=[1200])
    items: int = Field(description="Of how many items.", examples=[100])
    at: str = Field(
        description="When it last spoke, UTC.", examples=["2026-11-15T12:00:00.000000+00:00"]
    )
    by: str = Field(description="The lead who brought that.", examples=["Mara"])
    trust: MachineTrust | None = Field(description="Null before a model has weighed it.")
