"""The ontology: as it is, and what another one would do."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from .. import schemas
from ..context import Person, Served
from ..written_ontology import WrittenOntology

router = APIRouter(prefix="/api/ontology", tags=["ontology"])
LISTED = 100  # examples of what a change would break; the counts are of all


@router.get("", response_model=schemas.OntologyOut)
def ontology(request: Request) -> Response:
    """The ontology in force, with the definitions of its labels; packed for who takes that, and known by its ETag."""
    written: WrittenOntology = request.app.state.ontology
    return written.response(request)


@router.get("/versions")
def versions(campaign: Served) -> list[schemas.VersionOut]:
    """Every ontology that was written down, the oldest first: any of them can be put in force again."""
    return [
        schemas.VersionOut(version=one.version, who=one.who, at=one.at, text=one.text)
        for one in campaign.ontology_versions()
    ]


@router.post("/preview")
def preview(wanted: schemas.OntologyText, campaign: Served) -> schemas.PreviewOut:
    """What another ontology would settle, reopen or break; nothing changes."""
    found = campaign.preview_ontology(wanted.text).as_dict(campaign.names)
    return schemas.PreviewOut(
        added=found["added"],
        removed=found["removed"],
        settles=found["settles"],
        reopens=found["reopens"],
        breaks=found["breaks"][:LISTED],
        breaks_in_all=len(found["breaks"]),
        mends=found["mends"][:LISTED],
        mends_in_all=len(found["mends"]),
        refused=found["refused"][:LISTED],
    )


@router.put("")
def change(
    wanted: schemas.OntologyChange, campaign: Served, person: Person
) -> schemas.OntologyChanged:
    """Put another ontology in force; what was said stays, what follows is drawn anew."""
    event = campaign.change_ontology(person.name, wanted.text, key=wanted.key)
    return schemas.OntologyChanged(version=event.value, seq=event.seq)
