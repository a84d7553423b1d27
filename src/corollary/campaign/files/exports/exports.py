"""Export of labels to CSV, JSON lines, Parquet, RDF and other tools' formats, with their sources."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ....logic.whole_file import written_whole
from ...campaign import Campaign
from ...items import Item
from ...state.standing import Standing
from ...vectors import VECTOR
from ..spreadsheet_text import NAME, harmless, long_header, unmistakable, wide_header
from ..tools import formats as exchange
from .item_lines import ANSWERS, answer_rows, count_answers, long_row, word
from .item_tables import json_lines_of_items, table_of_items
from .parquet_tables import write_cells, write_items
from .provenance import Cell, Progress, Said, Snapshot, take_snapshot
from .rdf_lines import rdf_lines

#: The only format with a line for each answer; all others have the labels of items.
OF_ANSWERS = "csv-answers"
#: The first is the default, a line for each item; `csv` is another name of `csv-long`.
TEXTS = ("csv-items", "csv-long", "csv-wide", "csv", OF_ANSWERS, "jsonl", "jsonl-items", "rdf")
PARQUET = {"parquet": write_cells, "parquet-items": write_items}
FORMATS = (*TEXTS, *PARQUET, *exchange.WRITTEN)
DEFAULT = TEXTS[0]
SUFFIXES = {
    ".csv": DEFAULT,
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
SUFFIXES |= {".nt": "rdf", ".ttl": "rdf", ".json": "label-studio", ".xml": "label-studio-config"}
BUFFER = 1 << 18  # characters that are handed out at once


def export(
    campaign: Campaign,
    path: str | Path,
    *,
    format: str | None = None,
    names: bool = True,
    predictions: bool = True,
    open_cells: bool | None = None,
    safe: bool = True,
    withdrawn: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the labels of a campaign to a file, completely or not at all.

    Parameters
    ----------
    campaign
        The campaign.
    path
        The file to write.
    format
        The format; by default it follows from the ending of the file's name.
    names
        Write the names of people; else they are numbered.
    predictions
        Write predictions for open cells; else only answers and their consequences.
    open_cells
        Write open cells without a prediction, and items without known labels. By default they are
        written only with `predictions`.
    safe
        In a CSV file, put an apostrophe before text that a spreadsheet would take for a formula. An
        import removes it again.
    withdrawn
        Write only the withdrawn items.
    replace
        Replace a file that exists.
    progress
        Called with the number of items done, and of all items.

    Returns
    -------
    int
        The number of items, or of answers for the format `csv-answers`.

    Raises
    ------
    CorollaryError
        The file exists, its folder does not, or the format is unknown.
    """
    target = Path(path)
    kind = format or format_of(target)
    if target.exists() and not replace:
        raise CorollaryError(f"{target} exists already; choose another name, or pass replace=True")
    if not target.parent.is_dir():
        raise CorollaryError(
            f"there is no folder {target.parent} to write {target.name} to; make it first"
        )
    snapshot = take_snapshot(campaign, names=names, withdrawn=withdrawn, progress=progress)
    open_cells = predictions if open_cells is None else open_cells
    try:
        with written_whole(target) as place:
            if kind in PARQUET:
                PARQUET[kind](snapshot, place, predictions=predictions, open_cells=open_cells)
            elif kind in exchange.WRITTEN:
                exchange.write_file(snapshot, place, kind, predictions=predictions)
            else:
                with place.open("w", encoding="utf-8", newline="") as out:
                    out.writelines(
                        text_of(
                            snapshot,
                            kind,
                            predictions=predictions,
                            open_cells=open_cells,
                            safe=safe,
                        )
                    )
    except OSError as error:
        raise CorollaryError(f"cannot write {target}: {error.strerror or error}") from error
    return count_answers(snapshot) if kind == OF_ANSWERS else len(snapshot.items)


