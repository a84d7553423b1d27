"""Shapes that several subjects share: names and numbers, errors, counts, events, conflicts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from ...campaign.events import LONGEST_KEY, RESERVED_KEYS
from ...campaign.items import LONGEST_ID


def _free(key: str) -> str:
    if key.startswith(RESERVED_KEYS):
        raise ValueError(
            f"keys that begin with {RESERVED_KEYS} are the server's own; choose another, such as a UUID"
        )
    return key


ItemId = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ID)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Note = Annotated[str, StringConstraints(max_length=10_000)]
Seq = Annotated[int, Field(ge=1, le=2**53, strict=True)]
LeaseId = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Key = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_KEY),
    AfterValidator(_free),
    Field(
        description="Chosen by the client, new for each act (a UUID); the same key again never counts twice.",
        examples=["5f6c1f5e-0e57-4a39-8b7e-6f6d9a0c1d11"],
    ),
]
Role = Literal["lead", "annotator", "reader"]
RuleKind = Literal[
    "above", "covered", "exclusive", "exactly one", "at least one", "same", "rule", "soft"
]
Value = StrictBool | Literal["cant_tell", "skip"] | list[Label]


class Given(BaseModel):
    """The base of requests: only the named fields are allowed."""

    model_config = ConfigDict(extra="forbid")


class ErrorDetail(BaseModel):
    """An error."""

    code: str = Field(description="For programs.", examples=["not_signed_in"])
    message: str = Field(description="For people.", examples=["Please sign in."])
    hint: str = Field(description="A way to solve it.", examples=["Open your invite link again."])


class Error(BaseModel):
    """Every error has this shape."""

    error: ErrorDetail = Field(description="The error.")


class Counts(BaseModel):
    """The progress of the campaign; a cell is one label of one item.

    If `one` label holds for each item, read the progress from `done` of `items`, because one answer
    can settle a whole item.
    """

    one: bool = Field(
        default=False,
        description="Whether each item has at most one label, with those above it, so that one pick settles it.",
    )

    items: int = Field(description="Things to label.", examples=[320])
    cells: int = Field(description="Cells that the ontology alone leaves open.", examples=[7680])
    asked: int = Field(description="Answers in effect, with can't tell.", examples=[410])
    settled: int = Field(description="Cells that are known.", examples=[3280])
    answered: int = Field(description="Known cells answered by people.", examples=[400])
    imported: int = Field(description="Known cells that were imported.", examples=[0])
    brought: int = Field(
        default=0,
        description="Known cells that were imported, followed from imported ones alone, or are known only because "
        "cells were accepted.",
        examples=[0],
    )
    decided: int = Field(description="Known cells decided by a lead.", examples=[2])
    accepted: int = Field(default=0, description="Known cells accepted as predicted.", examples=[0])
    implied: int = Field(description="Known cells that followed from the others.", examples=[2878])
    open: int = Field(description="Cells that are not known yet.", examples=[4400])
    saved: int = Field(
        description=(
            "Questions saved. If `one` label holds for each item: items labelled without a question (`unasked`). Else "
            "cells settled by answers without asking: known cells minus imported ones and those that follow from them "
            "alone, minus current answers. Second opinions and can't tell count as answers. Below 0 if more cells were "
            "asked than settled."
        ),
        examples=[2870],
    )
    saved_today: int = Field(
        description="Questions saved since this day began (UTC); below 0 if answers were taken back.",
        examples=[310],
    )
    done: int = Field(description="Items all of whose labels are known.", examples=[130])
    unasked: int = Field(
        default=0,
        description="Items accepted as predicted, without a question.",
        examples=[0],
    )
    held: int = Field(description="Items that wait for a lead's decision.", examples=[1])


class ItemOut(BaseModel):
    """A thing to label."""

    id: str = Field(description="Its identifier.", examples=["robin"])
    text: str | None = Field(description="Its text.", examples=["a small bird with a red breast"])
    fields: dict[str, Any] = Field(description="The fields of its record.", examples=[{"wings": 2}])
    image: str | None = Field(
        description="The address of its picture, relative to the page.",
        examples=["api/items/robin/image"],
    )


class Mark(BaseModel):
    """A label and its known value."""

    label: str = Field(description="The label.", examples=["Bird"])
    value: bool | None = Field(description="Yes, no, or null if it is open.", examples=[True])


class RuleOut(BaseModel):
    """A constraint of the ontology.

    `above`: every child is a parent. `covered`: every parent is one of the children. `exclusive`, `exactly one`,
    `at least one`, `same` are about `labels`. `rule`: any formula over `labels`, see `text`. `soft`: one that may be
    broken, see `text` and `weight`; nothing follows from it.
    """

    kind: RuleKind = Field(description="The kind of constraint.", examples=["above"])
    parent: str | None = Field(
        description="The label above; null unless it is above or covered.", examples=["Animal"]
    )
    children: list[str] = Field(
        description="The labels below; empty likewise.", examples=[["Bird"]]
    )
    labels: list[str] = Field(description="All labels in it.", examples=[["Animal", "Bird"]])
    text: str = Field(description="As the ontology writes it.", examples=["Bird -> Animal"])
    words: str = Field(description="As people read it.", examples=["Bird implies Animal"])
    weight: float | None = Field(
        default=None,
        description="Of a soft one: to break it makes a labelling exp(-weight) as probable.",
    )


class OpinionOut(BaseModel):
    """A person's answer about one label of an item."""

    who: str = Field(description="Their name, or 'another annotator'.", examples=["Ben"])
    own: bool = Field(description="Whether it is the caller's.", examples=[False])
    label: str = Field(description="The label.", examples=["Fish"])
    value: bool = Field(description="Yes or no.", examples=[True])
    seq: int = Field(description="The event's number.", examples=[17])
    at: str = Field(description="When, UTC.", examples=["2026-11-15T12:00:00.000000+00:00"])
    decided: bool = Field(description="Whether it is a lead's decision.", examples=[False])
    picked: list[str] | None = Field(
        default=None,
        description="For a pick, the picked labels; empty if none of them holds.",
    )


