"""Shapes of items, imports and the ontology."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StrictBool, StringConstraints

from ...campaign.live.leading import LONGEST_NAME, MOST
from .common import ConflictOut, Counts, EventOut, Given, ItemId, ItemOut, Key, Label, Note, RuleOut

GroupKey = Annotated[Key, StringConstraints(max_length=LONGEST_NAME)]
Column = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class ValueOut(BaseModel):
    """The known value of a label of an item."""

    label: str = Field(description="The label.", examples=["Bird"])
    value: bool | None = Field(description="Yes, no, or null if it is open.", examples=[True])
    source: Literal["asked", "accepted", "implied"] | None = Field(
        description="Answered by people, accepted by a lead, or implied.",
        examples=["asked"],
    )
    probability: float | None = Field(
        default=None,
        description="The probability of yes, if it is open and there is a model; for leads only.",
    )


class ItemDetail(ItemOut):
    """An item and its labels."""

    values: list[ValueOut] = Field(
        description="Every label, or as many as asked for; labels that an annotator may be asked blind look open."
    )
    labels: int = Field(description="The number of labels.", examples=[23547])
    open: int = Field(description="The number of open labels.", examples=[12])
    conflicts: list[ConflictOut] = Field(description="Conflicts to settle; for leads only.")
    events: list[EventOut] = Field(
        description="All events: for a lead everyone's, else the caller's own."
    )
    withdrawn: int | None = Field(description="The event that withdrew it; null if it is in use.")


class Items(BaseModel):
    """Some of the items, in their order."""

    items: list[ItemOut] = Field(description="In their order.")
    next_after: str | None = Field(
        description="Send it as `after` for later ones; null at the end."
    )


class PredictedOut(BaseModel):
    """A label that the model predicts."""

    label: str = Field(description="The label.", examples=["Bird"])
    probability: float = Field(
        description="Its probability, given the known labels of the item.", examples=[0.93]
    )


class ItemRow(ItemOut):
    """An item of the list, and its labels in short."""

    yes: list[str] = Field(description="Its narrowest known labels.", examples=[["Bird"]])
    predicted: list[PredictedOut] = Field(
        description="The narrowest other labels that the model predicts."
    )
    open: int = Field(description="Labels that are not known yet.", examples=[3])
    doubt: float | None = Field(
        description="1 - P(the item's most probable labelling). For a label asked for, the probability that its "
        "prediction is wrong. 0 if nothing is open, null before the first model."
    )
    value: bool | None = Field(
        description="The value of the label asked for: yes, no, or null if it is open."
    )
    source: Literal["asked", "accepted", "implied"] | None = Field(
        description="The source of the label asked for: answered, accepted, or implied."
    )
    probability: float | None = Field(
        description="The probability of yes of the label asked for, if it is open."
    )
    marks: list[Literal["flagged", "conflict", "gold", "withdrawn"]] = Field(
        description="Marks of the item."
    )


class ItemListOut(BaseModel):
    """Some of the items that fit."""

    items: list[ItemRow] = Field(description="In the order asked for.")
    total: int = Field(description="The number of all that fit.", examples=[23700])
    model: int = Field(
        description="The model of the probabilities; 0 before the first.", examples=[2]
    )


class ItemIds(BaseModel):
    """Items that fit."""

    ids: list[str] = Field(description="Their identifiers, in their order.", examples=[["robin"]])


class GroupAnswer(Given):
    """One answer for a label of many items."""

    key: GroupKey
    items: list[ItemId] = Field(
        min_length=1, max_length=MOST, description="Their identifiers.", examples=[["robin"]]
    )
    label: Label = Field(description="The label.", examples=["Bird"])
    value: StrictBool | Literal["cant_tell"] = Field(
        description='true, false or "cant_tell".', examples=[True]
    )


class GroupUndo(Given):
    """A group of answers to take back."""

    key: GroupKey
    group: GroupKey


class GroupTold(BaseModel):
    """The effect of the events just written. While some are left, repeat the request with the same key."""

    group: str = Field(description="Its name, the key of the request; send it to `group-undo`.")
    done: int = Field(
        default=0, description="Events of the group that are stored by now.", examples=[500]
    )
    left: int = Field(
        default=0,
        description="Items still to come: repeat the request with the same key.",
        examples=[0],
    )
    seqs: list[int] = Field(
        description="The numbers of the events, one for each item.", examples=[[411, 412]]
    )
    settled: int = Field(description="Cells that are known only now.", examples=[9])
    opened: int = Field(description="Cells that are open again.", examples=[0])
    conflicts: list[str] = Field(description="Items in conflict now.")
    counts: Counts = Field(description="The progress of the campaign.")


class ImportForm(Given):
    """How to read a file; columns that are not named are found by their usual names."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        default="items.csv",
        description="The file's name; its ending decides the format.",
        examples=["birds.jsonl"],
    )
    check: bool = Field(default=False, description="Only check the file; nothing is stored.")
    id: Column | None = Field(
        default=None, description="The column of the identifiers; # numbers the rows."
    )
    text: Column | None = Field(
        default=None, description="The column of the texts; - if there is none."
    )
    vector: Column | None = Field(default=None, description="The column of vectors (embeddings).")
    labels: Column | None = Field(
        default=None, description="The column that names the labels that are yes."
    )
    separator: Annotated[str, StringConstraints(min_length=1, max_length=10)] | None = Field(
        default=None, description="The text between the labels named in one cell."
    )
    complete: bool = Field(
        default=False,
        description="Labels that are not named are no; an empty cell leaves all open.",
    )
    only_labels: bool = Field(default=False, description="The items are in the campaign already.")
    encoding: Annotated[str, StringConstraints(min_length=1, max_length=50)] | None = Field(
        default=None, description="How text is encoded."
    )
    delimiter: Annotated[str, StringConstraints(min_length=1, max_length=1)] | None = Field(
        default=None, description="The character between the columns."
    )


