"""Taxonomies as tables: one row for each child and its parent."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ..errors import FormatError, OntologyError
from ..language.constraints import Source, Subsumes, check_name
from ..language.notation import Document, document, render_constraint
from .files import decode

_HEADERS: dict[tuple[str, ...], tuple[int, int]] = {
    ("child", "parent"): (0, 1),
    ("parent", "child"): (1, 0),
}


def read(data: bytes, *, file: str, delimiter: str = ",", header: bool | None = None) -> Document:
    """Read a table with the columns child and parent.

    A row with an empty parent names a label on its own.

    A first row of `child, parent` (or `parent, child`) is the header. `header=True` takes any first
    row as the header, `header=False` none. Further columns are not read, but listed.
    """
    _check_delimiter(delimiter)
    text = decode(data, file=file)
    rows = _rows(text, file, delimiter)
    first = next(rows, None)
    if first is None:
        raise FormatError(f"{file} has no rows")
    titles = tuple(cell.lower() for cell in first[1][:2])
    child_at, parent_at = _HEADERS.get(titles, (0, 1)) if header is not False else (0, 1)
    has_header = header if header is not None else titles in _HEADERS
    further = [f"the column {title!r}" for title in first[1][2:]] if has_header else []
    labels: dict[str, None] = {}
    pairs: dict[tuple[str, str], int] = {}
    for row, cells in rows if has_header else _again(first, rows):
        if len(cells) < 2:
            raise FormatError(_one_column(cells[0], file, row, delimiter))
        if len(cells) > 2 + len(further) and any(cells[2:]):
            further += [f"column {n}" for n in range(len(further) + 3, len(cells) + 1)]
        child = cells[child_at]
        parent = cells[parent_at]
        for name in cells[:2]:
            if name:
                labels[_checked(name, file, row)] = None
        if not child:
            raise FormatError(f"{file}, row {row}: the child is empty")
        if child == parent:
            raise FormatError(
                f"{file}, row {row}: {child!r} is its own parent; leave the parent empty for a root"
            )
        if parent:
            pairs.setdefault((child, parent), row)
    constraints = [
        Subsumes(parent, (child,), source=Source(file, row))
        for (child, parent), row in pairs.items()
    ]
    return document(constraints, labels=labels, not_expressed=further)


def _rows(text: str, file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The number and the trimmed cells of each row that is not blank; a row's number is that of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            trimmed = [cell.strip() for cell in cells]
            if any(trimmed):
                yield reader.line_num, trimmed
    except csv.Error as error:
        raise FormatError(f"{file}, row {reader.line_num}: {error}") from None


def _check_delimiter(delimiter: object) -> None:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n ':
        raise FormatError(f"delimiter must be one character, such as ',' or ';'; got {delimiter!r}")


def _again(
    first: tuple[int, list[str]], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rows


def _one_column(cell: str, file: str, row: int, delimiter: str) -> str:
    other = next((mark for mark in ",;\t|" if mark != delimiter and mark in cell), None)
    hint = f"; if {other!r} separates the columns, pass delimiter={other!r}" if other else ""
    return f"{file}, row {row}: expected child{delimiter}parent, got one column{hint}"


def _checked(name: str, file: str, row: int) -> str:
    try:
        return check_name(name)
    except OntologyError as error:
        raise FormatError(f"{file}, row {row}: {error}") from None


def write(document: Document, *, delimiter: str = ",") -> tuple[bytes, list[str]]:
    """A row for each child and parent; every constraint but subsumption is not expressed."""
    _check_delimiter(delimiter)
    edges = []
    lost = []
    for constraint in document.constraints:
        if isinstance(constraint, Subsumes):
            edges += [(child, constraint.parent) for child in constraint.children]
        else:
            lost.append(render_constraint(constraint))
    mentioned = dict.fromkeys(name for edge in edges for name in edge)
    alone = (
        [] if tuple(mentioned) == document.labels else [(label, "") for label in document.labels]
    )
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("child", "parent"), *alone, *edges])
    return stream.getvalue().encode(), lost
