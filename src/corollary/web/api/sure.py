"""Sure predictions of the model: look, audit, and accept all at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...campaign.campaign import Campaign
from ...campaign.live.next_question import sentence, whole_sentence
from ...campaign.live.sure.audits import Audit
from ...campaign.live.sure.under_way import UnderWay
from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import item_out
from .item_list import group_told

router = APIRouter(prefix="/api/sure", tags=["items"])


@router.get("")
def sure(
    campaign: Served,
    person: Person,
    at_least: Annotated[
        float, Query(gt=0.5, lt=1, description="The least probability of each.")
    ] = 0.99,
    most_wrong: Annotated[
        float | None, Query(gt=0, lt=1, description="The share that may be wrong.")
    ] = None,
) -> schemas.SureOut:
    """Return the number of sure predictions, the size of an audit, and the last audit."""
    found = campaign.sure(person.name, at_least, most_wrong=most_wrong)
    audit = None if found.audit is None else _audit(found.audit)
    return schemas.SureOut(
        **vars(found) | {"audit": audit, "under_way": _under_way(found.under_way)}
    )


@router.get("/audits")
def last_audit(
    campaign: Served,
    person: Person,
    skip: Annotated[
        int, Query(ge=0, le=10**6, description="The number of questions to leave for later.")
    ] = 0,
) -> schemas.LastAudit:
    """Return the state of the last audit, and its next question."""
    found = campaign.last_audit(person.name)
    under_way = _under_way(campaign.accepting(person.name))
    if found is None:
        return schemas.LastAudit(audit=None, under_way=under_way)
    asked = found.to_answer[skip % len(found.to_answer)] if found.state == "open" else None
    question = None if asked is None else _question(campaign, *asked)
    now = schemas.AuditNow(**_audit(found).model_dump(), question=question)
    return schemas.LastAudit(audit=now, under_way=under_way)


@router.post("/audits")
def audit(wanted: schemas.AuditWanted, campaign: Served, person: Person) -> schemas.AuditOut:
    """Sample an audit at random from the sure predictions."""
    return _audit(
        campaign.audit(
            person.name, wanted.at_least, wanted.n, most_wrong=wanted.most_wrong, key=wanted.key
        )
    )


@router.post("/accept")
def accept(wanted: schemas.Acceptance, campaign: Served, person: Person) -> schemas.GroupTold:
    """Accept the next 500 items that the last audit confirmed; repeat with the same key while some are `left`.

    All are one group: `group-undo` takes the lot back.
    """
    return group_told(campaign.accept_some(person.name, key=wanted.key))


def _question(campaign: Campaign, id: str, label: str | None) -> schemas.AuditQuestion:
    item = campaign.item(id).item
    settings = campaign.settings
    if label is None:
        text = whole_sentence(item, settings)
        return schemas.AuditQuestion(item=item_out(item), label=None, text=text, definition=None)
    text = sentence(item, label, settings, campaign.names)
    definition = settings.labels.get(label, {}).get("definition")
    return schemas.AuditQuestion(item=item_out(item), label=label, text=text, definition=definition)


def _audit(one: Audit) -> schemas.AuditOut:
    questions = [schemas.QuestionOut(item=item, label=label) for item, label in one.to_answer]
    return schemas.AuditOut(**vars(one) | {"drawn": len(one.drawn), "to_answer": questions})


def _under_way(found: UnderWay | None) -> schemas.AcceptanceOut | None:
    return None if found is None else schemas.AcceptanceOut(**found._asdict())
