"""Rows of CSV, TSV, JSON lines, Parquet and RDF files, each with its place."""

from __future__ import annotations

import csv
import io
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ....logic.errors import CorollaryError
from ....logic.language.constraints import first_repeated
from ...jsontext import parse_json
from ..spreadsheet_text import (
    ITEMS,
    LABEL,
    NAME,
    NAMES,
    ORIGIN,
    PROBABILITY,
    WITNESSES,
    as_it_was,
    is_export,
    items_header,
)
from .parquet import LIMIT, open_parquet, parquet_rows
from .rdf_rows import COLUMNS as RDF_COLUMNS
from .rdf_rows import rdf_rows

TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
RDF = (".nt", ".ttl")
SEPARATORS = (",", ";", "\t", "|")
NO_SEPARATORS = ("\n", "\r", '"')
LONGEST_LINE = 1 << 24  # bytes; a file without line ends must not fill the memory
#: The column of a line for each item that has this part of each of its labels.
COLUMN_OF = {
    LABEL: "labels",
    NAME: NAMES,
    ORIGIN: ORIGIN,
    PROBABILITY: PROBABILITY,
    WITNESSES: WITNESSES,
}
PEEKED = 1_000  # rows that are looked at to learn which names there are, and what they hold


class Row(NamedTuple):
    """The values of one row by column, and its place for messages: `line 7`."""

    place: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A file of rows that can be read again and again."""

    path: Path
    columns: tuple[str, ...]
    #: The character between columns, and the encoding; None if they do not apply.
    separator: str | None = None
    encoding: str | None = None
    #: The most bytes of the unpacked file.
    limit: int = LIMIT
    #: Whether it is an export of ours, in which an apostrophe keeps text from being taken for a formula.
    exported: bool = False

    @property
    def kind(self) -> str:
        """The ending of the file's name."""
        return self.path.suffix.lower()

    def rows(self) -> Iterator[Row]:
        """Yield all rows, in order."""
        if self.kind in TABLES:
            return _table_rows(self)
        if self.kind in RDF:
            return (Row(*row) for row in rdf_rows(self.path, limit=self.limit))
        return _json_rows(self.path, self.encoding) if self.kind in LINES else _parquet_rows(self)


def open_source(
    path: Path, *, encoding: str | None = None, separator: str | None = None, limit: int = LIMIT
) -> Source:
    """Open a file and find its columns."""
    kind = path.suffix.lower()
    if encoding is not None:
        _check_encoding(encoding)
    if kind in TABLES:
        return _open_table(path, encoding, separator)
    if kind in LINES:
        names = dict.fromkeys(
            name for row in islice(_json_rows(path, encoding), PEEKED) for name in row.values
        )
        own = items_header(named=NAMES in names, weighed=WITNESSES in names)
        if set(own) <= names.keys():  # items that come later may have further fields
            return Source(
                path, (*(one for one in names if one not in own), *own), encoding=encoding
            )
        return Source(path, tuple(names), encoding=encoding)
    if kind in PARQUET:
        with open_parquet(path, limit=limit) as file:
            return Source(path, _unlike(file.schema_arrow.names, path), limit=limit)
    if kind in RDF:
        return Source(path, RDF_COLUMNS, limit=limit)
    known = ", ".join((*TABLES, *LINES, *PARQUET, *RDF))
    raise CorollaryError(
        f"{path}: the ending {kind!r} is not known; the name must end in {known}, or be a folder"
    )


# -- tables ------------------------------------------------------------------------------------------------------------


def _open_table(path: Path, encoding: str | None, separator: str | None) -> Source:
    first = next((line for line in _lines(path, encoding) if line.strip()), None)
    if first is None:
        raise CorollaryError(f"{path} is empty; its first line must name the columns")
    if separator is not None and (
        len(separator := separator.replace("\\t", "\t")) != 1 or separator in NO_SEPARATORS
    ):
        raise CorollaryError(
            f"columns are separated by one sign such as ; or \\t, not by {separator!r}"
        )
    if separator is None:
        marks = SEPARATORS if path.suffix.lower() == ".csv" else ("\t",)
        separator = max(marks, key=first.count)  # of equals the first: a comma
    source = Source(path, (), separator, encoding)
    _, header = next(_records(source), ("", []))
    if not header:
        raise CorollaryError(f"{path} has empty cells only; its first line must name the columns")
    names = [name.strip() for name in header]
    exported = is_export(header)
    if exported:
        names = [as_it_was(name) for name in names]
    return Source(path, _unlike(names, path), separator, encoding, exported=exported)


def _table_rows(source: Source) -> Iterator[Row]:
    records = _records(source)
    next(records, None)
    n = len(source.columns)
    for place, record in records:
        if len(record) != n:
            raise CorollaryError(
                f"{source.path}, {place}: {len(record)} columns, but the first line names {n}; "
                f"a text with {source.separator!r} or a line end in it must stand in double quotes"
            )
        if source.exported:
            record = [as_it_was(text) for text in record]
        yield Row(place, dict(zip(source.columns, record, strict=True)))


