"""Prodigy's JSON lines with a list to choose from: an example for each item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....items import Item
from ..json_lines import json_lines
from .examples import about

if TYPE_CHECKING:
    from ...exports.provenance import Cell, Snapshot


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield an example for each item with all labels as options: accepted if all are known, else ignored.

    With `predictions`, open labels that the model predicts are picked; only a person accepts an example.
    """
    rows = snapshot.rows(predictions=predictions)
    return json_lines(_example(item, cells) for item, _, cells in rows)


def _example(item: Item, cells: list[Cell]) -> dict[str, Any]:
    n_open = sum(not cell.settled for cell in cells)
    example = about(item, task="") | {
        "options": [{"id": cell.label, "text": cell.label} for cell in cells],
        "accept": [cell.label for cell in cells if cell.value],
        "answer": "ignore" if n_open else "accept",
        "_view_id": "choice",
        "config": {"choice_style": "multiple"},
    }
    if n_open:
        example["meta"]["open"] = n_open
    return example
