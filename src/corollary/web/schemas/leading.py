"""Shapes of a lead's day: figures, people, decisions, settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, StrictBool, StringConstraints

from ...campaign.settings import ABOUT
from .common import (
    ConflictOut,
    Counts,
    EventOut,
    Given,
    ItemId,
    ItemOut,
    Key,
    Label,
    Name,
    Note,
    Role,
    Seq,
)


class Training(BaseModel):
    """The state of the training of a model."""

    training: bool = Field(description="Whether a training is running.")
    seconds: float | None = Field(description="Its time so far.")
    took: float | None = Field(
        None, description="The seconds of the last one; null before the first."
    )
    error: str | None = Field(description="The error of the last one; the earlier model is used.")
    deaths: int = Field(description="How often the process died.")
    notes: list[str] = Field(
        description="Parts of items that could not be used, such as broken pictures."
    )


class Progress(Counts):
    """The figures of the campaign; a lead's have more in `figures`."""

    labels: int = Field(description="Labels of the ontology.", examples=[24])
    conflicts: int = Field(description="Conflicts to settle.", examples=[1])
    marked: int = Field(description="Items with flags or doubts.", examples=[0])
    improbable: int = Field(
        default=0, description="Answers that are improbable and not decided.", examples=[0]
    )
    withdrawn: int = Field(
        description="Items that were withdrawn; they count nowhere else.", examples=[0]
    )
    puzzling: int = Field(description="Questions that nobody can tell.", examples=[0])
    second_opinions_due: int = Field(
        description="Cells that wait for another opinion.", examples=[0]
    )
    leases: int = Field(description="Questions that someone holds.", examples=[6])
    people: int = Field(description="People who take part.", examples=[3])
    paused: bool = Field(description="Whether everybody is paused.", examples=[False])
    paused_since: str | None = Field(description="Since when, UTC; null while questions are asked.")
    ontology: int = Field(description="The version of the ontology in force.", examples=[1])
    model: int = Field(description="The version of the model; 0 before the first.", examples=[3])
    training: Training = Field(description="The state of the training of a model.")
    seq: int = Field(description="The last event's number.", examples=[415])
    figures: dict[str, Any] = Field(
        description="Curves, forecast, accuracy and agreement; without names unless a lead asks."
    )


class LabelFigures(BaseModel):
    """The figures of a label."""

    model_config = ConfigDict(extra="allow")

    label: str = Field(description="The label.", examples=["Bird"])
    yes: int = Field(description="Items that have it.", examples=[40])
    no: int = Field(description="Items that do not.", examples=[200])
    open: int = Field(description="Items in which it is open.", examples=[80])
    asked_yes: int = Field(description="Answers yes in effect.", examples=[30])
    asked_no: int = Field(description="Answers no in effect.", examples=[12])
    answered: int = Field(description="Items in which it was answered or decided.", examples=[42])
    accepted: int = Field(
        default=0, description="Items in which a prediction was accepted.", examples=[0]
    )
    implied: int = Field(description="Items in which it is implied.", examples=[198])
    overlap: int = Field(description="Items that several people answered.", examples=[30])
    alpha: float | None = Field(
        description="Krippendorff's alpha; null if there are too few opinions."
    )
    low: bool = Field(description="Whether alpha is too low to rely on.")
    differ: int = Field(description="Pairs of opinions that differ.", examples=[1])
    accuracy: float | None = Field(
        description="The share of right answers; null if it cannot be estimated."
    )
    conflicts: int = Field(description="Conflicts that it is part of.", examples=[0])
    predicted: int | None = Field(
        description="Items that the model says have it; null before the first model."
    )
    sure: float | None = Field(
        description="The share of items that the model expects to be right about."
    )
    never_yes: bool = Field(description="Asked often, and never yes.")


