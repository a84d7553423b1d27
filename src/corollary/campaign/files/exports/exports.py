"""The labels as files: CSV with a line for each cell or each item, JSON lines, Parquet; each value with its source."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ....logic.language.constraints import first_repeated
from ...campaign import Campaign
from ...items import Item
from ...state.standing import Standing
from ...vectors import VECTOR
from ..spreadsheet_text import LONG, harmless, unmistakable, wide_header
from ..tools import formats as exchange
from .provenance import Cell, Said, Snapshot, take_snapshot

FORMATS = ("csv", "csv-wide", "jsonl", "parquet", *exchange.WRITTEN)
SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}
SUFFIXES |= {".json": "label-studio", ".xml": "label-studio-config"}
BUFFER = 1 << 18  # characters that are handed out at once
ROWS = 50_000  # of a group in a Parquet file


def export(
    campaign: Campaign,
    path: str | Path,
    *,
    format: str | None = None,
    names: bool = True,
    predictions: bool = True,
    safe: bool = True,
    withdrawn: bool = False,
    replace: bool = False,
) -> int:
    """Write the labels of a campaign to a file, all of it or nothing; how many items.

    Without `names` people are numbered. Without `predictions` cells that nobody answered and that do not follow are
    open. In a CSV file text that a spreadsheet would take for a formula gets an apostrophe, which an import takes away
    again; without `safe` it stands as it is.
    With `withdrawn` the file has the items that were withdrawn, and no others.
    """
    target = Path(path)
    kind = format or format_of(target)
    if target.exists() and not replace:
        raise CorollaryError(f"{target} exists already; choose another name, or pass replace=True")
    if not target.parent.is_dir():
        raise CorollaryError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    snapshot = take_snapshot(campaign, names=names, withdrawn=withdrawn)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        if kind == "parquet":
            _write_parquet(snapshot, partial, predictions=predictions)
        elif kind in exchange.WRITTEN:
            exchange.write_file(snapshot, partial, kind, predictions=predictions)
        else:
            with partial.open("w", encoding="utf-8", newline="") as out:
                out.writelines(text_of(snapshot, kind, predictions=predictions, safe=safe))
        partial.replace(target)
    except OSError as error:
        raise CorollaryError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return len(snapshot.items)


def format_of(path: Path) -> str:
    """The format that a file's name tells."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise CorollaryError(
            f"the name {path.name!r} does not tell a format; let it end in {', '.join(SUFFIXES)}, or pass format= with "
            f"one of {', '.join(FORMATS)}"
        )
    return found


def text_of(snapshot: Snapshot, format: str, *, predictions: bool = True, safe: bool = True) -> Iterator[str]:
    """The text of an export, piece by piece, the same for the same campaign."""
    if format in exchange.WRITTEN:
        return exchange.written(snapshot, format, predictions=predictions)
    rows = snapshot.rows(predictions=predictions)
    if format == "csv":
        lines = (long_row(item, cell) for item, _, cells in rows for cell in cells)
        return _csv(LONG, lines, safe=safe)
    if format == "csv-wide":
        header = _unlike(wide_header(snapshot.onto.labels))
        return _csv(header, (wide_row(item, cells) for item, _, cells in rows), safe=safe)
    if format == "jsonl":
        return (_json(*row) for row in rows)
    raise CorollaryError(f"no format {format!r} of text; there is: {', '.join(FORMATS)}")


def long_row(item: Item, cell: Cell) -> tuple[Any, ...]:
    """A line for one cell."""
    by = "; ".join(dict.fromkeys(name for said in cell.answers for name in said.by))
    model = cell.model or None
    return (
        item.id,
        cell.label,
        _word(cell.value),
        cell.source,
        cell.probability,
        by,
        cell.at,
        cell.ontology,
        model,
        because(cell),
    )


def because(cell: Cell) -> str:
    """What an implied value follows from, in words: `bird is yes (12); bird implies animal`."""
    if cell.reason is None:
        return ""
    answers = [f"{said.label} is {_word(said.value)} ({', '.join(map(str, said.seqs))})" for said in cell.answers]
    return "; ".join((*answers, cell.reason.words))


def _unlike(header: list[str]) -> list[str]:
    if (twice := first_repeated(header)) is not None:
        raise CorollaryError(f"a wide table would have two columns {twice!r}; choose the format csv, or jsonl")
    return header


def wide_row(item: Item, cells: list[Cell]) -> list[Any]:
    """A line for one item."""
    row: list[Any] = [item.id, item.text]
    for cell in cells:
        row += [_word(cell.value), cell.source, cell.probability]
    return row


class _Lines(io.StringIO):
    """Lines that end as on Unix; a writer that knows of no carriage return would not quote a text that has one."""

    def write(self, line: str) -> int:
        return super().write(line.removesuffix("\r\n") + "\n")


def _csv(header: Any, rows: Iterator[Any], *, safe: bool) -> Iterator[str]:
    out = _Lines()
    writer = csv.writer(out, lineterminator="\r\n")
    cell = harmless if safe else unmistakable
    writer.writerow(map(cell, header))
    for row in rows:
        writer.writerow(map(cell, row))
        if out.tell() >= BUFFER:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _json(item: Item, standing: Standing, cells: list[Cell]) -> str:
    line: dict[str, Any] = {"item": item.id}
    if item.text is not None:
        line["text"] = item.text
    if fields := {name: value for name, value in item.fields.items() if name != VECTOR}:
        line["fields"] = fields
    line["labels"] = {cell.label: _cell_json(cell) for cell in cells}
    if standing.conflicts:
        line["conflicts"] = [
            {"kind": one.kind, "message": one.message, "answers": [opinion.seq for opinion in one.opinions]}
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
    return {"label": said.label, "value": said.value, "events": list(said.seqs), "by": list(said.by), "at": said.at}


def _write_parquet(snapshot: Snapshot, path: Path, *, predictions: bool) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError("Parquet needs the package pyarrow: pip install 'corollary[tables]'") from error
    text, named = pa.string(), pa.dictionary(pa.int32(), pa.string())
    kinds = {"label": named, "value": pa.bool_(), "source": named, "probability": pa.float64()}
    kinds |= {"ontology": pa.int32(), "model": pa.int32(), "because": named}
    schema = pa.schema([(name, kinds.get(name, text)) for name in LONG])
    with parquet.ParquetWriter(path, schema) as writer:
        for rows in _batches(snapshot, predictions=predictions):
            columns = [list(column) for column in zip(*rows, strict=True)]
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _batches(snapshot: Snapshot, *, predictions: bool) -> Iterator[list[tuple[Any, ...]]]:
    rows: list[tuple[Any, ...]] = []
    for item, _, cells in snapshot.rows(predictions=predictions):
        for cell in cells:
            row = long_row(item, cell)
            rows.append((*row[:2], cell.value, *row[3:]))
        if len(rows) >= ROWS:
            yield rows
            rows = []
    if rows:
        yield rows


def _word(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
