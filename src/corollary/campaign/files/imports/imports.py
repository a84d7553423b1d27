"""Import of items and existing labels from files and folders.

Everything is checked before anything is stored, and errors name the place. A file is read twice: once
to check it, once to return its items. Only the ids of its rows are kept in memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....logic.errors import CorollaryError
from ....logic.ontology import Ontology
from ...campaign import Campaign
from ...items import Item, can_be_decoded, shows_something, tell_broken
from ...live.drafts import Fact, check_item
from ...vectors import VECTOR, SameVectors
from ..one_class import one_class_note
from ..tools.formats import READ, recognised
from .existing_labels import Labelled, find_clashes, labels_of, names_nothing
from .file_form import Answers, Columns, Form, Import, Problems, find_columns
from .item_rows import id_of, is_number, item_of, number_of
from .pictures import folder_items, others_in, size_of, zip_items
from .sources import TABLES, Row, Source, open_source
from .tool_records import check_records

CHUNK = 10_000  # rows whose labels are checked at once
PROSE = (
    "the column {0!r} holds texts and is read as such; for the label of this name it says nothing"
)
UNNAMED = "{0:,} of {1:,} rows name no label in the column {2!r}: they stay open, since an empty cell says nothing"
NOTHING_TO_SEE = (
    "there is nothing to see of the items but their ids: no text, no picture, no other column. Name the column that "
    "people shall read: --text COLUMN"
)


def check_import(
    path: str | Path,
    onto: Ontology,
    form: Form | None = None,
    *,
    answers: Answers = lambda _: None,
    vectors: SameVectors | None = None,
) -> Import:
    """Check a table, or a folder or zip file of pictures, as a whole.

    Parameters
    ----------
    path
        The file or folder.
    onto
        The ontology of the campaign.
    form
        How to read the file.
    answers
        Returns the answers about an item that is in the campaign, else None.
    vectors
        Checks that vectors are like those of the items in the campaign.

    Returns
    -------
    Import
        The checked file.

    Raises
    ------
    CorollaryError
        The file has problems; the message lists the first of them with their places.
    """
    found = _checked(path, onto, form, answers, vectors)
    if found.facts and (note := one_class_note(onto, found.facts)) is not None:
        found.notes.append(note)
    return found


def _checked(
    path: str | Path,
    onto: Ontology,
    form: Form | None,
    answers: Answers,
    vectors: SameVectors | None,
) -> Import:
    path = Path(path)
    form = form or Form()
    vectors = vectors or SameVectors()
    if not path.exists():
        raise CorollaryError(f"there is no file or folder {path}")
    size = size_of(path) if path.is_dir() else path.stat().st_size
    if size > form.limit:
        raise CorollaryError(
            f"{path} has {_sized(size)}, and at most {_sized(form.limit)} are taken, since a campaign keeps its items "
            f"in memory: split it, or pass limit={size} if this machine has several times as much memory"
        )
    if path.is_dir() or path.suffix.lower() == ".zip":
        return _check_pictures(path, form, answers, vectors)
    if (other := form.format or _format_of(path)) is not None:
        return check_records(path, other, onto, form, answers, vectors)
    source = open_source(path, encoding=form.encoding, separator=form.delimiter, limit=form.limit)
    return _Check(source, find_columns(source, form, onto), form, onto, answers, vectors).run()


def read_items(
    path: str | Path, campaign: Campaign, *, form: Form | None = None
) -> tuple[list[Item], list[Fact]]:
    """Return the items and labels of a file for a campaign, without storing them."""
    found = check_for(path, campaign, form)
    return list(found.items()), found.facts


def check_for(path: str | Path, campaign: Campaign, form: Form | None = None) -> Import:
    """Check a file for a campaign, against the items that it has."""
    return check_import(
        path, campaign.state.named(), form, answers=answers_in(campaign), vectors=campaign.vectors()
    )


def answers_in(campaign: Campaign) -> Answers:
    """Return a function that gives the answers about an item of the campaign; None if it is new."""
    with campaign.lock:
        there = frozenset(campaign.state.ids)
        withdrawn = frozenset(campaign.state.withdrawn)

    def answers(item: str) -> Mapping[str, bool] | None:
        if item in withdrawn:
            check_item(campaign.state, item)
        return campaign.state.standing_of(item).answers if item in there else None

    return answers


def _format_of(path: Path) -> str | None:
    """Return the format of a .json file by its contents; None for all other names."""
    if path.suffix.lower() != ".json":
        return None
    found = recognised(path)
    if found is None:
        raise CorollaryError(
            f"the format of {path} is unknown; pass format= with {', '.join(READ)}"
        )
    return found


class _Check:
    """One pass over a file of rows."""

    def __init__(
        self,
        source: Source,
        columns: Columns,
        form: Form,
        onto: Ontology,
        answers: Answers,
        vectors: SameVectors,
    ):
        self.source = source
        self.columns = columns
        self.form = form
        self.onto = onto
        self.answers = answers
        self.vectors = vectors
        self.problems = Problems(source.path)
        self.only_labels = columns.long or form.only_labels
        self.hashes = array("q")
        #: Columns of a table in which all values are numbers so far.
        self.numbers = set(columns.fields) if source.kind in TABLES else set()
        self.broken: list[str] = []  # items whose pictures cannot be read
        self.shows = False  # whether any item has something to show
        self.unnamed = 0  # rows without labels, if the names of labels are complete
        self.facts: list[Fact] = []
        self.waiting: dict[str, Labelled] = {}

    def run(self) -> Import:
        """Check each row, then the file as a whole."""
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
        notes = [PROSE.format(name) for name in self.columns.prose if name != self.form.text]
        notes += [UNNAMED.format(self.unnamed, n, self.columns.labels)] if self.unnamed else []
        if self.only_labels:
            return Import(0, self.facts, lambda: iter(()), self.columns, notes=notes)
        items = _Items(self.source, self.columns, frozenset(self.numbers)).all
        notes += [*([] if self.shows else [NOTHING_TO_SEE]), *_notes(self.broken)]
        return Import(n, self.facts, items, self.columns, notes=notes)

    def _check_row(self, n: int, row: Row) -> None:
        item = id_of(n, row, self.columns)
        self.hashes.append(hash(item))
        there = self.answers(item) is not None
        labels = labels_of(row.values, self.columns, self.form, self.onto)
        if self.form.complete and self.columns.labels is not None:
            self.unnamed += names_nothing(row.values.get(self.columns.labels))
        if self.only_labels and not there:
            raise CorollaryError(f"there is no item {item!r} in the campaign to give labels to")
        if not self.only_labels:
            if there:
                raise CorollaryError(
                    f"item {item!r} is in the campaign already; leave it out, or pass only_labels=True to take its "
                    "labels only"
                )
            made = item_of(item, row, self.columns, self.source, load=True)
            self.vectors.check(made.fields.get(VECTOR))
            self.broken += _broken(made)
            self.shows = self.shows or shows_something(made)
            self.numbers -= {name for name in self.numbers if not is_number(row.values[name])}
        if labels:
            self._add(Labelled(row.place, item, labels))

    def _add(self, one: Labelled) -> None:
        """Keep the labels of a row, together with those of earlier rows about the same item."""
        before = self.waiting.get(one.item)
        for label, value in () if before is None else one.labels.items():
            if before is not None and before.labels.get(label, value) != value:
                raise CorollaryError(
                    f"item {one.item!r}: {label} is both yes and no, see {before.place}"
                )
        self.waiting[one.item] = (
            one if before is None else one._replace(labels=before.labels | one.labels)
        )

    def _check_labels(self) -> None:
        """Check the waiting labels, many at once, and keep them as facts."""
        labelled = list(self.waiting.values())
        self.waiting = {}
        for start in range(0, len(labelled), CHUNK):
            for place, why in find_clashes(
                labelled[start : start + CHUNK], self.onto, self.answers
            ):
                self.problems.add(place, why)
        self.facts += [
            (one.item, label, value) for one in labelled for label, value in one.labels.items()
        ]

    def _check_unlike(self) -> None:
        """Report repeated ids; they are compared by hashes, so that a large file takes little memory."""
        ordered = (
            np.sort(np.frombuffer(self.hashes, np.int64)) if self.hashes else np.zeros(0, np.int64)
        )
        twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        if not twice:
            return
        first: dict[str, str] = {}
        for n, row in enumerate(self.source.rows(), 1):
            try:
                item = id_of(n, row, self.columns)
            except CorollaryError:
                continue  # reported in the first pass
            if hash(item) in twice and first.setdefault(item, row.place) != row.place:
                self.problems.add(
                    row.place,
                    f"column {self.columns.id!r}: the id {item!r} is there already, in {first[item]}",
                )


@dataclass(frozen=True)
class _Items:
    """The items of a checked file."""

    source: Source
    columns: Columns
    numbers: frozenset[str]

    def all(self) -> Iterator[Item]:
        for n, row in enumerate(self.source.rows(), 1):
            for name in self.numbers:
                row.values[name] = number_of(row.values[name])
            try:
                yield item_of(
                    id_of(n, row, self.columns), row, self.columns, self.source, load=True
                )
            except CorollaryError as error:
                raise CorollaryError(f"{self.source.path}, {row.place}: {error}") from None


def _broken(item: Item) -> list[str]:
    """Return the item's id if its picture cannot be read."""
    return [item.id] if item.image is not None and not can_be_decoded(item.image) else []