def _records(source: Source) -> Iterator[tuple[str, list[str]]]:
    """Yield the records with their first lines, without blank lines."""
    csv.field_size_limit(LONGEST_LINE)
    assert source.separator is not None
    reader = csv.reader(
        _lines(source.path, source.encoding), delimiter=source.separator, strict=True
    )
    while True:
        place = f"line {reader.line_num + 1:,}"
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            hint = (
                "a double quote that opens a text must be closed, and one inside a text be doubled"
            )
            raise CorollaryError(
                f"{source.path}, {place}: not a good table: {error}; {hint}"
            ) from None
        if any(field.strip() for field in record):
            yield place, record


def _unlike(names: Iterable[str], path: Path) -> tuple[str, ...]:
    columns = tuple(names)
    if (twice := first_repeated(columns)) is not None:
        raise CorollaryError(f"{path} has two columns {twice!r}; rename or remove one")
    return columns


# -- text --------------------------------------------------------------------------------------------------------------


def _lines(path: Path, encoding: str | None) -> Iterator[str]:
    """Return the lines of a text file with their ends, by default in UTF-8."""
    if encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        return _utf8_lines(path)
    return _other_lines(path, encoding)


def _utf8_lines(path: Path) -> Iterator[str]:
    with _opened(path) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                raise CorollaryError(
                    f"{path}, line {number:,} has more than {LONGEST_LINE:,} bytes; is this a table?"
                )
            if number == 1:
                if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                    raise CorollaryError(
                        f"{path} is UTF-16 text; save it as UTF-8, or pass encoding='utf-16'"
                    )
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise CorollaryError(_not_text(path, line, error, number)) from None


def _not_text(path: Path, line: bytes, error: UnicodeDecodeError, number: int) -> str:
    near = line[max(0, error.start - 20) : error.start].decode(errors="replace")
    return (
        f"{path}, line {number:,}, byte {error.start + 1:,} (0x{line[error.start]:02X}, after {near!r}): "
        "not UTF-8 text; save the file as UTF-8, or pass encoding='cp1252' if it comes from an older Windows program"
    )


def _other_lines(path: Path, encoding: str) -> Iterator[str]:
    number = 0
    with io.TextIOWrapper(_opened(path), encoding=encoding, newline="") as stream:
        while True:
            number += 1
            try:
                line = stream.readline(LONGEST_LINE)
            except UnicodeError as error:
                raise CorollaryError(
                    f"{path}, near line {number:,}: not {encoding} text: {error}"
                ) from None
            if not line:
                return
            if len(line) == LONGEST_LINE and not line.endswith("\n"):
                raise CorollaryError(f"{path}, line {number:,} is too long; is this a table?")
            yield line


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise CorollaryError(f"{path} cannot be read: {error.strerror or error}") from None


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise CorollaryError(
            f"unknown encoding {encoding!r}; common ones are utf-8, utf-16, cp1252 and latin-1"
        ) from None


# -- JSON lines --------------------------------------------------------------------------------------------------------


def _json_rows(path: Path, encoding: str | None) -> Iterator[Row]:
    for number, line in enumerate(_lines(path, encoding), 1):
        if not line.strip():
            continue
        place = f"line {number:,}"
        try:
            values = parse_json(line)
        except ValueError as error:
            what = (
                f"column {error.colno}: {error.msg}"
                if isinstance(error, json.JSONDecodeError)
                else str(error)
            )
            raise CorollaryError(
                f"{path}, {place}: not JSON, {what}; each line must be an object"
            ) from None
        if not isinstance(values, dict):
            raise CorollaryError(
                f'{path}, {place}: each line must be an object like {{"id": "a", "text": "..."}}'
            )
        yield Row(place, _as_columns(values))


def _as_columns(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of an object from an export to `jsonl-items`; other objects unchanged."""
    said = values.get("labels")
    cells = [{ORIGIN: values[ORIGIN]}] if said == [] and ORIGIN in values else said
    ours = (
        values.keys() <= {"id", "text", "fields", "labels", ORIGIN}
        and isinstance(cells, list)
        and all(isinstance(one, dict) and ORIGIN in one for one in cells)
    )
    if not ours or not cells:
        return values
    columns = {"id": values.get("id"), "text": values.get("text")}
    for name, value in values.get("fields", {}).items():
        columns[f"{name}.field" if name in (*columns, *COLUMN_OF.values()) else name] = value
    for part, name in COLUMN_OF.items():
        column = [one[part] for one in cells if part in one]
        if column or name in ITEMS:
            columns[name] = column
    return columns


# -- Parquet -----------------------------------------------------------------------------------------------------------


def _parquet_rows(source: Source) -> Iterator[Row]:
    with open_parquet(source.path, limit=source.limit) as file:
        for place, values in parquet_rows(file, source.path, limit=source.limit):
            yield Row(place, values)
