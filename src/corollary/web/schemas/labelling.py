"""Shapes of an annotator's day: questions, answers, what they settle, history."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from .common import (
    ConflictOut,
    Counts,
    EventOut,
    Given,
    ItemId,
    ItemOut,
    Key,
    Label,
    LeaseId,
    LeaseOut,
    Mark,
    Name,
    Note,
    OpinionOut,
    Role,
    RuleOut,
    Seq,
    Value,
)

#: Characters of the rules that a doubt names.
RULES = 20_000


TellAtMost = Annotated[
    int | None,
    Field(
        ge=0,
        le=100_000,
        description="The largest number of settled or opened cells to list. [all]",
    ),
]


def _brief(rules: list[str]) -> list[str]:
    if (length := sum(map(len, rules))) > RULES:
        raise ValueError(
            f"the rules have {length:,} characters; at most {RULES:,} are kept: name fewer of them"
        )
    return rules


class PlaceOut(BaseModel):
    """The place of a label in the ontology."""

    path: list[Mark] = Field(description="From the root down to the label, without it.")
    children: list[Mark] = Field(description="The labels right under it.")
    siblings: list[Mark] = Field(description="The labels beside it.")


class KnownOut(BaseModel):
    """A label of the item whose value is known."""

    label: str = Field(description="The label.", examples=["Living"])
    value: bool = Field(description="Yes or no.", examples=[True])
    source: Literal["asked", "implied"] = Field(
        description="Whether people answered it, or it follows."
    )


class SuggestionOut(BaseModel):
    """The model's prediction for a question."""

    value: bool | list[str] = Field(
        description="Yes or no; for a whole item its narrowest labels, empty if none holds.",
        examples=[True],
    )
    probability: float = Field(description="Its probability.", examples=[0.93])


class Pickable(BaseModel):
    """The options of a pick."""

    options: list[str] = Field(
        description="The open labels of a whole item, the most probable narrowest one first."
    )
    ends: list[str] = Field(description="The options that can be the narrowest label.")
    none: bool = Field(description="Whether none of the options may hold.")
    one: bool = Field(description="Whether picking one of the options, or none, settles them all.")
    open: int = Field(
        description="The number of open labels, even if not all are options.",
        examples=[160],
    )
    pickable: int = Field(
        description="The number of options that can be the narrowest label.", examples=[150]
    )
    names: dict[str, str] = Field(
        default={},
        description="The displayed names of the options, if not all were asked for.",
    )


class OptionsOut(Pickable):
    """Some options of a pick."""

    wider: list[str] = Field(description="Options with open labels below them.")
    total: int = Field(description="The number of all that fit.", examples=[12])


class Question(Pickable):
    """A question that is held for the caller."""

    lease: str = Field(
        description="Send it with the answer; renew or release it.", examples=["0d5c5e3c9f9b4a0f"]
    )
    item: ItemOut = Field(description="The item.")
    label: str | None = Field(
        description="The label asked; null for the whole item.", examples=["Bird"]
    )
    name: str | None = Field(
        default=None,
        description="The displayed name of the label; null for a whole item.",
        examples=["Bird"],
    )
    text: str = Field(
        description="The question as people read it.", examples=["Should “robin” be labelled Bird?"]
    )
    if_yes: dict[str, bool] | None = Field(
        description="The other labels that a yes would settle; null if the campaign does not show them.",
        examples=[{"Animal": True}],
    )
    if_no: dict[str, bool] | None = Field(
        description="The other labels that a no would settle; null likewise.", examples=[{}]
    )
    definition: str | None = Field(
        description="The definition of the label.", examples=["A feathered animal."]
    )
    place: PlaceOut | None = Field(description="The place of the label; null for a whole item.")
    known: list[KnownOut] = Field(
        description="The known values of the item's other labels, if they may be shown."
    )
    suggestion: SuggestionOut | None = Field(
        default=None,
        description="The model's prediction; null unless it is shown with this question.",
    )
    expires: str = Field(
        description="Until when it is held, UTC.", examples=["2026-11-15T12:05:00.000000+00:00"]
    )
    model: int = Field(
        description="The version of the model that chose it; 0 before the first.", examples=[3]
    )


