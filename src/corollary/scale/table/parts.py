"""The parts of a pool: a folder of Parquet files as row groups side by side, read a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.errors import CorollaryError

Rows = npt.NDArray[np.int64]
#: Rows of a part, about: few enough to lose little with a worker, enough to be worth a task.
ROWS = 100_000


class Part(NamedTuple):
    """Row groups of a file that follow one another; `first` is the place of their first row in the whole pool."""

    path: str
    groups: tuple[int, ...]
    first: int
    rows: int

    @property
    def end(self) -> int:
        """The place after its last row."""
        return self.first + self.rows


class Folder(NamedTuple):
    """A folder of Parquet files.

    Its parts in order of the files' names, its columns, and its files' sizes and times.
    """

    parts: tuple[Part, ...]
    schema: Any
    files: tuple[tuple[str, int, int], ...]

    @property
    def rows(self) -> int:
        """How many items there are."""
        return self.parts[-1].end


class Block(NamedTuple):
    """Some rows of a pool as a table, and the place of each in the whole pool."""

    rows: Rows
    table: Any


def read_folder(place: str | Path) -> Folder:
    """The parts of a folder, or of one file, of Parquet; only what the files say of themselves is read."""
    folder = Path(place)
    paths = (
        [folder]
        if folder.is_file()
        else sorted(p for p in folder.rglob("*.parquet") if p.name[0] not in "._")
    )
    if not paths:
        raise CorollaryError(
            f"{folder} has no .parquet files: a pool is a folder of them, or one file"
        )
    parts: list[Part] = []
    schema = None
    first = 0
    for path in paths:
        file = open_file(path)
        schema = _same(schema, file.schema_arrow, path)
        sizes = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
        for groups in _together(sizes, ROWS):
            if size := sum(sizes[n] for n in groups):
                parts.append(Part(str(path.resolve()), groups, first, size))
                first += size
    if not first:
        raise CorollaryError(f"{folder} has no rows: there is nothing to ask about")
    files = tuple(
        (str(p.relative_to(folder)), (s := p.stat()).st_size, s.st_mtime_ns) for p in paths
    )
    return Folder(tuple(parts), schema, files)


def open_file(path: str | Path) -> Any:
    """Open a Parquet file, or raise an error that names it."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError(
            f"{path}: Parquet needs the package pyarrow: pip install 'corollary[dask]'"
        ) from error
    try:
        return parquet.ParquetFile(path)
    except Exception as error:  # whatever a damaged file stumbles over
        raise CorollaryError(
            f"{path} is not a good Parquet file, it may be damaged: {error}"
        ) from None


def blocks(part: Part, columns: Sequence[str] | None, rows: int) -> Iterator[Block]:
    """Yield a part in blocks of at most `rows` rows, to save memory.

    Without `columns`, with all columns.
    """
    import pyarrow as pa

    file = open_file(part.path)
    first = part.first
    wanted = None if columns is None else list(dict.fromkeys(columns))
    try:
        for batch in file.iter_batches(
            batch_size=rows, row_groups=list(part.groups), columns=wanted
        ):
            yield Block(np.arange(first, first + batch.num_rows), pa.Table.from_batches([batch]))
            first += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise CorollaryError(
            f"{part.path}, after row {first - part.first:,} of a part: damaged: {error}"
        ) from None


def _together(sizes: Sequence[int], rows: int) -> Iterator[tuple[int, ...]]:
    """Yield consecutive row groups with about `rows` rows together; a larger group is alone."""
    groups: list[int] = []
    for n, size in enumerate(sizes):
        if groups and sum(sizes[m] for m in groups) + size > rows:
            yield tuple(groups)
            groups = []
        groups.append(n)
    if groups:
        yield tuple(groups)


def _same(schema: Any, other: Any, path: Path) -> Any:
    """The columns, which must be the same in all files."""
    if schema is None:
        return other
    if schema.names != other.names or [f.type for f in schema] != [f.type for f in other]:
        raise CorollaryError(
            f"{path} has other columns than the files before it, or other kinds of them:\n  {_told(other)}\nand not\n"
            f"  {_told(schema)}"
        )
    return schema


def _told(schema: Any) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)
