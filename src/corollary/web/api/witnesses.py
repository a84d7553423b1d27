"""Machines as witnesses: their reports are evidence, and the trust in each is shown."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from .. import schemas
from ..context import Person, Served

router = APIRouter(prefix="/api", tags=["machines"])


@router.get("/witnesses")
def witnesses(campaign: Served) -> list[schemas.WitnessOut]:
    """Return the machines with reports in effect, and their reliability by the current model."""
    return [schemas.WitnessOut(**asdict(one)) for one in campaign.witnesses()]


@router.post("/reports")
def report(said: schemas.MachineReport, campaign: Served, person: Person) -> schemas.Noted:
    """Write a machine's reports, all or none; the next model weighs them. Undo them by the event's number.

    Of a cell of which the machine spoke before, the new report counts. What does not fit into one request can be sent
    in several.
    """
    cells = ((one.item, one.label, one.value) for one in said.reports)
    event = campaign.report(person.name, said.witness, cells, key=said.key, kind="api")
    return schemas.Noted(seq=event.seq)