class Waiting(BaseModel):
    """The reason why there is no question."""

    skipped: int = Field(description="Questions that the caller skipped.", examples=[12])
    with_others: int = Field(description="Questions that others hold.", examples=[6])
    others: list[str] = Field(
        description="Who holds them, if the campaign shows names.", examples=[["Ben"]]
    )
    free_at: str | None = Field(
        description="The latest time when the first of them is free again, UTC."
    )
    held: int = Field(description="Items that wait for a lead.", examples=[3])


class Questions(BaseModel):
    """The next questions, best first, or why there are none."""

    questions: list[Question] = Field(
        description="Held for the caller; those held before come first."
    )
    state: Literal["asking", "waiting", "finished", "paused", "empty"] = Field(
        description="Whether there is a question, and if not, why.", examples=["asking"]
    )
    waiting: Waiting = Field(description="The reason if there is no question.")


class QuestionsWanted(Given):
    """The number of questions wanted."""

    n: int = Field(
        default=1,
        ge=1,
        le=20,
        description="The number to hold: one to show, and a few to have ready.",
        examples=[3],
    )
    options: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="The number of options of a pick: the most probable, and labels above them, without known values. "
        "GET /api/options finds the others. By default all.",
        examples=[200],
    )


class Answer(Given):
    """An answer about an item."""

    key: Key
    item: ItemId = Field(description="The item's identifier.", examples=["robin"])
    label: Label | None = Field(
        default=None, description="The label; null for the whole item.", examples=["Bird"]
    )
    value: Value = Field(
        description='true, false, "cant_tell" or "skip"; for a whole item the list of its narrowest labels.',
        examples=[True],
    )
    seconds: float | None = Field(
        default=None,
        ge=0,
        le=1e7,
        allow_inf_nan=False,
        description="How long it took.",
        examples=[1.7],
    )
    lease: LeaseId | None = Field(default=None, description="The question's lease, if it was held.")
    tell: TellAtMost = None


class SettledOut(BaseModel):
    """A cell that became known."""

    label: str = Field(description="The label.", examples=["Animal"])
    value: bool = Field(description="Yes or no.", examples=[True])
    why: str | None = Field(
        description="The rule behind it, in plain words; for the first few, and null for answers.",
        examples=["Bird implies Animal"],
    )
    because: list[Mark] = Field(
        description="The values that the rule needed; /api/explain has the whole chain."
    )


class ReplyOut(BaseModel):
    """The effect of an answer or a decision."""

    seq: int = Field(description="Its number in the log: it is stored.", examples=[411])
    settled: list[SettledOut] = Field(description="Cells of the item that are known only now.")
    n_settled: int = Field(
        description="The number of settled cells, even if not all are listed.", examples=[160]
    )
    opened: list[Mark] = Field(description="Cells that are open again, with their earlier values.")
    second_opinion: bool = Field(
        description="Whether the cell was known before; this answer is kept as a second opinion."
    )
    conflict: ConflictOut | None = Field(description="The conflict that it is part of.")
    item_done: bool = Field(description="Whether all labels of the item are known.")
    counts: Counts = Field(description="The progress of the campaign.")


class UndoWanted(Given):
    """The event to take back."""

    key: Key
    seq: Seq | None = Field(
        default=None, description="The event's number; null is the caller's last answer or flag."
    )
    tell: TellAtMost = None


class UndoneOut(BaseModel):
    """The effect of an undo."""

    seq: int = Field(description="The undo's number in the log.", examples=[412])
    undone: EventOut = Field(description="The event that was taken back.")
    opened: list[Mark] = Field(description="Cells that are open again, with their earlier values.")
    n_opened: int = Field(
        description="The number of opened cells, even if not all are listed.", examples=[160]
    )
    settled: list[SettledOut] = Field(description="Cells that are known again.")
    counts: Counts = Field(description="The progress of the campaign.")