class Added(BaseModel):
    """The contents of an import."""

    items: int = Field(description="New items.", examples=[100])
    facts: int = Field(description="Labels of items that are known already.", examples=[0])
    stored: bool = Field(description="False if the file was only checked.")
    notes: list[str] = Field(description="Notes, for example on pictures that cannot be read.")


class Withdrawal(Given):
    """Items that are no longer asked, trained on, counted or exported."""

    items: list[ItemId] = Field(
        min_length=1, max_length=10_000, description="Their identifiers.", examples=[["robin"]]
    )
    reason: Note = Field(
        default="", description="The reason, shown to people who still answer.", examples=["twice"]
    )


class Withdrawn(BaseModel):
    """Items that were withdrawn."""

    seqs: list[int] = Field(
        description="The numbers of the events, one for each item that was in use.", examples=[[9]]
    )
    counts: Counts = Field(description="The progress of the campaign without them.")


class LabelInfo(BaseModel):
    """A label of the ontology."""

    label: str = Field(description="The label itself.", examples=["GO:0008150"])
    name: str = Field(
        description="The displayed name, with the label beside it if that is a code.",
        examples=["biological process (GO:0008150)"],
    )
    synonyms: list[str] = Field(description="Its synonyms.", examples=[["physiological process"]])
    asks: str = Field(
        description="Its question, with {item} for the item's name.",
        examples=["Is {item} a Bird?"],
    )
    parents: list[str] = Field(description="The labels right above it.", examples=[["Animal"]])
    children: list[str] = Field(description="The labels right under it.", examples=[["Songbird"]])
    definition: str | None = Field(description="Its definition.")
    question: str | None = Field(
        description="Its own question, with {item} and perhaps {label} in it."
    )


class OntologyOut(BaseModel):
    """The ontology in force."""

    version: int = Field(description="Its version.", examples=[1])
    text: str = Field(description="In the text notation.")
    labels: list[LabelInfo] = Field(description="In the ontology's order.")
    asks: str = Field(
        description="The question for a pick, perhaps with {item} for the item's name.",
        examples=["Which of these is {item}?"],
    )
    rules: list[RuleOut] = Field(description="The constraints.")


class VersionOut(BaseModel):
    """A version of the ontology, in force or not."""

    version: int = Field(description="Its version.", examples=[1])
    who: str = Field(description="Who wrote it.", examples=["Mara"])
    at: str = Field(description="When, UTC.", examples=["2026-11-15T12:00:00.000000+00:00"])
    text: str = Field(description="In the text notation.")


class OntologyText(Given):
    """Another ontology."""

    text: str = Field(
        description="In the text notation.", examples=["Animal > Bird, Fish\nexclusive: Bird, Fish"]
    )


class OntologyChange(OntologyText):
    """Another ontology to be put in force."""

    key: Key


class Break(BaseModel):
    """Answers about an item that could no longer all be true."""

    item: str = Field(description="The item.")
    kind: str = Field(description="disagreement or clash.")
    labels: list[str] = Field(description="The labels in it.")
    message: str = Field(description="In plain words.")


class Refused(BaseModel):
    """An item whose decisions would clash."""

    item: str = Field(description="The item.")
    message: str = Field(description="In plain words.")


class PreviewOut(BaseModel):
    """The effects of another ontology."""

    added: list[str] = Field(description="Labels that only it has.")
    removed: list[str] = Field(description="Labels that it no longer has.")
    settles: int = Field(description="Cells that would be known.")
    reopens: int = Field(description="Cells that would be open again.")
    breaks: list[Break] = Field(description="Conflicts that would arise, at most 100 of them.")
    breaks_in_all: int = Field(description="The number of new conflicts.")
    mends: list[str] = Field(
        description="Items whose conflicts would be gone, at most 100 of them."
    )
    mends_in_all: int = Field(description="The number of such items.")
    refused: list[Refused] = Field(
        description="Items whose decisions would clash, at most 100; with any it cannot be put in force."
    )


class OntologyChanged(BaseModel):
    """The version now in force."""

    version: int = Field(description="Its version.", examples=[2])
    seq: int = Field(description="The event's number.")
