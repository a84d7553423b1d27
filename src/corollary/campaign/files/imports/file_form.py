"""The form in which a file of items is read, its columns, and its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ....logic.errors import CorollaryError, nearest
from ....logic.ontology import Ontology
from ...items import Item
from ...live.drafts import Fact
from ..spreadsheet_text import LABEL, ORIGIN, PROBABILITY, SOURCE, VALUE, moved_labels, own_columns
from .parquet import LIMIT
from .sources import PEEKED, Source

#: Instead of a column's name: there is no such column.
NONE = "-"
#: Instead of the column of ids: number the rows.
NUMBERED = ":row"
#: The names by which a column is found, in order.
COMMON = {
    "id": ("id", "item_id", "item", "key", "uuid", "name"),
    "text": ("text", "name", "title", "sentence", "content", "body", "description"),
    "image": ("image", "picture", "photo", "image_path"),
    "vector": ("vector", "embedding", "embeddings"),
    "labels": ("labels", "label"),
}


@dataclass(frozen=True, kw_only=True)
class Form:
    """How to read a file of items.

    A column that is None is found by its name; "-" means that there is none. Columns named like labels
    hold yes or no.

    Attributes
    ----------
    id, text, image, vector
        The columns with the ids, texts, pictures and vectors of the items.
    labels
        A column with the names of the labels that are yes.
    separator
        Separates these names; by default the first of ; | , @ that occurs.
    complete
        Labels that `labels` does not name are no. An empty cell leaves all open; in JSON, an empty
        list says that all are no.
    ignore
        Columns to leave out.
    only_labels
        The items are in the campaign already; read only labels.
    encoding, delimiter
        The encoding of a text file, and the character between columns.
    limit
        The size of the largest file, in bytes.
    format
        The format of another tool. It is found for .json files.
    """

    id: str | None = None
    text: str | None = None
    image: str | None = None
    vector: str | None = None
    labels: str | None = None
    separator: str | None = None
    complete: bool = False
    ignore: tuple[str, ...] = ()
    only_labels: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    limit: int = LIMIT
    format: str | None = None


@dataclass(frozen=True)
class Columns:
    """The columns of a file and their use.

    Attributes
    ----------
    id, text, image, vector, labels
        As in `Form`.
    wide
        Columns of one label each.
    fields
        All other columns that people see.
    long
        Whether each row is one label of an item.
    prose
        Columns named like labels that hold texts, and are read as such.
    origins
        The column with the origins of labels, in our own exports.
    moved
        The columns of labels in `wide` that have another name than the label.
    """

    id: str
    text: str | None = None
    image: str | None = None
    vector: str | None = None
    labels: str | None = None
    wide: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    long: bool = False
    prose: tuple[str, ...] = ()
    origins: str | None = None
    moved: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        named = {"id": "row numbers" if self.id == NUMBERED else self.id}
        named |= {name: getattr(self, name) for name in ("text", "image", "vector", "labels")}
        parts = [f"{what}: {column}" for what, column in named.items() if column is not None]
        if self.wide:
            parts.append(f"a column for each of {len(self.wide)} labels")
        if self.fields:
            parts.append(f"shown beside: {', '.join(self.fields)}")
        return "; ".join(parts)


def find_columns(source: Source, form: Form, onto: Ontology) -> Columns:
    """Return the columns of a file; raise CorollaryError if one is missing."""
    for name in form.ignore:
        _check_there(source, name, "to ignore")
    left = [name for name in source.columns if name not in form.ignore]
    moved = {
        label: column for label, column in moved_labels(source.columns).items() if label in onto
    }
    prose = _with_prose(source, [name for name in left if name in onto and name not in moved])
    texts = {*prose, *moved}  # no other column named like a label holds texts
    lower = {name.lower(): name for name in reversed(left) if name not in onto or name in texts}
    ids = _find_id(source, form, lower)
    if LABEL in lower and VALUE in lower and form.labels is None:
        return Columns(ids, long=True)
    text, image, vector, labels = (
        _find(source, form, what, lower) for what in ("text", "image", "vector", "labels")
    )
    own = () if labels is None else own_columns(source.columns)
    taken = {ids, text, image, vector, labels, *own}
    wide = (
        *(name for name in left if name in onto and name not in taken and name not in texts),
        *moved,
    )
    origins = ORIGIN if own else None
    taken.update(wide, moved.values())
    taken.update(
        f"{name}.{part}" for name in wide for part in (SOURCE, PROBABILITY)
    )  # as an export writes them
    fields = tuple(name for name in left if name not in taken)
    if form.only_labels:
        if labels is None and not wide:
            raise CorollaryError(
                f"{source.path} has no labels: neither a column labels, nor columns called like labels of the "
                f"ontology, nor item, label and value. {_columns_of(source)}"
            )
        return Columns(ids, labels=labels, wide=wide, origins=origins, moved=moved, prose=prose)
    return Columns(
        ids, text, image, vector, labels, wide, fields, origins=origins, moved=moved, prose=prose
    )


def _with_prose(source: Source, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns in which most of the first values have several words."""
    filled = Counter[str]()
    several = Counter[str]()
    for row in islice(source.rows(), PEEKED) if columns else ():
        words = {name: len(str(row.values.get(name) or "").split()) for name in columns}
        filled.update(name for name, n in words.items() if n)
        several.update(name for name, n in words.items() if n > 1)
    return tuple(name for name in columns if 2 * several[name] > filled[name])


def _find_id(source: Source, form: Form, lower: dict[str, str]) -> str:
    if form.id == NUMBERED:
        return NUMBERED
    found = _find(source, form, "id", lower)
    if found is None:
        raise CorollaryError(
            f"{source.path} has no column that is known to hold the ids of the items ({', '.join(COMMON['id'])}); "
            f"name it: pass id='COLUMN', or pass id='{NUMBERED}' to number the rows. {_columns_of(source)}"
        )
    return found


def _find(source: Source, form: Form, what: str, lower: dict[str, str]) -> str | None:
    asked: str | None = getattr(form, what)
    if asked == NONE:
        return None
    if asked is not None:
        _check_there(source, asked, f"for the {what}")
        return asked
    return next((lower[name] for name in COMMON[what] if name in lower), None)


def _check_there(source: Source, name: str, purpose: str) -> None:
    if name not in source.columns:
        hint = nearest(name, source.columns) or "."
        raise CorollaryError(
            f"{source.path} has no column {name!r} {purpose}{hint} {_columns_of(source)}"
        )


def _columns_of(source: Source) -> str:
    return f"Its columns are: {_listed(source.columns)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


#: Returns the answers about an item of the campaign; None if there is no such item.
Answers = Callable[[str], Mapping[str, bool] | None]
LISTED = 5  # the number of problems that a message lists
ENOUGH = 100  # the rest of a file is not checked after this many problems


@dataclass
class Import:
    """A checked file: the number of its items, its labels, and notes for the reader."""

    n_items: int
    facts: list[Fact]
    _items: Callable[[], Iterator[Item]] = field(repr=False)
    columns: Columns | None = None
    notes: list[str] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """Return the items, read from the file again."""
        return self._items()


class Problems:
    """The problems of a file, collected to be reported together."""

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
            first = f", the first {LISTED}" if len(self._found) > LISTED else ""
            lines = "\n  ".join(self._found[:LISTED])
            raise CorollaryError(
                f"{self._path} has {len(self._found)} {more}problems{first}:\n  {lines}\nNothing was imported"
            )
