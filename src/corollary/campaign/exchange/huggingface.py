"""Parquet that Hugging Face's datasets open with named labels: a list of labels, and a column for each label."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...logic.errors import CorollaryError
from ..items import Item
from .formats import Record
from .lines import fields_in, fields_of, id_in, text_in

if TYPE_CHECKING:
    from ..files.provenance import Cell, Snapshot

#: The columns beside those of the labels.
ID, TEXT, FIELDS, LABELS, SOURCES, PROBABILITIES = OWN = ("id", "text", "fields", "labels", "sources", "probabilities")
NO_YES = ["no", "yes"]
SAID = "asked"
#: Where `datasets` look for the features of a table.
METADATA = b"huggingface"
ROWS = 10_000  # of a group


def recognise(one: Any) -> bool:
    """Of what is in JSON nothing is of this format."""
    del one
    return False


def features_of(labels: tuple[str, ...]) -> dict[str, Any]:
    """The features of a table, as `datasets` write them down."""
    text = {"dtype": "string", "_type": "Value"}
    listed: dict[str, Any] = {"_type": "Sequence"}  # read by all versions; those from 4 on call it List
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
    """A row for each item: its labels that are yes, and each label as no or yes, empty where it is open.

    `fields` are the item's, as JSON.
    `sources` tells of each label, in their order, whether it was asked, is implied, is predicted or open;
    `probabilities` has those of the predicted ones. Without `predictions` these are open.
    """
    pa, parquet = _pyarrow()
    labels = snapshot.onto.labels
    if clash := next((name for name in OWN if name in labels), None):
        raise CorollaryError(f"the table would have two columns {clash!r}; rename this label, or choose another format")
    whole, texts = pa.int64(), pa.string()
    columns = {ID: texts, TEXT: texts, FIELDS: texts, LABELS: pa.list_(whole), **dict.fromkeys(labels, whole)}
    columns |= {SOURCES: pa.list_(texts), PROBABILITIES: pa.list_(pa.float64())}
    info = {"info": {"features": features_of(labels)}}
    schema = pa.schema(list(columns.items()), metadata={METADATA: json.dumps(info, ensure_ascii=False)})
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
    """What each row says: columns of no and yes, a list of labels, or one label; named by the file's features."""
    _, parquet = _pyarrow()
    with _opened(parquet, path) as file:
        features = _features(file, path)
        number = 0
        for batch in file.iter_batches(batch_size=ROWS):
            for row in batch.to_pylist():
                number += 1
                try:
                    yield _record(row, features, f"row {number:,}")
                except CorollaryError as error:
                    raise CorollaryError(f"{path}, row {number:,}: {error}. Nothing was imported") from None


def _record(row: Mapping[str, Any], features: Mapping[str, Any], place: str) -> Record:
    single = {name: one["names"] for name, one in features.items() if one.get("_type") == "ClassLabel"}
    binary = [name for name, names in single.items() if names == NO_YES]
    several = {name: names for name, one in features.items() if (names := _listed_names(one)) is not None}
    labels: dict[str, bool] = {}
    if binary:
        said = dict(zip(binary, row.get(SOURCES) or [SAID] * len(binary), strict=True))
        labels = {name: bool(row[name]) for name in binary if row[name] in (0, 1) and said[name] == SAID}
    else:
        for name, names in several.items():
            labels |= {_name(k, names, name): True for k in row[name] or ()}
        for name, names in single.items():
            labels |= {_name(k, names, name): True for k in (row[name],) if k is not None and k >= 0}
    text = text_in(row)
    fields = fields_in(row, without=(*OWN, *single, *several)) | _fields(row.get(FIELDS))
    return Record(place, id_in((row.get(ID),), text), labels, text, fields, listed=not binary)


def _fields(text: Any) -> dict[str, Any]:
    """The fields that a file of ours keeps as JSON; a column of that name in others is a field as it is."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return fields_in(found)
    return {} if text is None else fields_in({FIELDS: text})


def _listed_names(feature: Any) -> list[str] | None:
    """The names of a list of labels, however it is written down."""
    inner = feature[0] if isinstance(feature, list) and feature else None
    if isinstance(feature, Mapping) and feature.get("_type") in ("Sequence", "List", "LargeList"):
        inner = feature.get("feature")
    names = inner.get("names") if isinstance(inner, Mapping) and inner.get("_type") == "ClassLabel" else None
    return names if isinstance(names, list) else None


def _name(k: Any, names: list[str], column: str) -> str:
    if not isinstance(k, int) or not 0 <= k < len(names):
        raise CorollaryError(f"column {column!r}: there is no label number {k}, the file names {len(names)}")
    return names[k]


def _features(file: Any, path: Path) -> dict[str, Any]:
    raw = (file.schema_arrow.metadata or {}).get(METADATA)
    try:
        found = json.loads(raw)["info"]["features"] if raw is not None else None
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise CorollaryError(
            f"{path} does not say what its labels are called (no features of Hugging Face's datasets in it); write it "
            "with Dataset.to_parquet, or import it as a table, without format="
        )
    known = {name: one for name, one in found.items() if isinstance(one, Mapping | list)}
    classes = [name for name, one in known.items() if isinstance(one, Mapping) and one.get("_type") == "ClassLabel"]
    if not classes and not any(_listed_names(one) for one in known.values()):
        raise CorollaryError(f"{path} has no column of labels (ClassLabel); its columns are: {', '.join(found)}")
    return {
        name: one if isinstance(one, Mapping) else {"_type": "List", "feature": one[0]} for name, one in known.items()
    }


def _opened(parquet: Any, path: Path) -> Any:
    import pyarrow as pa

    try:
        return parquet.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise CorollaryError(f"{path} is not a good Parquet file, it may be damaged: {error}") from None


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise CorollaryError("Parquet needs the package pyarrow: pip install 'corollary[tables]'") from error
    return pa, parquet
