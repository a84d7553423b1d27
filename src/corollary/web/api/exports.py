"""The labels, with where each comes from, as a file."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse

from ...campaign.files.exports.exports import export as write
from ...campaign.storage.records import LEAD
from ..context import HeldFile, Person, Served

router = APIRouter(prefix="/api", tags=["export"])
Format = Literal["csv", "csv-wide", "jsonl", "parquet"]
TYPES = {
    "csv": ("csv", "text/csv"),
    "csv-wide": ("csv", "text/csv"),
    "jsonl": ("jsonl", "application/jsonl"),
    "parquet": ("parquet", "application/vnd.apache.parquet"),
}


@router.get(
    "/export",
    response_class=FileResponse,
    responses={200: {"content": {kind: {} for _, kind in TYPES.values()}, "description": "The file."}},
)
def export(
    request: Request,
    campaign: Served,
    person: Person,
    format: Annotated[Format, Query(description="One line a cell, one line an item, JSON lines, or Parquet.")] = "csv",
    predictions: Annotated[bool, Query(description="With what the model believes of open cells.")] = True,
    safe: Annotated[bool, Query(description="For spreadsheets: text that they would run is made plain text.")] = True,
) -> FileResponse:
    """Every cell with its value and its source: asked, implied or predicted. Names of people only for leads."""
    suffix, kind = TYPES[format]
    with ExitStack() as held:
        held.callback(request.app.state.exports.take(person.name))
        folder = held.enter_context(TemporaryDirectory(prefix="corollary-"))
        path = Path(folder) / f"labels.{suffix}"
        with ExitStack() as making:
            making.callback(request.app.state.making.take(person.name))
            write(campaign, path, format=format, names=person.role == LEAD, predictions=predictions, safe=safe)
        name = f"labels-{datetime.now(UTC):%Y-%m-%d}.{suffix}"
        response = HeldFile(path, media_type=kind, filename=name)
        response.release = held.pop_all().close  # until it is sent
    return response