class PersonOut(BaseModel):
    """A person and their figures."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(description="Their name.", examples=["Ana"])
    role: Role = Field(description="Their role.")
    state: Literal["active", "paused", "revoked"] = Field(description="Whether they take part.")
    holds: int = Field(description="Questions that they hold.", examples=[3])
    answers: int = Field(description="Answers in effect.", examples=[190])
    yes: int = Field(description="Answers that are yes.", examples=[60])
    no: int = Field(description="Answers that are no.", examples=[120])
    whole: int = Field(description="Answers about whole items.", examples=[0])
    cant_tell: int = Field(description="Answers that are can't tell.", examples=[10])
    skip: int = Field(description="Questions skipped.", examples=[2])
    seconds: float | None = Field(description="The median time of an answer.", examples=[1.9])
    gold_right: int = Field(description="Gold questions answered rightly.", examples=[4])
    gold_wrong: int = Field(description="Gold questions answered wrongly.", examples=[0])
    paused: bool = Field(description="Whether they are paused.", examples=[False])
    paused_since: str | None = Field(description="Since when, UTC; null while questions are asked.")
    last: str | None = Field(description="Their last answer, UTC.")
    settled: int = Field(description="Cells that their answers settled.", examples=[900])
    median: float | None = Field(
        description="The median time of a yes or no, seconds.", examples=[1.8]
    )
    yes_rate: float | None = Field(description="The share of yes.", examples=[0.33])
    fast: float = Field(description="The share of answers that were too fast.", examples=[0.01])
    too_fast: bool = Field(description="Whether that share is worth a look.")
    overlap: int = Field(description="Cells that others answered too.", examples=[30])
    alpha: float | None = Field(
        description="Krippendorff's alpha with others; null if there are too few cells."
    )
    overlap_implied: int = Field(description="Cells compared, with implied ones.", examples=[210])
    alpha_implied: float | None = Field(description="Krippendorff's alpha, with implied cells.")
    reliability: Any = Field(
        description="How often they are right, as estimated from all answers; null if unknown."
    )
    conflicts: int = Field(description="Conflicts that they are part of.", examples=[0])


class Invitation(Given):
    """The kind of invitation: a link, which works once and for some time, or a token."""

    program: StrictBool = Field(
        default=False, description="A token for a program instead of a link for a person."
    )
    hours: int = Field(
        default=168, ge=1, le=8760, strict=True, description="How long the link works."
    )


class Invite(Invitation):
    """A person to invite."""

    name: Name = Field(description="Their name.", examples=["Ana"])
    role: Role = Field(default="annotator", description="Their role.", examples=["annotator"])


class Invited(BaseModel):
    """An invitation; it is shown this once."""

    name: str = Field(description="Their name.", examples=["Ana"])
    role: Role = Field(description="Their role.")
    token: str | None = Field(description="For a program: 'Authorization: Bearer ...'; else null.")
    link: str | None = Field(
        description="For a person, relative to the page's address; null for a program.",
        examples=["join/link.17..."],
    )


class PersonChange(Invitation):
    """Changes of a person; fields that are left out do not change."""

    paused: StrictBool | None = Field(default=None, description="Pause them, or go on.")
    revoked: Literal[True] | None = Field(
        default=None, description="They no longer take part; their answers still count."
    )
    role: Role | None = Field(
        default=None, description="Another role; it comes with a new invitation."
    )
    renew: Literal[True] | None = Field(
        default=None, description="A new invitation; the earlier one no longer works."
    )
    password: Annotated[str, StringConstraints(min_length=10, max_length=200)] | None = Field(
        default=None, description="A password to sign in with, at least 10 characters."
    )


class PersonChanged(BaseModel):
    """A person after a change."""

    name: str = Field(description="Their name.", examples=["Ana"])
    role: Role = Field(description="Their role.")
    state: Literal["active", "paused", "revoked"] = Field(description="Whether they take part.")
    paused: bool = Field(description="Whether they are paused.")
    token: str | None = Field(
        description="The new token of a program, shown this once; null if there is none."
    )
    link: str | None = Field(
        description="The new link, shown this once, relative to the page's address; or null."
    )


class ToSettleOut(BaseModel):
    """A conflict for the lead."""

    item: ItemOut = Field(description="The item.")
    conflict: ConflictOut = Field(description="The conflict.")
    doubts: list[EventOut] = Field(description="Notes of annotators about it.")
    waiting: int = Field(description="Labels of the item that wait for the decision.")


class Decision(Given):
    """A lead's decision; it overrules all answers."""

    key: Key
    item: ItemId = Field(description="The item's identifier.", examples=["robin"])
    label: Label = Field(description="The label.", examples=["Bird"])
    value: StrictBool = Field(description="Yes or no.", examples=[True])
    reject: list[Seq] = Field(
        default=[], max_length=1000, description="Answers that no longer count."
    )
    note: Note = Field(default="", description="Why.")


