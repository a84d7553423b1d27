"""Predictions in tables: a row for each item and label, or for each item with a column for each label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any, NamedTuple

from ....logic.errors import CorollaryError, nearest
from ....logic.ontology import Ontology
from ..imports.existing_labels import EMPTY, NO, YES
from ..imports.sources import Source

#: Names by which columns are found, in order and in any case.
ITEMS = ("item", "item_id", "id", "key")
LABEL = "label"
PROBABILITIES = ("probability", "score", "confidence", "prediction", "value", "p")


class Columns(NamedTuple):
    """The columns of a table: the item, and label and probability, or a column for each label."""

    item: str
    label: str | None
    probability: str | None
    labels: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def note(self) -> str:
        """A note on how the table is read."""
        if self.label is not None:
            return (
                f"columns: item: {self.item}; label: {self.label}; probability: {self.probability}"
            )
        return f"columns: item: {self.item}; one for each of {len(self.labels):,} labels"


def find_columns(source: Source, onto: Ontology, item: str | None = None) -> Columns:
    """Return the columns of a table, found by their names."""
    there = {name.lower(): name for name in reversed(source.columns)}
    if item is not None and item not in source.columns:
        raise CorollaryError(f"{source.path} has no column {item!r}{nearest(item, source.columns)}")
    item = item or next((there[name] for name in ITEMS if name in there), None)
    if item is None:
        named = ", ".join(source.columns[:20]) or "none"
        raise CorollaryError(
            f"{source.path} needs a column {ITEMS[0]} with the items' ids; its columns are: {named}"
        )
    probability = next(
        (there[name] for name in PROBABILITIES if name in there and there[name] != item), None
    )
    if LABEL in there and probability is not None:
        return Columns(item, there[LABEL], probability, (), ())
    labels = tuple(name for name in source.columns if name in onto and name != item)
    others = tuple(name for name in source.columns if name not in onto and name != item)
    if not labels:
        hints = [hint for name in others if (hint := nearest(name, onto.labels))]
        raise CorollaryError(
            f"{source.path} needs the columns label and probability, or a column named like a label"
            f"{hints[0] if hints else ''}"
        )
    return Columns(item, None, None, labels, others)


def said_in(values: Mapping[str, Any], columns: Columns) -> Iterator[tuple[str, float]]:
    """Yield the labels of a row with their probabilities."""
    if columns.label is None:
        for label in columns.labels:
            if (found := probability_of(values.get(label), label)) is not None:
                yield label, found
        return
    assert columns.probability is not None
    label = str(values.get(columns.label) or "").strip()
    if not label:
        raise CorollaryError(f"column {columns.label!r} is empty; it must name a label")
    if (found := probability_of(values.get(columns.probability), columns.probability)) is not None:
        yield label, found


def probability_of(value: Any, column: str) -> float | None:
    """Return the probability in a cell, a number or yes or no; None if the cell is empty."""
    word = "" if value is None else str(value).strip().lower()
    if word in EMPTY or (isinstance(value, float) and isnan(value)):
        return None
    if word in YES or word in NO:
        return float(word in YES)
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        hint = "; divide percents by 100" if 1 < number <= 100 else ""
        raise CorollaryError(
            f"column {column!r}: {str(value)[:40]!r} is not a probability from 0 to 1{hint}"
        )
    return number
