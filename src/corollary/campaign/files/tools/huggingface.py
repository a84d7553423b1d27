"""Parquet that Hugging Face's datasets open with named labels: a list of labels, and a column for each label."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....logic.errors import CorollaryError
from ...items import Item
from ...jsontext import parse_json
from ..imports.parquet import open_parquet, parquet_rows
from .formats import Record
from .json_lines import fields_in, fields_of, id_in, text_in

if TYPE_CHECKING:
    from ..exports.provenance import Cell, Snapshot

#: The columns beside those of the labels.
ID, TEXT, FIELDS, LABELS, SOURCES, PROBABILITIES = OWN = (
    "id",
    "text",
    "fields",
    "labels",
    "sources",
    "probabilities",
)
NO_YES = ["no", "yes"]
SAID = "asked"
UNKNOWN = -1  # the number of no label
#: Where `datasets` look for the features of a table.
METADATA = b"huggingface"
ROWS = 10_000  # of a group


def recognise(one: Any) -> bool:
    """Return False, because no JSON file has this format."""
    del one
    return False


def features_of(labels: tuple[str, ...]) -> dict[str, Any]:
    """Return the features of a table, as `datasets` stores them."""
    text = {"dtype": "string", "_type": "Value"}
    listed: dict[str, Any] = {
        "_type": "Sequence"
    }  # read by all versions; those from 4 on call it List
    return {
        ID: text,
        TEXT: text,
        FIELDS: text,
        LABELS: {"feature": {"names": list(labels), "_type": "ClassLabel"}, **listed},
        **{label: {"names": NO_YES, "_type": "ClassLabel"} for label in labels},
        SOURCES: {"feature": text, **listed},
        PROBABILITIES: {"feature": {"dtype": "float64", "_type": "Value"}, **listed},
    }


def write_file(snapshot: Snapshot, path: Path, *, predictions: bool = True) -> None:
    """Write a row for each item: its labels that are yes, and a column for each label.

    A column is empty if its label is open. `fields` has the item's fields as JSON. `sources` has the
    source of each label: asked, accepted, implied, predicted or open. `probabilities` has the
    probabilities of predictions. Without `predictions`, these labels are open.
    """
    pa, parquet = _pyarrow()
    labels = snapshot.onto.labels
    if clash := next((name for name in OWN if name in labels), None):
        raise CorollaryError(
            f"the table would have two columns {clash!r}; rename this label, or choose another format"
        )
    whole = pa.int64()
    texts = pa.string()
    columns = {
        ID: texts,
        TEXT: texts,
        FIELDS: texts,
        LABELS: pa.list_(whole),
        **dict.fromkeys(labels, whole),
    }
    columns |= {SOURCES: pa.list_(texts), PROBABILITIES: pa.list_(pa.float64())}
    info = {"info": {"features": features_of(labels)}}
    schema = pa.schema(
        list(columns.items()), metadata={METADATA: json.dumps(info, ensure_ascii=False)}
    )
    rows = (_row(item, cells) for item, _, cells in snapshot.rows(predictions=predictions))
    with parquet.ParquetWriter(path, schema) as writer:
        while some := list(islice(rows, ROWS)):
            writer.write_table(pa.Table.from_pylist(some, schema=schema))


def _row(item: Item, cells: list[Cell]) -> dict[str, Any]:
    return {
        ID: item.id,
        TEXT: item.text,
        FIELDS: json.dumps(shown, ensure_ascii=False) if (shown := fields_of(item)) else None,
        LABELS: [k for k, cell in enumerate(cells) if cell.value],
        **{cell.label: None if cell.value is None else int(cell.value) for cell in cells},
        SOURCES: [cell.source for cell in cells],
        PROBABILITIES: [cell.probability for cell in cells],
    }


# -- reading -----------------------------------------------------------------------------------------------------------


def read(path: Path) -> Iterator[Record]:
    """Yield the labels of each row: columns of no and yes, a list of labels, or one label."""
    with open_parquet(path) as file:
        columns = _columns(file, path)
        for place, row in parquet_rows(file, path):
            try:
                yield _record(row, columns, place)
            except CorollaryError as error:
                raise CorollaryError(f"{path}, {place}: {error}. Nothing was imported") from None


class _Columns(NamedTuple):
    """The columns that hold labels, by name: no or yes; the number of one label; a list of numbers of labels."""

    binary: tuple[str, ...]
    single: dict[str, list[str]]
    several: dict[str, list[str]]


def _record(row: Mapping[str, Any], columns: _Columns, place: str) -> Record:
    labels: dict[str, bool] = {}
    if columns.binary:
        said = row.get(SOURCES) or [SAID] * len(columns.binary)
        if not isinstance(said, list) or len(said) != len(columns.binary):
            raise CorollaryError(
                f"column {SOURCES!r} must be a list with a text for each of the labels"
            )
        asked = [name for name, source in zip(columns.binary, said, strict=True) if source == SAID]
        labels = {name: bool(row[name]) for name in asked if row[name] in (0, 1)}
    else:
        for name, names in columns.several.items():
            labels |= {_name(k, names, name): True for k in _numbers(row[name], name)}
        for name, names in columns.single.items():
            labels |= {
                _name(k, names, name): True for k in (row[name],) if k is not None and k != UNKNOWN
            }
    text = text_in(row)
    taken = (*OWN, *columns.binary, *columns.single, *columns.several)
    fields = fields_in(row, without=taken) | _fields(row.get(FIELDS))
    return Record(
        place, id_in((row.get(ID),), text), labels, text, fields, listed=not columns.binary
    )


def _fields(text: Any) -> dict[str, Any]:
    """The fields that a file of ours keeps as JSON; a column of that name in others is a field as it is."""
    try:
        found = parse_json(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return fields_in(found)
    return {} if text is None else fields_in({FIELDS: text})


def _class_names(feature: Any) -> list[str] | None:
    """The names of a feature whose values are numbers of labels; None where it is another."""
    if not isinstance(feature, Mapping) or feature.get("_type") != "ClassLabel":
        return None
    names = feature.get("names")
    return (
        names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None
    )


def _listed_names(feature: Any) -> list[str] | None:
    """The names of a list of labels, however it is written down."""
    if isinstance(feature, list) and feature:
        return _class_names(feature[0])
    if isinstance(feature, Mapping) and feature.get("_type") in ("Sequence", "List", "LargeList"):
        return _class_names(feature.get("feature"))
    return None


def _numbers(value: Any, column: str) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise CorollaryError(
            f"column {column!r} must hold lists of numbers of labels, got {str(value)[:40]!r}"
        )
    return value or []


def _name(k: Any, names: list[str], column: str) -> str:
    if not isinstance(k, int) or not 0 <= k < len(names):
        raise CorollaryError(
            f"column {column!r}: there is no label number {str(k)[:40]}, the file names {len(names)}"
        )
    return names[k]


def _columns(file: Any, path: Path) -> _Columns:
    """The columns with labels that the features of a file name."""
    raw = (file.schema_arrow.metadata or {}).get(METADATA)
    try:
        found = parse_json(raw.decode())["info"]["features"] if raw is not None else None
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise CorollaryError(
            f"{path} has no names of labels (no features of Hugging Face's datasets). Write it "
            "with Dataset.to_parquet, or import it as a table, without format="
        )
    there = {name: feature for name, feature in found.items() if name in file.schema_arrow.names}
    single = {
        name: names
        for name, feature in there.items()
        if (names := _class_names(feature)) is not None
    }
    several = {
        name: names
        for name, feature in there.items()
        if (names := _listed_names(feature)) is not None
    }
    if not single and not several:
        raise CorollaryError(
            f"{path} has no column of labels (ClassLabel); its columns are: {', '.join(found)}"
        )
    binary = tuple(name for name, names in single.items() if names == NO_YES)
    return _Columns(
        binary, {name: names for name, names in single.items() if name not in binary}, several
    )


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError(
            "Parquet needs the package pyarrow: pip install 'corollary[tables]'"
        ) from error
    return pa, parquet
