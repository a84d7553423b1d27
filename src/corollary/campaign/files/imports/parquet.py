"""Rows of Parquet files, with a limit on their unpacked size, which can be a thousand times larger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError

LIMIT = (
    512 << 20
)  # bytes of a file, also when unpacked, because a campaign keeps its items in memory
BATCH = 256  # rows that are unpacked at once


def open_parquet(path: Path, *, limit: int = LIMIT) -> Any:
    """Open a Parquet file; raise CorollaryError if it declares an unpacked size over the limit."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError(
            f"{path}: Parquet needs the package pyarrow: pip install 'corollary[tables]'"
        ) from error
    try:
        metadata = parquet.read_metadata(path)
        groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
        columns = [group.column(n) for group in groups for n in range(group.num_columns)]
        size = sum(group.total_byte_size for group in groups)
        cells = sum(
            column.num_values for column in columns
        )  # empty cells take no bytes in the file, but do in memory
        # Texts stay in their dictionaries until they are counted, so that a repeated text is stored once.
        file = parquet.ParquetFile(
            path, read_dictionary=sorted({column.path_in_schema for column in columns})
        )
    except Exception as error:  # any error from unpacking a damaged file
        raise CorollaryError(
            f"{path} is not a good Parquet file, it may be damaged: {error}"
        ) from None
    _check_size(path, max(size, cells), limit)
    return file


def parquet_rows(
    file: Any, path: Path, *, limit: int = LIMIT
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all rows with their places; the limit also holds for their real size."""
    number = size = 0
    batches = file.iter_batches(batch_size=BATCH)
    while True:
        try:
            batch = next(batches, None)
        except Exception as error:  # any error from unpacking a damaged file
            raise CorollaryError(
                f"{path}, after row {number:,}: the file is damaged: {error}"
            ) from None
        if batch is None:
            return
        size += sum(map(_size, batch.columns))
        _check_size(path, size, limit)
        for values in _values(_decoded(batch), path, number):
            number += 1
            yield f"row {number:,}", values


def _size(column: Any) -> int:
    """Return the bytes of a column with every value written out."""
    from pyarrow import compute, types

    kind = column.type
    if types.is_dictionary(kind):
        lengths = compute.binary_length(column.dictionary).take(column.indices)
        return len(column) + (compute.sum(lengths).as_py() or 0)
    if types.is_struct(kind):
        return sum(map(_size, column.flatten()))
    if types.is_map(kind):
        return len(column) + _size(column.keys) + _size(column.items)
    if types.is_nested(kind):  # lists
        return len(column) + _size(column.flatten())
    return max(int(column.nbytes), len(column))  # nulls have no bytes


def _decoded(batch: Any) -> Any:
    """Return the rows without dictionaries of columns, which are slow to read cell by cell."""
    from pyarrow import types

    for n, column in enumerate(batch.columns):
        if types.is_dictionary(column.type):
            batch = batch.set_column(n, batch.schema.names[n], column.dictionary_decode())
    return batch


def _values(batch: Any, path: Path, before: int) -> list[dict[str, Any]]:
    from pyarrow import types

    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except Exception as error:  # for example a date of the year 300,000, or invalid text
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for i, cell in enumerate(column):
                _check_cell(cell, f"{path}, row {before + i + 1:,}, column {name!r}")
        raise CorollaryError(
            f"{path}, after row {before:,}: the file is damaged: {error}"
        ) from None
    for field in batch.schema:
        if types.is_map(field.type):  # a map comes as pairs
            for row in rows:
                row[field.name] = row[field.name] and dict(row[field.name])
    return rows


def _check_cell(cell: Any, where: str) -> None:
    try:
        cell.as_py()
    except Exception as error:
        kind = getattr(cell.type, "value_type", cell.type)  # of a dictionary that of its values
        raise CorollaryError(
            f"{where}: this {kind} cannot be read: {error}; repair it, or leave the column out"
        ) from None


def _check_size(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise CorollaryError(
            f"{path} unpacks to {size:,} bytes or more, and at most {limit:,} are taken: split it, or pass "
            f"limit={size} if this machine has several times as much memory"
        )
