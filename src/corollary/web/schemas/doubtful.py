"""Shapes of answers that are probably wrong, and of how far people can be trusted."""

from __future__ import annotations

from pydantic import BaseModel, Field

from .common import ItemOut, OpinionOut


class DoubtfulOut(BaseModel):
    """Return an answer that may be wrong."""

    item: ItemOut = Field(description="The item.")
    name: str = Field(
        description="The displayed name of its label, or of the pick.", examples=["Bird"]
    )
    answer: OpinionOut = Field(description="The answer; for a whole item the labels that it names.")
    probability: float = Field(description="The probability that it is wrong.", examples=[0.93])
    without: float = Field(
        description="How probable its value would be had nobody given it.", examples=[0.07]
    )
    against: list[OpinionOut] = Field(
        description="The answers about the item that are evidence against it, if any."
    )
    why: str = Field(description="The evidence against it, in plain words.")
    in_effect: bool = Field(
        description="Whether it still counts; improbable answers do not.", examples=[False]
    )


class PersonTrust(BaseModel):
    """The reliability of a person, with 90 % intervals."""

    name: str = Field(description="Their name.", examples=["Ana"])
    answers: int = Field(description="Their answers that are weighed.", examples=[190])
    wrong: float = Field(
        description="The number of answers that are probably wrong.", examples=[7.4]
    )
    right_if_yes: float = Field(
        description="How often they say yes where that is right.", examples=[0.95]
    )
    right_if_yes_interval: tuple[float, float] = Field(
        description="From and to.", examples=[[0.9, 0.98]]
    )
    right_if_no: float = Field(
        description="How often they say no where that is right.", examples=[0.97]
    )
    right_if_no_interval: tuple[float, float] = Field(
        description="From and to.", examples=[[0.93, 0.99]]
    )


class TrustOut(BaseModel):
    """The reliability of people, and how many known labels are probably wrong."""

    fallible: bool = Field(
        description="Whether people can be wrong here; if not, all answers count as true."
    )
    people: list[PersonTrust] = Field(default=[], description="Who answered, in order of name.")
    known: int | None = Field(
        default=None, description="Labels of items that are known.", examples=[3280]
    )
    wrong: float | None = Field(
        default=None, description="The number that is probably wrong.", examples=[12.3]
    )
