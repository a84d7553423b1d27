"""Texts with spaCy's cats as JSON lines: 1 for yes, 0 for no, and probabilities in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....logic.errors import CorollaryError
from ....items import Item
from ..formats import Record
from ..json_lines import fields_in, fields_of, id_in, json_lines, object_in, records_in, text_in

if TYPE_CHECKING:
    from ...exports.provenance import Cell, Snapshot

ITEM = "item"
SURE = 1e-6  # predictions keep this distance from 0 and 1, which mean known labels


def recognise(one: Any) -> bool:
    """Whether an object is a text with cats."""
    return (
        isinstance(one, Mapping)
        and isinstance(one.get("text"), str)
        and isinstance(one.get("cats"), Mapping)
    )


def read(path: Path) -> Iterator[Record]:
    """Return the labels of each text."""
    return records_in(path, lambda one, place: [record_of(one, place)])


def record_of(one: Mapping[str, Any], place: str) -> Record:
    """Return the labels of a text: 1 is yes, 0 is no; probabilities in between are ignored."""
    text = text_in(one)
    meta = object_in(one, "meta")
    item = id_in((meta.get(ITEM), meta.get("id"), one.get("id")), text)
    labels = labels_in(object_in(one, "cats"))
    only_yes = bool(labels) and all(labels.values())
    return Record(place, item, labels, text, fields_in(meta, without=(ITEM, "id")), listed=only_yes)


def labels_in(cats: Mapping[str, Any]) -> dict[str, bool]:
    """Return the labels whose cat is 0 or 1."""
    for label, value in cats.items():
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise CorollaryError(
                f"cats: {label!r} must be a number from 0 to 1, got {str(value)[:40]!r}"
            )
    return {label: bool(value) for label, value in cats.items() if value in (0, 1)}


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield a line for each item; open labels have no cat, or with `predictions` their posterior."""
    return json_lines(
        _line(item, cells) for item, _, cells in snapshot.rows(predictions=predictions)
    )


def _line(item: Item, cells: list[Cell]) -> dict[str, Any]:
    meta = {**fields_of(item, without=(ITEM, "id")), ITEM: item.id}
    return {"text": item.text or item.id, "cats": cats_of(cells), "meta": meta}


def cats_of(cells: list[Cell]) -> dict[str, float]:
    """Return the cats of an item."""
    cats = {}
    for cell in cells:
        if not cell.settled and cell.probability is not None:
            cats[cell.label] = min(max(round(cell.probability, 6), SURE), 1 - SURE)
        elif cell.value is not None:
            cats[cell.label] = float(cell.value)
    return cats
