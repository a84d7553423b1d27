"""The labels, with where each comes from, as a file."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse

from ...campaign.files.exports.exports import export as write
from ...campaign.storage.records import LEAD
from ..context import HeldFile, Person, Served

router = APIRouter(prefix="/api", tags=["export"])
Format = Literal[
    "csv-items", "csv-long", "csv-wide", "csv", "csv-answers", "jsonl-items", "jsonl", "parquet-items", "parquet"
]  # fmt: skip
TYPES = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}


@router.get(
    "/export",
    response_class=FileResponse,
    responses={200: {"content": {kind: {} for kind in TYPES.values()}, "description": "The file."}},
)
def export(
    request: Request,
    campaign: Served,
    person: Person,
    format: Annotated[
        Format,
        Query(
            description="-items: a line for each item, with its narrowest labels. csv-long (or csv) and parquet: a "
            "line for each cell. csv-wide: three columns for each label. jsonl: an object an item, with all cells. "
            "csv-answers: a line for each answer, with its seconds."
        ),
    ] = "csv-items",
    predictions: Annotated[
        bool, Query(description="With the model's predictions for open cells.")
    ] = True,
    open_cells: Annotated[
        bool | None,
        Query(
            alias="open",
            description="With lines for open labels. By default with predictions only.",
        ),
    ] = None,
    safe: Annotated[
        bool, Query(description="Mark text that a spreadsheet would take for a formula.")
    ] = True,
) -> FileResponse:
    """The labels, each with where it comes from: asked, implied or predicted. Names of people only for leads."""
    suffix = format.partition("-")[0]
    what: dict[str, Any] = {"predictions": predictions, "open_cells": open_cells, "safe": safe}
    with ExitStack() as held:
        held.callback(request.app.state.exports.take(person.name))
        folder = held.enter_context(TemporaryDirectory(prefix="corollary-"))
        path = Path(folder) / f"labels.{suffix}"
        with ExitStack() as making:
            making.callback(request.app.state.making.take(person.name))
            write(campaign, path, format=format, names=person.role == LEAD, **what)
        name = f"labels-{datetime.now(UTC):%Y-%m-%d}.{suffix}"
        response = HeldFile(path, media_type=TYPES[suffix], filename=name)
        response.release = held.pop_all().close  # until it is sent
    return response
