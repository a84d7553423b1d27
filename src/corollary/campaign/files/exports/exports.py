"""The labels as files: a line for each item, cell or answer; CSV, JSON lines, Parquet; each value with its source."""

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

#: A line for each answer, where all others have what is known of items.
OF_ANSWERS = "csv-answers"
#: The first is what people want, a line for each item; `csv` is another name of `csv-long`.
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
    """Write the labels of a campaign to a file, all of it or nothing; how many items were gone through.

    Where the file has a line for each answer (`csv-answers`), how many answers these are.

    Without `names` people are numbered. Without `predictions` there is only what was answered and what follows: cells
    that are open, and items of which nothing is known, have no line, unless `open_cells` is True. In a CSV file text
    that a spreadsheet would take for a formula gets an apostrophe, which an import takes away again; without `safe` it
    stands as it is. With `withdrawn` the file has the items that were withdrawn, and no others. `progress` is called
    with the number of items that are done and of all of them.
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
    """The format that a file's name tells."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise CorollaryError(
            f"the name {path.name!r} does not tell a format; let it end in {', '.join(SUFFIXES)}, or pass format= with "
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
    """The text of an export, piece by piece, the same for the same campaign."""
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
    """A line for one item."""
    row: list[Any] = [item.id, item.text]
    for cell in cells:
        row += [word(cell.value), cell.source, cell.probability]
    return row


class _Lines(io.StringIO):
    """Lines that end as on Unix; a writer quotes a text that has any of the signs that end its lines.

    Else a program that takes a semicolon or a tab for the end of a cell might find a formula behind it.
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
