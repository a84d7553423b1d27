"""Tables of labels, CSV or JSON lines, as records: names in a column, or yes and no."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ....logic.ontology import Ontology
from ..imports.existing_labels import SEPARATORS, yes_or_no
from ..imports.file_form import Columns, Form, find_columns
from ..imports.item_rows import id_of
from ..imports.sources import open_source
from ..spreadsheet_text import LABEL, SOURCE, VALUE
from .formats import Record


def read_table(path: Path, onto: Ontology, form: Form) -> Iterator[Record]:
    """Yield the labels of each row, also labels that the ontology does not have."""
    source = open_source(path, encoding=form.encoding, separator=form.delimiter, limit=form.limit)
    columns = find_columns(source, form, onto)
    if not (columns.long or columns.wide or columns.labels):
        raise CorollaryError(
            f"{path} has no labels: neither a column labels, nor columns called like labels of the ontology, nor item, "
            f"label and value. Its columns are: {', '.join(source.columns)}"
        )
    for n, row in enumerate(source.rows(), 1):
        try:
            item = id_of(n, row, columns)
            if columns.long:
                labels = _of_long_row({name.lower(): value for name, value in row.values.items()})
                listed = False
            elif columns.labels is not None:
                labels, listed = _named(row.values.get(columns.labels), columns.labels, form, onto)
            else:
                labels = _of_columns(row.values, columns)
                listed = False
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {row.place}: {error}") from None
        own = columns.origins is not None
        yield Record(row.place, item, labels, listed=listed, narrowest=own)


def _of_long_row(values: Mapping[str, Any]) -> dict[str, bool]:
    value = yes_or_no(values.get(VALUE), VALUE)
    return {} if value is None else {str(values.get(LABEL) or "").strip(): value}


def _of_columns(values: Mapping[str, Any], columns: Columns) -> dict[str, bool]:
    found = {
        label: yes_or_no(values.get(columns.moved.get(label, label)), label)
        for label in columns.wide
    }
    return {label: value for label, value in found.items() if value is not None}


def _named(value: Any, column: str, form: Form, onto: Ontology) -> tuple[dict[str, bool], bool]:
    """Return the labels in a cell: an object of yes and no, or a list of labels that are yes."""
    if isinstance(value, dict):
        said = {name: yes_or_no(_plain(one), name) for name, one in value.items()}
        return {name: one for name, one in said.items() if one is not None}, False
    if value is None:
        return {}, True
    names = value if isinstance(value, list) else _split(str(value), form, onto)
    if not all(isinstance(name, str) for name in names):
        raise CorollaryError(
            f"column {column!r}: labels must be named by texts, got {str(value)[:60]}"
        )
    return {name.strip(): True for name in names if name.strip()}, True


def _plain(value: Any) -> Any:
    """Return the value of our own JSON objects with a source; other values unchanged."""
    return value.get(VALUE) if isinstance(value, dict) and SOURCE in value else value


def _split(text: str, form: Form, onto: Ontology) -> list[str]:
    if text.strip() in onto:
        return [text]
    mark = form.separator or next((mark for mark in SEPARATORS if mark in text), None)
    return text.split(mark) if mark else [text]
