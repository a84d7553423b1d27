"""Answers that are probably wrong, and the reliability of people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...learning.session.hearing import Trust
from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import Shown

router = APIRouter(prefix="/api", tags=["conflicts"])


@router.get("/doubtful")
def doubtful(
    campaign: Served,
    person: Person,
    n: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 20,
    at_least: Annotated[
        float, Query(ge=0, le=1, description="The least probability that each is wrong.")
    ] = 0.5,
) -> list[schemas.DoubtfulOut]:
    """Return answers that are probably wrong and not decided, the worst first; needs `fallible`."""
    shown = Shown(campaign, person)
    return [shown.doubtful(one) for one in campaign.doubtful(n, at_least=at_least)]


@router.get("/trust")
def trust(campaign: Served) -> schemas.TrustOut:
    """Return the reliability of people, and how many known labels are probably wrong."""
    found = campaign.weighed()
    if found is None:
        return schemas.TrustOut(fallible=False)
    people = [_person(name, one) for name, one in sorted(found.people.items())]
    return schemas.TrustOut(fallible=True, people=people, known=found.known, wrong=found.wrong)


def _person(name: str, one: Trust) -> schemas.PersonTrust:
    return schemas.PersonTrust(
        name=name,
        answers=one.answers,
        wrong=one.wrong,
        right_if_yes=one.sensitivity,
        right_if_yes_interval=one.sensitivity_interval,
        right_if_no=one.specificity,
        right_if_no_interval=one.specificity_interval,
    )
