"""doccano's JSON lines: texts with the labels that were picked for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....logic.errors import CorollaryError
from ...items import Item
from ..spreadsheet_text import ORIGIN
from .formats import Record
from .json_lines import (
    OURS,
    fields_in,
    fields_of,
    id_in,
    json_lines,
    names_in,
    object_in,
    records_in,
    text_in,
)

if TYPE_CHECKING:
    from ..exports.provenance import Cell, Snapshot

#: The keys of the picked labels, in projects for one label and for several.
LABELS = ("label", "labels", "category", "cats")
TAKEN = ("id", "text", "data", *LABELS, "Comments", OURS)


def recognise(one: Any) -> bool:
    """Whether an object is a text with picked labels."""
    if not isinstance(one, Mapping) or not isinstance(one.get("text", one.get("data")), str):
        return False
    lists = [one[name] for name in LABELS if isinstance(one.get(name), list)]
    ours = ORIGIN in one or any(isinstance(label, Mapping) for label in chain(*lists))
    return bool(lists) and not ours  # a line of jsonl-items says where each label comes from


def read(path: Path) -> Iterator[Record]:
    """Return the labels that were picked for each text."""
    return records_in(path, lambda one, place: [record_of(one, place)])


def record_of(one: Mapping[str, Any], place: str) -> Record:
    """Return the picked labels of a text as yes; the no labels of our own file, unless picked, as no."""
    text = text_in(one) if "text" in one else text_in(one, "data")
    ours = object_in(one, OURS)
    name = next((name for name in LABELS if name in one), None)
    picked = one.get(name) if name is not None else None
    if isinstance(picked, str):
        picked = [picked]
    if isinstance(picked, list) and any(isinstance(value, list) for value in picked):
        raise CorollaryError(
            "the labels are about parts of the text (spans); only labels of whole texts are read"
        )
    yes = names_in(picked, f"{name!r}")
    labels = dict.fromkeys(names_in(ours.get("no"), "'no'"), False) | dict.fromkeys(yes, True)
    item = id_in((ours.get("item"), one.get("id")), text)
    return Record(place, item, labels, text, fields_in(one, without=TAKEN), listed=name is not None)


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield a line for each item with the labels that are known to be yes.

    The format has no place for labels that are no, or for probabilities of predictions. They are
    written beside it, where doccano keeps them. A prediction among the labels would look like a pick
    of a person.
    """
    return json_lines(
        _line(item, cells) for item, _, cells in snapshot.rows(predictions=predictions)
    )


def _line(item: Item, cells: list[Cell]) -> dict[str, Any]:
    known = [cell for cell in cells if cell.settled]
    ours: dict[str, Any] = {"item": item.id, "no": [cell.label for cell in known if not cell.value]}
    if guesses := {
        cell.label: cell.probability
        for cell in cells
        if cell.source == "predicted" and not cell.settled
    }:
        ours["predicted"] = guesses
    yes = [cell.label for cell in known if cell.value]
    return {
        "id": item.id,
        "text": item.text or item.id,
        "label": yes,
        **fields_of(item, without=TAKEN),
        OURS: ours,
    }
