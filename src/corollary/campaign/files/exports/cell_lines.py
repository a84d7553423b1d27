"""A line for each cell: its value, where that comes from, who said so, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...items import Item
from .provenance import Cell


def long_row(
    item: Item, cell: Cell, named: Mapping[str, str], *, weighed: bool = False
) -> tuple[Any, ...]:
    """A line for one cell; `named` has what people call the labels, or nothing where nobody named any.

    Where answers are `weighed` it tells how many people are behind the value.
    """
    by = (
        "; ".join(dict.fromkeys(name for said in cell.answers for name in said.by))
        if cell.answers
        else ""
    )
    model = cell.model or None
    return (
        item.id,
        cell.label,
        *([named[cell.label]] if named else []),
        word(cell.value),
        cell.source,
        cell.probability,
        *([cell.witnesses] if weighed else []),
        by,
        cell.at,
        cell.ontology,
        model,
        because(cell, named),
    )


def because(cell: Cell, named: Mapping[str, str]) -> str:
    """What an implied value follows from, in words: `bird is yes (12); bird implies animal`."""
    if cell.reason is None:
        return ""
    called = {
        label: label if name == label else f"{name} ({label})" for label, name in named.items()
    }
    answers = [
        f"{called.get(said.label, said.label)} is {word(said.value)} ({', '.join(map(str, said.seqs))})"
        for said in cell.answers
    ]
    return "; ".join((*answers, cell.reason.words))


def word(value: bool | None) -> str:
    """Yes, no, or nothing."""
    return "" if value is None else "yes" if value else "no"
