"""Items and labels from the files of other people's tools, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....logic.errors import Contradiction, CorollaryError
from ....logic.ontology import Ontology
from ...items import Item
from ...vectors import VECTOR, SameVectors
from ..tools.formats import Record, read_records
from .existing_labels import Labelled, find_clashes
from .file_form import Answers, Form, Import, Problems

CHUNK = 10_000  # items whose labels are checked at once


@dataclass
class _Found:
    """The labels of all records of an item."""

    labelled: Labelled
    said_by: dict[str, str | None] = field(default_factory=dict)


def check_records(
    path: Path, format: str, onto: Ontology, form: Form, answers: Answers, vectors: SameVectors
) -> Import:
    """Check a file of another tool; for items of the campaign only labels are taken, with a note."""
    problems = Problems(path)
    items: dict[str, _Found] = {}
    unsure = Counter[str]()
    for record in read_records(path, format):
        try:
            if record.item not in items:
                _check_item(record, form, answers, vectors)
                items[record.item] = _Found(Labelled(record.place, record.item, {}))
            _add(items[record.item], record, labels_in(record, onto, complete=form.complete))
        except CorollaryError as error:
            problems.add(record.place, error)
        unsure.update(record.unsure)
    if not items:
        problems.tell()
        raise CorollaryError(f"{path} has nothing in it: there is nothing to import")
    labelled = [one.labelled for one in items.values() if one.labelled.labels]
    for start in range(0, len(labelled), CHUNK):
        for place, why in find_clashes(labelled[start : start + CHUNK], onto, answers):
            problems.add(place, why)
    problems.tell()
    facts = [(one.item, label, value) for one in labelled for label, value in one.labels.items()]
    new = {item for item in items if answers(item) is None}
    notes = [f"read as {format}"]
    if len(new) < len(items):
        notes.append(
            f"{len(items) - len(new):,} items are there already: only their labels are taken"
        )
    if unsure:
        notes.append(f"{unsure.total():,} answers could not tell and say nothing")
    return Import(len(new), facts, lambda: _items(path, format, new), notes=notes)


def labels_in(record: Record, onto: Ontology, *, complete: bool) -> dict[str, bool]:
    """Return the labels of a record; with `complete`, labels that were not picked are no."""
    found = {onto.find(label): value for label, value in record.labels.items()}
    if complete and record.listed:
        try:
            implied = onto.propagate(found)
        except Contradiction as clash:
            raise CorollaryError(f"item {record.item!r}: {clash}") from None
        found |= {label: False for label in onto.labels if label not in implied}
    return found


def item_of(record: Record) -> Item:
    """Return the item of a record."""
    return Item(record.item, text=record.text, fields=record.fields)


def _check_item(record: Record, form: Form, answers: Answers, vectors: SameVectors) -> None:
    if answers(record.item) is not None:
        return
    if form.only_labels:
        raise CorollaryError(f"there is no item {record.item!r} in the campaign to give labels to")
    vectors.check(item_of(record).fields.get(VECTOR))


def _add(found: _Found, record: Record, labels: dict[str, bool]) -> None:
    one = found.labelled
    for label, value in labels.items():
        if one.labels.get(label, value) != value:
            raise CorollaryError(
                f"item {record.item!r}: {label} is both yes and no{_between(found.said_by[label], record.who)}, "
                f"see {one.place}; settle it in the file, or leave one out"
            )
        one.labels[label] = value
        found.said_by.setdefault(label, record.who)


def _between(one: str | None, other: str | None) -> str:
    return "" if one is None or other is None or one == other else f", as {one} and {other} say"


def _items(path: Path, format: str, new: set[str]) -> Iterator[Item]:
    seen: set[str] = set()
    for record in read_records(path, format):
        if record.item in new and record.item not in seen:
            seen.add(record.item)
            yield item_of(record)
