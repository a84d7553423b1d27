"""Items: look up, explain, show pictures, add and withdraw."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from pathlib import Path as File
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...campaign.campaign import Campaign
from ...campaign.files.imports.file_form import NONE, Form
from ...campaign.files.imports.imports import check_for
from ...campaign.items import LONGEST_ID
from ...campaign.people import NotAllowed
from ...campaign.storage.records import LEAD, Annotator, StoreError
from ...logic.errors import CorollaryError
from .. import schemas
from ..context import Person, Served
from ..errors import Refusal
from ..schemas.from_campaign import Shown, item_out
from .lookups import has_item

router = APIRouter(prefix="/api", tags=["items"])

Id = Annotated[
    str, Path(max_length=LONGEST_ID, description="The item's identifier, with %2F for a slash.")
]
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq", ".zip")
UNPACKED = 4  # a packed file may hold this many times the size that may be sent
SOME_VALUES = (
    "The largest number of labels. Labels that the item has come first, then open ones by their probability, then the "
    "others. Lists of open labels are left out. Without it, all labels in the order of the ontology."
)
Value = tuple[bool | None, str | None]
Values = Mapping[str, Value]
BINARY = {"schema": {"type": "string", "format": "binary"}}
ANY_FILE = {"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}}


@router.get("/items")
def items(
    campaign: Served,
    query: Annotated[
        str, Query(max_length=1000, description="Text in the item's identifier or text.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=500, description="The largest number.")] = 50,
    after: Annotated[
        str | None, Query(max_length=LONGEST_ID, description="Only items after this one.")
    ] = None,
) -> schemas.Items:
    """Return items in order."""
    if after is not None:
        _check_there(campaign, after)
    found = campaign.items(query=query, limit=limit, after=after)
    return schemas.Items(
        items=[item_out(item) for item in found],
        next_after=found[-1].id if len(found) == limit else None,
    )


@router.get(
    "/items/{id:path}/image",
    response_class=Response,
    responses={200: {"content": {"image/*": BINARY}, "description": "The picture."}},
)
def image(id: Id, campaign: Served) -> Response:
    """Return the picture of an item."""
    _check_there(campaign, id)
    found = campaign.picture(id)
    if found is None or found.data is None:
        raise Refusal(404, f"Item {id!r} has no picture.")
    # Pictures never change; only this browser may keep them. Nothing in them may run.
    headers = {
        "Cache-Control": "private, max-age=86400",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(found.data, headers=headers, media_type=found.mime)


@router.get("/items/{id:path}")
def item(
    id: Id,
    campaign: Served,
    person: Person,
    values: Annotated[int | None, Query(ge=0, le=2**31, description=SOME_VALUES)] = None,
) -> schemas.ItemDetail:
    """An item and its labels.

    An annotator sees only their own answers, and no label they may be asked blind.
    """
    _check_there(campaign, id)
    lead = person.role == LEAD
    shown = Shown(campaign, person)
    view = campaign.item(id, who=None if lead else person.name)
    probable = campaign.probable(id) if lead else {}
    return schemas.ItemDetail(
        **item_out(view.item).model_dump(),
        values=[
            schemas.ValueOut.model_validate(
                {
                    "label": label,
                    "value": value,
                    "source": source,
                    "probability": probable.get(label),
                }
            )
            for label, (value, source) in _some(view.values, probable, values)
        ],
        labels=len(view.values),
        open=sum(value is None for value, _ in view.values.values()),
        conflicts=[shown.conflict(id, one) for one in view.standing.conflicts] if lead else [],
        events=[
            shown.event(event, offered=values is None)
            for event in view.events
            if lead or event.who == person.name
        ],
        withdrawn=view.standing.said.withdrawn,
    )


def _some(
    values: Values, probable: Mapping[str, float], most: int | None
) -> Iterable[tuple[str, Value]]:
    """Return all labels, or the `most` that people look for first."""
    if most is None:
        return values.items()
    order = {True: 0, None: 1, False: 2}
    return nsmallest(
        most, values.items(), key=lambda one: (order[one[1][0]], -probable.get(one[0], 0.0))
    )


@router.get("/explain")
def explain(
    campaign: Served,
    person: Person,
    item: Annotated[str, Query(max_length=LONGEST_ID, description="The item's identifier.")],
    label: Annotated[str, Query(max_length=1000, description="The label.")],
) -> schemas.WhyOut:
    """Explain a label of an item by the answers and rules behind it that the caller may see."""
    _check_there(campaign, item)
    who = None if person.role == LEAD else person.name
    return Shown(campaign, person).why(campaign.explain(item, label, who=who))


@router.post("/items", status_code=201, openapi_extra=ANY_FILE)
async def add(
    request: Request, campaign: Served, person: Person, form: Annotated[schemas.ImportForm, Query()]
) -> schemas.Added:
    """Add items, and labels that are known, from a file sent as the body: CSV, JSONL, Parquet, or a zip of pictures.

    All of it is checked first; with one mistake nothing is added.
    """
    suffix = File(form.name).suffix.lower()
    if suffix not in SUFFIXES:
        raise Refusal(
            415,
            f"A file {form.name!r} cannot be read.",
            hint=f"Its name must end in {', '.join(SUFFIXES)}.",
        )
    with tempfile.TemporaryDirectory(prefix="corollary-") as folder:
        path = File(folder) / f"upload{suffix}"  # never the client's own name
        with path.open("wb") as file:
            async for chunk in request.stream():
                await run_in_threadpool(file.write, chunk)
        return await run_in_threadpool(
            _add, campaign, person, path, form, request.app.state.upload_limit
        )


def _add(
    campaign: Campaign, person: Annotator, path: File, wanted: schemas.ImportForm, limit: int
) -> schemas.Added:
    # A column of pictures names files beside the table: here these would be the server's own.
    form = Form(**wanted.model_dump(exclude={"name", "check"}), image=NONE, limit=UNPACKED * limit)
    try:
        found = check_for(path, campaign, form)
        if not wanted.check:
            campaign.add(person.name, found.items(), found.facts)
    except CorollaryError as error:
        if isinstance(error, NotAllowed | StoreError):
            raise
        message = str(error).replace(str(path), wanted.name)
        raise Refusal(
            400,
            message,
            code="not_imported",
            hint="Nothing was stored. Mend the file and send it again.",
        ) from error
    return schemas.Added(
        items=found.n_items, facts=len(found.facts), stored=not wanted.check, notes=found.notes
    )


@router.post("/withdrawals")
def withdraw(wanted: schemas.Withdrawal, campaign: Served, person: Person) -> schemas.Withdrawn:
    """Take items out of the campaign without losing what was said of them; undo each by its number in the log.

    Items that were withdrawn before stay so, so that the same request can be sent again.
    """
    events = campaign.withdraw(wanted.items, who=person.name, reason=wanted.reason)
    return schemas.Withdrawn(
        seqs=[event.seq for event in events], counts=schemas.Counts(**campaign.progress())
    )


def _check_there(campaign: Campaign, id: str) -> None:
    if not has_item(campaign, id):
        raise Refusal(404, f"There is no item {id!r} in this campaign.")
