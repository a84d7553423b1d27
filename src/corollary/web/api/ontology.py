"""The ontology in force, and the effects of another one."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...campaign.live.ontology_update import Update
from ...campaign.live.replies import Preview
from ...logic import formats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ...logic.readable import Names
from .. import schemas
from ..context import Person, Served
from ..errors import Refusal
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
    """Return what another ontology would settle, reopen or break; nothing changes."""
    found = campaign.preview_ontology(wanted.text)
    return schemas.PreviewOut.model_validate(_preview(found, campaign.names))


@router.put("")
def change(
    wanted: schemas.OntologyChange, campaign: Served, person: Person
) -> schemas.OntologyChanged:
    """Put another ontology in force; answers stay, and their consequences are derived again."""
    event = campaign.change_ontology(person.name, wanted.text, key=wanted.key)
    return schemas.OntologyChanged(version=event.value, seq=event.seq)


@router.post("/release/preview")
def preview_release(wanted: schemas.ReleaseText, campaign: Served) -> schemas.ReleaseOut:
    """Show what becomes of labels and answers under a new release; nothing changes."""
    onto = _read(wanted)
    update = campaign.preview_update(onto, follow=wanted.follow)
    return schemas.ReleaseOut.model_validate(_release(update, onto, campaign.names))


@router.put("/release")
def change_to_release(
    wanted: schemas.ReleaseChange, campaign: Served, person: Person
) -> schemas.OntologyChanged:
    """Put a new release in force: answers follow terms that were renamed, merged or replaced.

    Undo it by its number. It is refused if it does more than its preview said.
    """
    event = campaign.update(
        person.name,
        _read(wanted),
        follow=wanted.follow,
        key=wanted.key,
        file=wanted.name,
        seen=(wanted.version, wanted.out_of_effect),
    )
    return schemas.OntologyChanged(version=event.value, seq=event.seq)


def _read(wanted: schemas.ReleaseText) -> Ontology:
    """The ontology of a release; a mistake in the file is reported with the client's name of it."""
    options: dict[str, Any] = {
        name: value
        for name in ("siblings_exclusive", "broader", "language")
        if (value := getattr(wanted, name))
    }
    suffix = Path(wanted.name).suffix.lower()
    if suffix not in formats.SUFFIXES:
        if wanted.format is None:
            raise Refusal(
                415,
                f"The format of {wanted.name!r} is not known.",
                hint=f"Choose a format, or a file whose name ends in {', '.join(formats.SUFFIXES)}.",
            )
        suffix = ".txt"
    try:
        data = wanted.text.encode()
    except UnicodeEncodeError as error:  # half a character, which JSON can say
        raise Refusal(400, f"{wanted.name} is not UTF-8 text.", code="refused") from error
    with tempfile.TemporaryDirectory(prefix="corollary-") as folder:
        path = Path(folder) / f"release{suffix}"  # never the client's own name
        path.write_bytes(data)
        try:
            found = formats.read(path, format=wanted.format, **options)
            return Ontology(
                found.labels,
                (*found.constraints, *found.pairs),
                not_expressed=found.not_expressed,
                about=found.about,
                retired=found.retired,
            )
        except CorollaryError as error:
            raise Refusal(
                400,
                str(error).replace(str(path), wanted.name),
                code="refused",
                hint="Nothing was changed. Correct the file, or choose how it is read.",
            ) from error


def _preview(found: Preview, names: Names) -> dict[str, Any]:
    """A preview with lists of at most `LISTED` entries."""
    lists = found.as_dict(names)
    return {
        **lists,
        "breaks": lists["breaks"][:LISTED],
        "breaks_in_all": len(lists["breaks"]),
        "mends": lists["mends"][:LISTED],
        "mends_in_all": len(lists["mends"]),
        "refused": lists["refused"][:LISTED],
    }


def _release(update: Update, onto: Ontology, names: Names) -> dict[str, Any]:
    """Return the effects of a release, with lists of at most `LISTED` entries and their lengths."""
    release = update.release
    lists: Mapping[str, list[Any]] = {
        "added": list(update.change.added),
        "removed": list(update.change.removed),
        "renamed": [
            {"label": label, "to": to, "reason": release.reasons[label]}
            for label, to in release.same.items()
            if to is not None
        ],
        "merged": [
            {"label": label, "to": to, "reason": release.reasons[label]}
            for label, to in release.wider.items()
        ],
        "names": [
            {"label": label, "before": before, "after": after}
            for label, (before, after) in release.names.items()
        ],
        "moved": [
            {"label": label, "before": list(before), "after": list(after)}
            for label, (before, after) in release.moved.items()
        ],
        "gone": [
            {"label": label, "reason": reason, "choices": list(release.questions.get(label, ()))}
            for label, reason in release.gone.items()
        ],
        "out_of_effect": [
            {"item": o.item, "label": o.label, "value": o.value, "who": o.who, "reason": o.reason}
            for o in update.out_of_effect
        ],
        "not_expressed": list(onto.not_expressed),
    }
    return {
        **_preview(update.change, names),
        **{name: entries[:LISTED] for name, entries in lists.items()},
        "version": update.version,
        "stay": update.stay,
        "follow": update.follow,
        "in_all": {name: len(entries) for name, entries in lists.items()},
    }
