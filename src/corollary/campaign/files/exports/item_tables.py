"""Items as a table and as JSON lines: id, text, fields, and the labels with origin and probability."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....logic.errors import CorollaryError
from ...items import UNSEEN, Item
from ..spreadsheet_text import NAME, items_header
from .item_lines import ItemLabel, Line, lines_of
from .provenance import Snapshot

SEPARATORS = ";|,@"  # between labels; the first that no label has in its name
DIGITS = 4  # of a probability in a CSV file


def table_of_items(
    snapshot: Snapshot, *, predictions: bool, open_cells: bool
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of a CSV file; several labels of an item are joined."""
    mark = f"{_separator([*snapshot.onto.labels, *snapshot.label_names.values()])} "
    header, rows = typed_rows_of_items(snapshot, predictions=predictions, open_cells=open_cells)

    def joined() -> Iterator[list[Any]]:
        for row in rows:
            yield [
                mark.join(map(_written, cell)) if isinstance(cell, list) else cell for cell in row
            ]

    return header, joined()


def typed_rows_of_items(
    snapshot: Snapshot, *, predictions: bool, open_cells: bool
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Return columns and rows, in which labels, their names, origins and probabilities are lists."""
    fields = list(dict.fromkeys(name for item in snapshot.items for name in _seen(item)))
    text = ["text"] if any(item.text is not None for item in snapshot.items) else []
    named = snapshot.label_names
    weighed = snapshot.testimonies is not None
    own = items_header(named=bool(named), weighed=weighed)
    header = ["id", *text, *_unlike(fields, ("id", "text", *own)), *own]

    def rows() -> Iterator[tuple[Any, ...]]:
        for item, labels, origin in lines_of(
            snapshot, predictions=predictions, open_cells=open_cells
        ):
            about = [
                item.id,
                *([item.text] if text else []),
                *(_as_text(item.fields.get(name)) for name in fields),
            ]
            origins = [one.origin for one in labels] or [origin]
            names = [[named[one.label] for one in labels]] if named else []
            counts = [[one.witnesses for one in labels]] if weighed else []
            chances = [one.probability for one in labels]
            yield (*about, [one.label for one in labels], *names, origins, chances, *counts)

    return header, rows()


def json_lines_of_items(
    snapshot: Snapshot, *, predictions: bool, open_cells: bool
) -> Iterator[str]:
    """Yield a JSON object for each item, with a list of its labels."""
    named = snapshot.label_names
    for line in lines_of(snapshot, predictions=predictions, open_cells=open_cells):
        yield json.dumps(_object(line, named), ensure_ascii=False, separators=(",", ":")) + "\n"


def _object(line: Line, named: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": line.item.id}
    if line.item.text is not None:
        found["text"] = line.item.text
    if fields := {name: line.item.fields[name] for name in _seen(line.item)}:
        found["fields"] = fields
    found["labels"] = [_label_object(one, named) for one in line.labels]
    if not line.labels:
        found["origin"] = line.origin
    return found


def _label_object(one: ItemLabel, named: Mapping[str, str]) -> dict[str, Any]:
    label, *others = ((name, value) for name, value in one._asdict().items() if value is not None)
    return dict([label, *([(NAME, named[one.label])] if named else []), *others])


def _written(value: Any) -> str:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)


def _seen(item: Item) -> list[str]:
    return [name for name in item.fields if name not in UNSEEN]


def _unlike(fields: Iterable[str], ours: Sequence[str]) -> Iterator[str]:
    """Yield a unique column name for each field, with `.field` added if it is taken."""
    taken = {*ours, *fields}
    for name in fields:
        column = name
        while column in ours or (column != name and column in taken):
            column = f"{column}.field"
        taken.add(column)
        yield column


def _as_text(value: Any) -> Any:
    """Return a field as the text of a cell; lists and objects become JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _separator(labels: Iterable[str]) -> str:
    listed = list(labels)
    for mark in SEPARATORS:
        if not any(mark in label for label in listed):
            return mark
    raise CorollaryError(
        f"labels cannot be joined in one column, because their names use all of {' '.join(SEPARATORS)}. "
        "Choose the format jsonl-items or csv-long"
    )