class BlamedOut(BaseModel):
    """The answer in a conflict that is most probably wrong."""

    seq: int = Field(description="The answer's event.", examples=[17])
    label: str = Field(description="Its label.", examples=["Fish"])
    probability: float = Field(description="The probability that it is wrong.", examples=[0.93])
    why: str = Field(description="The evidence against it, in plain words.")


class ConflictOut(BaseModel):
    """Opinions that cannot all be true; none can be left out."""

    kind: Literal["disagreement", "clash"] = Field(description="On one cell, or by the ontology.")
    message: str = Field(
        description="In plain words.", examples=["robin cannot be a Bird and a Fish"]
    )
    opinions: list[OpinionOut] = Field(description="The opinions, in order.")
    rules: list[RuleOut] = Field(description="The constraints that they clash with.")
    blamed: BlamedOut | None = Field(
        default=None,
        description="The opinion that is most probably wrong, with the setting `fallible`; it holds nothing up.",
    )


class EventOut(BaseModel):
    """One line of the log."""

    seq: int = Field(description="Its number.", examples=[17])
    at: str = Field(description="When, UTC.", examples=["2026-11-15T12:00:00.000000+00:00"])
    who: str = Field(description="Who, or 'another annotator'.", examples=["Ana"])
    kind: str = Field(description="The kind of event.", examples=["answer"])
    item: str | None = Field(description="The item.", examples=["robin"])
    label: str | None = Field(description="The label; null for the whole item.", examples=["Bird"])
    value: Any = Field(description="The value.", examples=[True])
    seconds: float | None = Field(description="How long it took.", examples=[1.7])
    refers: int | None = Field(description="The event that it refers to.")
    detail: dict[str, Any] | None = Field(description="Reasons, notes, rules.")


class Noted(BaseModel):
    """It is stored."""

    seq: int = Field(description="Its number in the log.", examples=[413])


class LeaseOut(BaseModel):
    """A question that someone holds."""

    id: str = Field(description="The lease.")
    item: str = Field(description="The item.")
    label: str | None = Field(description="The label; null for the whole item.")
    who: str = Field(description="Who holds it.")
    expires: str = Field(description="Until when, UTC.")


class Fine(BaseModel):
    """It is done."""

    ok: Literal[True] = Field(default=True, description="Always true.")