class Gold(Given):
    """An answer that a lead knows; it counts as a decision."""

    key: Key
    item: ItemId = Field(description="The item's identifier.", examples=["robin"])
    label: Label = Field(description="The label.", examples=["Bird"])
    value: StrictBool = Field(description="Yes or no.", examples=[True])


class Settle(Given):
    """The end of a flag or doubt."""

    key: Key


#: The schema of each setting by its name, for the description of the API.
SETTINGS = {
    name: {"description": about["does"]}
    | ({"anyOf": [about["shape"], {"type": "null"}]} if about["none"] else about["shape"])
    for name, about in ABOUT.items()
}


class SettingsOut(RootModel[dict[str, Any]]):
    """All settings by name."""

    model_config = ConfigDict(
        json_schema_extra={"properties": dict(SETTINGS), "required": list(SETTINGS)}
    )


class SettingOut(BaseModel):
    """A setting with its description."""

    name: str = Field(description="Its name.", examples=["overlap"])
    group: str = Field(description="The heading above it.", examples=["Second opinions and gold"])
    does: str = Field(description="Its description.")
    now: str = Field(description="The effect of changing it now.")
    allowed: str = Field(
        description="The allowed values, in words.", examples=["a number from 0 to 1"]
    )
    none: bool = Field(description="Whether it may be null.")
    shape: dict[str, Any] = Field(description="The allowed values without null, as JSON Schema.")
    default: Any = Field(description="Its default.", examples=[0.0])
    value: Any = Field(description="Its value.", examples=[0.1])


class SettingsChange(Given):
    """The settings to change.

    Values may be written as people write them: "0.1" or "10 %" for a number, "yes", "no", "on" and "off" for a switch,
    "none", "null" or "" for nothing.
    """

    key: Key | None = Field(
        default=None, description="Chosen by the client; the same key again never counts twice."
    )
    changes: dict[str, Any] = Field(
        min_length=1,
        max_length=100,
        description="By name; all other settings stay unchanged.",
        examples=[{"overlap": 0.1, "item_cost": 3, "show_names": True}],
        json_schema_extra={"properties": dict(SETTINGS), "additionalProperties": False},
    )


class PauseWanted(Given):
    """Pause everybody, or go on."""

    paused: StrictBool = Field(description="Whether to pause.", examples=[True])


class Paused(BaseModel):
    """Whether everybody is paused."""

    paused: bool = Field(description="Whether everybody is paused.")


class Health(BaseModel):
    """Whether the server can take answers."""

    live: bool = Field(description="The process answers.")
    ready: bool = Field(description="Memory and storage agree, and the server is not being closed.")
    seq: int | None = Field(description="The last event's number.", examples=[415])
    version: str = Field(description="The version of the program.", examples=["0.1.0"])
    webhooks_failing: int = Field(0, description="Webhooks that did not take their last message.")


class WebhookOut(BaseModel):
    """The state of a webhook."""

    url: str = Field(
        description="The address that it sends to, without a query.",
        examples=["https://example.org/labels"],
    )
    events: list[str] = Field(
        description="The events that it sends.", examples=[["answer", "conflict", "model"]]
    )
    told: int = Field(description="The last event of the log that was sent.", examples=[415])
    failures: int = Field(
        description="The number of failed tries of the waiting message.", examples=[0]
    )
    error: str | None = Field(
        description="The error of the last try.", examples=["it answered 500"]
    )