def format_of(path: Path) -> str:
    """Return the format that follows from the ending of a file's name."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise CorollaryError(
            f"no format is known for the name {path.name!r}; let it end in {', '.join(SUFFIXES)}, or pass format= with "
            f"one of {', '.join(FORMATS)}"
        )
    return found


def text_of(
    snapshot: Snapshot,
    format: str,
    *,
    predictions: bool = True,
    open_cells: bool | None = None,
    safe: bool = True,
) -> Iterator[str]:
    """Yield the text of an export, piece by piece."""
    if format in exchange.WRITTEN:
        return exchange.written(snapshot, format, predictions=predictions)
    rows_with = {
        "predictions": predictions,
        "open_cells": predictions if open_cells is None else open_cells,
    }
    if format in ("csv", "csv-long"):
        rows = snapshot.rows(**rows_with)
        named = snapshot.label_names
        weighed = snapshot.testimonies is not None
        lines = (
            long_row(item, cell, named, weighed=weighed)
            for item, _, cells in rows
            for cell in cells
        )
        return _csv(long_header(named=bool(named), weighed=weighed), lines, safe=safe)
    if format == OF_ANSWERS:
        return _csv(ANSWERS, answer_rows(snapshot), safe=safe)
    if format == "csv-items":
        return _csv(*table_of_items(snapshot, **rows_with), safe=safe)
    if format == "jsonl-items":
        return json_lines_of_items(snapshot, **rows_with)
    if format == "rdf":
        return rdf_lines(snapshot, predictions=predictions)
    rows = snapshot.rows(predictions=predictions)
    if format == "csv-wide":
        header = wide_header(snapshot.onto.labels)
        return _csv(header, (wide_row(item, cells) for item, _, cells in rows), safe=safe)
    if format == "jsonl":
        named = snapshot.label_names
        return (_json(*row, named) for row in rows)
    raise CorollaryError(f"no format {format!r} of text; there is: {', '.join(FORMATS)}")


def wide_row(item: Item, cells: list[Cell]) -> list[Any]:
    """Return the row of one item, with three columns for each label."""
    row: list[Any] = [item.id, item.text]
    for cell in cells:
        row += [word(cell.value), cell.source, cell.probability]
    return row


class _Lines(io.StringIO):
    """Lines with Unix ends, in which texts with semicolons, tabs or line ends are quoted.

    Else a program that splits cells at a semicolon or a tab might find a formula behind it.
    """

    END = ";\t\r\n"

    def write(self, line: str) -> int:
        return super().write(line.removesuffix(self.END) + "\n")


def _csv(header: Any, rows: Iterator[Any], *, safe: bool) -> Iterator[str]:
    out = _Lines()
    writer = csv.writer(out, lineterminator=out.END)
    cells = harmless if safe else unmistakable
    writer.writerow(cells(header))
    for row in rows:
        writer.writerow(cells(row))
        if out.tell() >= BUFFER:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _json(item: Item, standing: Standing, cells: list[Cell], named: Mapping[str, str]) -> str:
    line: dict[str, Any] = {"item": item.id}
    if item.text is not None:
        line["text"] = item.text
    if fields := {name: value for name, value in item.fields.items() if name != VECTOR}:
        line["fields"] = fields
    line["labels"] = {
        cell.label: ({NAME: named[cell.label]} if named else {}) | _cell_json(cell)
        for cell in cells
    }
    if standing.conflicts:
        line["conflicts"] = [
            {
                "kind": one.kind,
                "message": one.message,
                "answers": [opinion.seq for opinion in one.opinions],
            }
            for one in standing.conflicts
        ]
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _cell_json(cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {"value": cell.value, "source": cell.source}
    if cell.probability is not None:
        found["probability"] = cell.probability
    found["ontology"] = cell.ontology
    if cell.model:
        found["model"] = cell.model
    if cell.answers:
        found["answers"] = [_said_json(said) for said in cell.answers]
    if cell.reason is not None:
        found["constraints"] = list(cell.reason.constraints)
    return found


def _said_json(said: Said) -> dict[str, Any]:
    return {
        "label": said.label,
        "value": said.value,
        "events": list(said.seqs),
        "by": list(said.by),
        "at": said.at,
    }
