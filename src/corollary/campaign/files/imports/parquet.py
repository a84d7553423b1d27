"""Rows of Parquet files, which are checked for what they unpack to: a small file can hold a thousand times its size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError

LIMIT = 512 << 20  # bytes of a file, and of what it unpacks to: a campaign keeps its items in memory
BATCH = 256  # rows that are unpacked at once


def open_parquet(path: Path, *, limit: int = LIMIT) -> Any:
    """A Parquet file; one that says itself that it unpacks to more than the limit is an error."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError(f"{path}: Parquet needs the package pyarrow: pip install 'corollary[tables]'") from error
    try:
        file = parquet.ParquetFile(path)
        told = file.metadata
        size = sum(told.row_group(n).total_byte_size for n in range(told.num_row_groups))
        cells = told.num_rows * told.num_columns  # empty ones take no byte in the file, but they do here
    except Exception as error:  # whatever the unpacking of a damaged file stumbles over
        raise CorollaryError(f"{path} is not a good Parquet file, it may be damaged: {error}") from None
    _check_size(path, max(size, cells), limit)
    return file


def parquet_rows(file: Any, path: Path, *, limit: int = LIMIT) -> Iterator[tuple[str, dict[str, Any]]]:
    """All rows with their places; the limit holds for what is really there too, whatever the file says of itself."""
    number = size = 0
    batches = file.iter_batches(batch_size=BATCH)
    while True:
        try:
            batch = next(batches, None)
        except Exception as error:  # whatever the unpacking of a damaged file stumbles over
            raise CorollaryError(f"{path}, after row {number:,}: the file is damaged: {error}") from None
        if batch is None:
            return
        size += batch.nbytes
        _check_size(path, size, limit)
        for values in _values(batch, path, number):
            number += 1
            yield f"row {number:,}", values


def _values(batch: Any, path: Path, before: int) -> list[dict[str, Any]]:
    from pyarrow import types

    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except Exception as error:  # a date of the year 300,000, text that is none
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for i, cell in enumerate(column):
                _check_cell(cell, f"{path}, row {before + i + 1:,}, column {name!r}")
        raise CorollaryError(f"{path}, after row {before:,}: the file is damaged: {error}") from None
    for field in batch.schema:
        if types.is_map(field.type):  # which comes as pairs
            for row in rows:
                row[field.name] = row[field.name] and dict(row[field.name])
    return rows


def _check_cell(cell: Any, where: str) -> None:
    try:
        cell.as_py()
    except Exception as error:
        raise CorollaryError(
            f"{where}: this {cell.type} cannot be read: {error}; repair it, or leave the column out"
        ) from None


def _check_size(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise CorollaryError(
            f"{path} unpacks to {size:,} bytes or more, and at most {limit:,} are taken: split it, or pass "
            f"limit={size} if this machine has several times as much memory"
        )
