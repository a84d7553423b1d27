"""Items and existing labels from files and folders: all is checked before anything is stored, and errors name places.

A file is read twice: once to check it, once to hand out its items. Of its rows only the ids are remembered.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..campaign import Campaign, Fact
from ..items import VECTOR, Item
from .existing import Labelled, find_clashes, labels_of
from .forms import Columns, Form, find_columns
from .itemrows import id_of, is_number, item_of, number_of
from .pictures import folder_items, others_in, size_of, zip_items
from .sources import TABLES, Row, Source, open_source

#: What was answered of an item that is there already; None if it is not.
Answers = Callable[[str], Mapping[str, bool] | None]
TOLD = 5  # problems that a message lists
ENOUGH = 100  # problems after which the rest of a file is not looked at
CHUNK = 10_000  # rows whose labels are checked at once


@dataclass
class Import:
    """A file that was checked: how many items it has, the labels it brings, and what there is to tell of it."""

    n_items: int
    facts: list[Fact]
    _items: Callable[[], Iterator[Item]] = field(repr=False)
    columns: Columns | None = None
    notes: list[str] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """The items, read from the file again."""
        return self._items()


def check_import(
    path: str | Path, onto: Ontology, form: Form | None = None, *, answers: Answers = lambda _: None
) -> Import:
    """Check a file, or a folder or zip file of pictures, as a whole; every problem is told with its place.

    `answers` tells what was answered of the items that are there already.
    """
    path, form = Path(path), form or Form()
    if not path.exists():
        raise CorollaryError(f"there is no file or folder {path}")
    size = size_of(path) if path.is_dir() else path.stat().st_size
    if size > form.limit:
        raise CorollaryError(
            f"{path} has {_sized(size)}, and at most {_sized(form.limit)} are taken, since a campaign keeps its items "
            f"in memory: split it, or pass limit={size} if this machine has several times as much memory"
        )
    if path.is_dir() or path.suffix.lower() == ".zip":
        return _check_pictures(path, form, answers)
    source = open_source(path, encoding=form.encoding, separator=form.delimiter)
    return _Check(source, find_columns(source, form, onto), form, onto, answers).run()


def read_items(path: str | Path, campaign: Campaign, *, form: Form | None = None) -> tuple[list[Item], list[Fact]]:
    """The items and labels of a file for a campaign that is there; nothing is stored."""
    found = check_import(path, campaign.state.onto, form, answers=answers_in(campaign))
    return list(found.items()), found.facts


def answers_in(campaign: Campaign) -> Answers:
    """What was answered of the items of a campaign."""
    with campaign.lock:
        there = frozenset(campaign.state.ids)

    def answers(item: str) -> Mapping[str, bool] | None:
        return campaign.state.standing_of(item).answers if item in there else None

    return answers


class _Problems:
    """What is wrong with a file, gathered until there is enough to tell."""

    def __init__(self, path: Path):
        self._path = path
        self._found: list[str] = []

    def add(self, place: str, what: object) -> None:
        self._found.append(f"{place}: {what}")
        if len(self._found) >= ENOUGH:
            self.tell()

    def tell(self) -> None:
        """Raise an error if there was any problem."""
        if len(self._found) == 1:
            raise CorollaryError(f"{self._path}, {self._found[0]}. Nothing was imported")
        if self._found:
            more = "or more " if len(self._found) >= ENOUGH else ""
            first = f", the first {TOLD}" if len(self._found) > TOLD else ""
            lines = "\n  ".join(self._found[:TOLD])
            raise CorollaryError(
                f"{self._path} has {len(self._found)} {more}problems{first}:\n  {lines}\nNothing was imported"
            )


class _Check:
    """One pass over a file of rows."""

    def __init__(self, source: Source, columns: Columns, form: Form, onto: Ontology, answers: Answers):
        self.source, self.columns, self.form, self.onto, self.answers = source, columns, form, onto, answers
        self.problems = _Problems(source.path)
        self.only_labels = columns.long or form.only_labels
        self.hashes = array("q")
        #: Columns of a table in which all values are numbers so far.
        self.numbers = set(columns.fields) if source.kind in TABLES else set()
        self.width: int | None = None
        self.facts: list[Fact] = []
        self.waiting: dict[str, Labelled] = {}

    def run(self) -> Import:
        """All rows, then what only all of them together tell."""
        n = 0
        for n, row in enumerate(self.source.rows(), 1):
            try:
                self._check_row(n, row)
            except CorollaryError as error:
                self.problems.add(row.place, error)
            if len(self.waiting) >= CHUNK and not self.only_labels:
                self._check_labels()
        self._check_labels()
        if not n:
            raise CorollaryError(f"{self.source.path} has no rows: there is nothing to import")
        if not self.only_labels:
            self._check_unlike()
        self.problems.tell()
        if self.only_labels:
            return Import(0, self.facts, lambda: iter(()), self.columns)
        return Import(n, self.facts, _Items(self.source, self.columns, frozenset(self.numbers)).all, self.columns)

    def _check_row(self, n: int, row: Row) -> None:
        item = id_of(n, row, self.columns)
        self.hashes.append(hash(item))
        there = self.answers(item) is not None
        labels = labels_of(row.values, self.columns, self.form, self.onto)
        if self.only_labels and not there:
            raise CorollaryError(f"there is no item {item!r} in the campaign to give labels to")
        if not self.only_labels:
            if there:
                raise CorollaryError(
                    f"item {item!r} is in the campaign already; leave it out, or pass only_labels=True to take its "
                    "labels only"
                )
            self._check_vector(item_of(item, row, self.columns, self.source, load=False))
            self.numbers -= {name for name in self.numbers if not is_number(row.values[name])}
        if labels:
            self._add(Labelled(row.place, item, labels))

    def _add(self, one: Labelled) -> None:
        """Keep what a row says, together with what rows before said of the same item."""
        before = self.waiting.get(one.item)
        for label, value in () if before is None else one.labels.items():
            if before is not None and before.labels.get(label, value) != value:
                raise CorollaryError(f"item {one.item!r}: {label} is both yes and no, see {before.place}")
        self.waiting[one.item] = one if before is None else one._replace(labels=before.labels | one.labels)

    def _check_vector(self, item: Item) -> None:
        if self.columns.vector is None:
            return
        width = len(item.fields[VECTOR])
        self.width = self.width or width
        if width != self.width:
            raise CorollaryError(f"the vector has {width} numbers, that of the first item {self.width}")

    def _check_labels(self) -> None:
        """Check the labels that wait, many at once, and take them as facts."""
        labelled, self.waiting = list(self.waiting.values()), {}
        for start in range(0, len(labelled), CHUNK):
            for place, why in find_clashes(labelled[start : start + CHUNK], self.onto, self.answers):
                self.problems.add(place, why)
        self.facts += [(one.item, label, value) for one in labelled for label, value in one.labels.items()]

    def _check_unlike(self) -> None:
        """Tell of ids that are there twice: by hashes, so that a large file takes little memory."""
        ordered = np.sort(np.frombuffer(self.hashes, np.int64)) if self.hashes else np.zeros(0, np.int64)
        twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        if not twice:
            return
        first: dict[str, str] = {}
        for n, row in enumerate(self.source.rows(), 1):
            try:
                item = id_of(n, row, self.columns)
            except CorollaryError:
                continue  # told in the first pass
            if hash(item) in twice and first.setdefault(item, row.place) != row.place:
                self.problems.add(
                    row.place, f"column {self.columns.id!r}: the id {item!r} is there already, in {first[item]}"
                )


@dataclass(frozen=True)
class _Items:
    """The items of a file that was checked."""

    source: Source
    columns: Columns
    numbers: frozenset[str]

    def all(self) -> Iterator[Item]:
        for n, row in enumerate(self.source.rows(), 1):
            for name in self.numbers:
                row.values[name] = number_of(row.values[name])
            try:
                yield item_of(id_of(n, row, self.columns), row, self.columns, self.source, load=True)
            except CorollaryError as error:
                raise CorollaryError(f"{self.source.path}, {row.place}: {error}") from None


def _check_pictures(path: Path, form: Form, answers: Answers) -> Import:
    items: Callable[[], Iterator[Item]]
    if path.is_dir():
        ids, others = [item.id for item in folder_items(path, load=False)], others_in(path)
        items = lambda: folder_items(path, load=True)  # noqa: E731
    else:
        loaded, others = zip_items(path, limit=form.limit)
        ids, items = [item.id for item in loaded], lambda: iter(loaded)
    problems = _Problems(path)
    if not ids:
        raise CorollaryError(f"{path} holds no picture (PNG, JPEG, GIF, WebP, AVIF, BMP)")
    for item in ids:
        if answers(item) is not None:
            problems.add(item, "an item of this name is in the campaign already")
    problems.tell()
    notes = [f"{len(others):,} files are no pictures and were left out, the first is {others[0]}"] if others else []
    return Import(len(ids), [], items, notes=notes)


def _sized(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 10 << 20 else f"{size:,} bytes"