def _notes(broken: list[str]) -> list[str]:
    return [tell_broken(broken)] if broken else []


def _check_pictures(path: Path, form: Form, answers: Answers, vectors: SameVectors) -> Import:
    items: Callable[[], Iterator[Item]]
    if path.is_dir():
        others = others_in(path)
        items = lambda: folder_items(path, load=True)  # noqa: E731
    else:
        loaded, others = zip_items(path, limit=form.limit)
        items = lambda: iter(loaded)  # noqa: E731
    problems = Problems(path)
    ids = Counter[str]()
    broken = []
    for item in items():
        ids[item.id] += 1
        try:
            if answers(item.id) is not None:
                raise CorollaryError("an item of this name is in the campaign already")
            vectors.check(None)
        except CorollaryError as error:
            problems.add(item.id, error)
        broken += _broken(item)
    if not ids:
        raise CorollaryError(f"{path} holds no picture (PNG, JPEG, GIF, WebP, AVIF, BMP)")
    for name, times in ids.items():
        if times > 1:
            problems.add(name, f"there are {times} pictures of this name")
    problems.tell()
    notes = (
        [f"{len(others):,} files are not pictures and were left out; the first is {others[0]}"]
        if others
        else []
    )
    return Import(ids.total(), [], items, notes=notes + _notes(broken))


def _sized(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 10 << 20 else f"{size:,} bytes"