class Flag(Given):
    """Something is wrong with an item, or with a question about it."""

    key: Key
    item: ItemId = Field(description="The item's identifier.", examples=["robin"])
    label: Label | None = Field(
        default=None, description="The label that was asked.", examples=["Bird"]
    )
    reason: Literal["question", "text", "rule", "other"] = Field(
        description="The kind of the fault.", examples=["text"]
    )
    note: Note = Field(default="", description="For the lead.", examples=["The text is cut off."])
    rule: Note | None = Field(default=None, description="The constraint that looks wrong.")


class Doubt(Given):
    """A contradiction that the caller's own answer is part of, for the lead."""

    key: Key
    seq: Seq = Field(description="The caller's answer.", examples=[411])
    rules: Annotated[list[Note], AfterValidator(_brief)] = Field(
        default=[],
        max_length=100,
        description=f"The constraints that look wrong, at most {RULES:,} characters in all.",
    )
    note: Note = Field(default="", description="For the lead.")


class RememberedOut(EventOut):
    """An answer, flag or doubt of the caller."""

    stands: bool = Field(description="Whether it was not taken back.")
    text: str | None = Field(
        description="The item's text.", examples=["a small bird with a red breast"]
    )


class History(BaseModel):
    """Answers, flags and doubts of the caller, the last first."""

    events: list[RememberedOut] = Field(description="The last first.")
    next_before: int | None = Field(
        description="Send it as `before` for earlier ones; null at the end."
    )


class WhyOut(BaseModel):
    """The reason for the value of a label of an item."""

    item: str = Field(description="The item.", examples=["robin"])
    label: str = Field(description="The label.", examples=["Animal"])
    value: bool | None = Field(description="Yes, no, or null if it is open.", examples=[True])
    text: str | None = Field(description="The chain in plain words, one step a line.")
    answers: list[OpinionOut] = Field(description="The answers it follows from.")
    steps: list[str] = Field(description="Each use of a constraint, in plain words.")
    rules: list[RuleOut] = Field(description="The constraints used.")


class LeaseIds(Given):
    """Some of the caller's leases."""

    leases: list[LeaseId] = Field(max_length=100, description="Their identifiers.")


class Renewed(BaseModel):
    """The questions that are held for longer."""

    leases: list[LeaseOut] = Field(description="With their new ends.")


class Released(BaseModel):
    """The number of questions given back."""

    released: int = Field(description="Their number.", examples=[2])


class SignIn(Given):
    """A token, or a name and a password."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=300)] | None = Field(
        default=None, description="From an invite link, or a token."
    )
    name: Name | None = Field(default=None, description="With a password.", examples=["Ana"])
    password: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None, description="With a name."
    )


class Me(BaseModel):
    """The caller, and the data that the page needs at its start."""

    name: str = Field(description="The caller's name.", examples=["Ana"])
    role: Role = Field(description="Their role.")
    mode: Literal["single", "team"] = Field(
        description="Whether one person or a team uses this server."
    )
    campaign: str = Field(description="The campaign's name.", examples=["Things of the world"])
    about: str = Field(description="The campaign's description.")
    guidelines: str | None = Field(
        description="The lead's text for annotators, in a few marks of Markdown."
    )
    lead: str | None = Field(
        description="The lead; null if names are not shown.", examples=["Mara"]
    )
    trouble: str | None = Field(description="Why the campaign is read only; usually null.")
    paused: bool = Field(description="Whether the caller is paused.")
    paused_since: str | None = Field(description="Since when, UTC; null while questions are asked.")
    answers: int = Field(description="Answers of the caller in effect.", examples=[190])
    today: int = Field(description="Answers of this day (UTC).", examples=[40])
    show_consequences: bool = Field(
        description="Whether questions show the labels that an answer would settle."
    )
    show_names: bool = Field(description="Whether annotators see each other's names.")
    whole_items: bool = Field(description="Whether some questions are about all labels of an item.")
    one: bool = Field(description="Whether each item has at most one label, with those above it.")
    lease_seconds: float = Field(description="How long a question is held.", examples=[300])
    ontology: int = Field(description="The version of the ontology in force.", examples=[1])
    counts: Counts = Field(description="The progress of the campaign.")
