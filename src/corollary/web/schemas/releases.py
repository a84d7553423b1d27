"""Shapes of a new release of the ontology: the file, what it would do, and putting it in force."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from .common import Given, Key, Label
from .contents import PreviewOut

FileName = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Language = Annotated[str, StringConstraints(min_length=1, max_length=50)]


class ReleaseText(Given):
    """The file of a new release, and how it is read."""

    name: FileName = Field(
        description="The name of the file, whose end names the format.", examples=["doid-2026.obo"]
    )
    text: str = Field(description="The content of the file.")
    format: Literal["notation", "owl", "skos", "obo", "table"] | None = Field(
        default=None, description="The format, if the name of the file does not say."
    )
    siblings_exclusive: bool = Field(
        default=False, description="Take labels under the same parent as exclusive."
    )
    broader: bool = Field(default=False, description="Take SKOS broader as subsumption.")
    language: Language | None = Field(
        default=None, description="The language of names in OWL and SKOS.", examples=["fi"]
    )
    follow: dict[Label, Label] = Field(
        default={}, description="Labels in force and labels of the release that mean the same."
    )


class ReleaseChange(ReleaseText):
    """A release to be put in force, with the figures of its preview."""

    key: Key
    version: int = Field(
        ge=0, description="The version in force at the preview: refused if it is another now."
    )
    out_of_effect: int = Field(
        ge=0, description="Answers out of effect at the preview: refused if there are more now."
    )


class Successor(BaseModel):
    """A label whose term has another label in the release."""

    label: str = Field(description="The label in force.", examples=["bird"])
    to: str = Field(description="The label in the release.", examples=["feathered animal"])
    reason: str = Field(description="Why.", examples=["renamed"])


class NewName(BaseModel):
    """A label whose name changes."""

    label: str = Field(description="The label.", examples=["Z:1"])
    before: str = Field(description="The name now.")
    after: str = Field(description="The name in the release.")


class Move(BaseModel):
    """A label with other parents."""

    label: str = Field(description="The label.")
    before: list[str] = Field(description="Its parents now.")
    after: list[str] = Field(description="Its parents in the release.")


class Gone(BaseModel):
    """A label without a successor."""

    label: str = Field(description="The label.")
    reason: str = Field(description="Why.", examples=["retired; consider stone"])
    choices: list[str] = Field(description="Labels that may take its place: name one in `follow`.")


class LostAnswer(BaseModel):
    """An answer that would go out of effect."""

    item: str = Field(description="The item.")
    label: str = Field(description="The label, as it is called now.")
    value: bool | Literal["cant_tell"] = Field(description="The answer.")
    who: str = Field(description="Who gave it.")
    reason: str = Field(description="Why.")


class ReleaseOut(PreviewOut):
    """The effects of a release. Each list has at most 100 entries; `in_all` has their lengths."""

    version: int = Field(description="The version in force now.", examples=[1])
    stay: int = Field(description="Answers that stay.")
    follow: int = Field(description="Answers that follow to another label.")
    renamed: list[Successor] = Field(description="Labels with another label.")
    merged: list[Successor] = Field(description="Labels that became part of another one.")
    names: list[NewName] = Field(description="Labels with another name.")
    moved: list[Move] = Field(description="Labels with other parents.")
    gone: list[Gone] = Field(description="Labels without a successor.")
    out_of_effect: list[LostAnswer] = Field(description="Answers that would go out of effect.")
    not_expressed: list[str] = Field(description="Parts of the file that cannot be expressed.")
    in_all: dict[str, int] = Field(
        description="The number of entries of each list.", examples=[{"out_of_effect": 3}]
    )
