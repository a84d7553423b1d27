"""The labels, with where each comes from, as a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from ...campaign.files.exports import export as write
from ...campaign.storage.records import LEAD
from ..context import Person, Served

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
    campaign: Served,
    person: Person,
    format: Annotated[Format, Query(description="One line a cell, one line an item, JSON lines, or Parquet.")] = "csv",
    predictions: Annotated[bool, Query(description="With what the model believes of open cells.")] = True,
    safe: Annotated[bool, Query(description="For spreadsheets: text that they would run is made plain text.")] = False,
) -> FileResponse:
    """Every cell with its value and its source: asked, implied or predicted. Names of people only for leads."""
    suffix, kind = TYPES[format]
    folder = TemporaryDirectory(prefix="corollary-")
    try:
        path = Path(folder.name) / f"labels.{suffix}"
        write(campaign, path, format=format, names=person.role == LEAD, predictions=predictions, safe=safe)
    except BaseException:
        folder.cleanup()
        raise
    name = f"labels-{datetime.now(UTC):%Y-%m-%d}.{suffix}"
    return FileResponse(path, media_type=kind, filename=name, background=BackgroundTask(folder.cleanup))
