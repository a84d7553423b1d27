"""Parquet with a row for each cell, or for each item, written group by group to save memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ..spreadsheet_text import LABEL, NAME, NAMES, VALUE, WITNESSES, long_header
from .item_lines import long_row
from .item_tables import typed_rows_of_items
from .provenance import Snapshot

ROWS = 50_000  # of a group


def write_cells(snapshot: Snapshot, path: Path, *, predictions: bool, open_cells: bool) -> None:
    """Write a row for each cell, as in the long table."""
    pa = _arrow()
    text = pa.string()
    word = pa.dictionary(pa.int32(), pa.string())
    kinds = {
        LABEL: word,
        NAME: word,
        VALUE: pa.bool_(),
        "source": word,
        "probability": pa.float64(),
    }
    kinds |= {WITNESSES: pa.int32(), "ontology": pa.int32(), "model": pa.int32(), "because": word}
    named = snapshot.label_names
    weighed = snapshot.testimonies is not None
    header = long_header(named=bool(named), weighed=weighed)
    at = header.index(VALUE)

    def typed() -> Iterator[tuple[Any, ...]]:
        for item, _, cells in snapshot.rows(predictions=predictions, open_cells=open_cells):
            for cell in cells:
                row = long_row(item, cell, named, weighed=weighed)
                yield (*row[:at], cell.value, *row[at + 1 :])

    _write(path, pa.schema([(name, kinds.get(name, text)) for name in header]), typed())


def write_items(snapshot: Snapshot, path: Path, *, predictions: bool, open_cells: bool) -> None:
    """Write a row for each item, with lists of labels, probabilities and origins."""
    pa = _arrow()
    header, rows = typed_rows_of_items(snapshot, predictions=predictions, open_cells=open_cells)
    words = pa.list_(pa.string())
    numbers = pa.list_(pa.float64())
    kinds = {
        "labels": words,
        NAMES: words,
        "origin": words,
        "probability": numbers,
        WITNESSES: pa.list_(pa.int32()),
    }
    _write(path, pa.schema([(name, kinds.get(name, pa.string())) for name in header]), rows)


def _arrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise CorollaryError(
            "Parquet needs the package pyarrow: pip install 'corollary[tables]'"
        ) from error
    return pyarrow


def _write(path: Path, schema: Any, rows: Iterable[tuple[Any, ...]]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema) as writer:
        for group in _groups(rows):
            columns = [list(column) for column in zip(*group, strict=True)]
            arrays = [
                pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _groups(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    left = iter(rows)
    while group := list(islice(left, ROWS)):
        yield group
