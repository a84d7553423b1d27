"""The ontology: as it is, and what another one would do."""

from __future__ import annotations

from fastapi import APIRouter

from ...campaign.live.question_words import template_of
from ...campaign.settings import synonyms_of
from ...campaign.state.label_places import Places
from ...logic.wording import question_in_words
from .. import schemas
from ..context import Person, Served
from ..schemas.from_campaign import rules_out

router = APIRouter(prefix="/api/ontology", tags=["ontology"])
LISTED = 100  # examples of what a change would break; the counts are of all


@router.get("")
def ontology(campaign: Served) -> schemas.OntologyOut:
    """The ontology in force, with the definitions of its labels."""
    with campaign.lock:
        onto, version, settings, names = campaign.state.onto, campaign.state.version, campaign.settings, campaign.names
    places, about = Places(onto), settings.labels
    return schemas.OntologyOut(
        version=version,
        text=str(onto),
        labels=[
            schemas.LabelInfo(
                label=label,
                name=names[label],
                synonyms=synonyms_of(about.get(label, {})),
                asks=question_in_words("{item}", names[label], template_of(label, settings)),
                parents=places.parents.get(label, []),
                children=places.children.get(label, []),
                definition=about.get(label, {}).get("definition"),
                question=about.get(label, {}).get("question"),
            )
            for label in onto.labels
        ],
        rules=rules_out(onto.constraints, names=names),
    )


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
def change(wanted: schemas.OntologyChange, campaign: Served, person: Person) -> schemas.OntologyChanged:
    """Put another ontology in force; what was said stays, what follows is drawn anew."""
    event = campaign.change_ontology(person.name, wanted.text, key=wanted.key)
    return schemas.OntologyChanged(version=event.value, seq=event.seq)
