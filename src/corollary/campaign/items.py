"""The items to label, with text, fields or a picture, and their features."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..logic.errors import CorollaryError
from .events import storable, to_json
from .vectors import VECTOR, SameVectors, is_vector, matrix_of, packed, unpacked

if TYPE_CHECKING:
    from ..logic.engines import Floats

LONGEST_ID = 500  # characters; ids are indexed and part of addresses
UNSEEN = (
    VECTOR,
    "_prodigy",
)  # fields that nobody reads: numbers, and another tool's marks to be given back to it
SIDE = 16  # pixels of a picture that has no vector
LARGEST = 1e150  # a number that can be learnt from: its square is still a number; as learning.columns has it
MIME_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; `data` is None if its bytes were left in the store."""

    name: str
    mime: str
    data: bytes | None = field(repr=False, default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.mime, str) or self.mime not in MIME_TYPES:  # SVG can carry scripts
            raise CorollaryError(
                f"the picture {self.name!r} is {self.mime!r}; it must be {', '.join(MIME_TYPES)}"
            )
        if not isinstance(self.name, str) or not storable(self.name):
            raise CorollaryError(
                f"the picture's name {self.name!a} has characters that cannot be stored"
            )


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to label.

    Parameters
    ----------
    id
        Its unique identifier.
    text
        The text that people read.
    fields
        Other data by name. The field "vector" is an embedding, and is not shown.
    image
        Its picture.
    """

    id: str
    text: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    image: Picture | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id.strip():
            raise CorollaryError(f"an item's id must be a text that is not empty, got {self.id!r}")
        if len(self.id) > LONGEST_ID:
            raise CorollaryError(
                f"the item's id {self.id[:40]!r}... is longer than {LONGEST_ID} characters"
            )
        if self.text is not None and not isinstance(self.text, str):
            raise CorollaryError(f"the text of item {self.id!r} must be text, got {self.text!r}")
        if not storable(self.id) or not storable(self.text or ""):
            raise CorollaryError(
                f"item {self.id!a} has a NUL or half a character; such text cannot be stored"
            )
        if not isinstance(self.image, Picture | None):
            raise CorollaryError(
                f"the image of item {self.id!r} must be a Picture, got {self.image!r}"
            )
        if not isinstance(self.fields, dict) or not all(
            isinstance(name, str) for name in self.fields
        ):
            raise CorollaryError(
                f"the fields of item {self.id!r} must be a dict by name, got {self.fields!r}"
            )
        if not self.fields:
            return
        try:
            to_json(without_vector(self.fields))
        except CorollaryError as error:
            raise CorollaryError(f"the fields of item {self.id!r}: {error}") from None


def as_stored(item: Item) -> Item:
    """Return the item with its vector in single precision, as the store keeps it."""
    fields = without_vector(item.fields)
    if fields is item.fields:
        return item
    return replace(item, fields=fields | {VECTOR: unpacked(packed(item.fields[VECTOR]))})


def without_vector(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an item without its vector."""
    if VECTOR not in fields or not is_vector(fields[VECTOR]):
        return fields
    return {name: value for name, value in fields.items() if name != VECTOR}


#: An item, a text, or a dict with an "id", perhaps a "text", and other fields.
Thing = Item | str | Mapping[str, Any]


def as_items(things: Iterable[Thing]) -> Iterator[Item]:
    """Yield items from items, texts and dicts; the id of a plain text is its number, from 1."""
    try:
        listed = None if isinstance(things, str | bytes | Mapping) else iter(things)
    except TypeError:
        listed = None
    if listed is None:
        raise CorollaryError(
            f"items must be a list of them, one for each thing to label, got {things!r}"
        )
    for number, thing in enumerate(listed, start=1):
        if isinstance(thing, Item):
            yield thing
        elif isinstance(thing, str):
            yield Item(str(number), thing)
        elif isinstance(thing, Mapping) and "id" in thing:
            yield Item(
                thing["id"],
                thing.get("text"),
                {k: v for k, v in thing.items() if k not in ("id", "text")},
            )
        else:
            raise CorollaryError(
                f"item {number} must be an Item, a text, or a dict with an 'id' and perhaps a 'text', got {thing!r}"
            )


def check_alike(items: Iterable[Item], vectors: SameVectors) -> Iterator[Item]:
    """Yield the items; raise CorollaryError at the first whose vector does not fit the others."""
    for item in items:
        try:
            vectors.check(item.fields.get(VECTOR))
        except CorollaryError as error:
            raise CorollaryError(f"item {item.id!r}: {error}") from None
        yield item


def features_of(items: Sequence[Item]) -> Any:
    """Return the features of the items, one row each: text, fields, and vectors or else pixels.

    A field called "vector", a list of numbers, is an embedding that is used unchanged. Pictures
    without vectors become 16 x 16 pixels, with a FeaturesWarning, because that is little to learn
    from. Parts may be missing. A picture that cannot be read counts as missing, with a warning.
    """
    from scipy import sparse

    from ..learning.features.tables_and_text import default_features

    if not items:
        raise CorollaryError("there are no items to make features of")
    blocks: list[Any] = []
    texts = [(item.text or "").strip() for item in items]
    records = _records(items)
    if any(texts):
        blocks.append(default_features(texts)[0])
    if _tell_something(records):
        blocks.append(default_features(records)[0])
    blocks += vectors_of(items) or pixels_of(items, needed=not blocks)
    if not blocks:
        raise CorollaryError(
            "the items have no text, no fields and no pictures: there is nothing to learn from"
        )
    if any(sparse.issparse(block) for block in blocks):
        return sparse.hstack(
            [sparse.csr_matrix(block) for block in blocks], format="csr", dtype=np.float64
        )
    return np.hstack(blocks)


def texts_and_fields(items: Sequence[Item]) -> tuple[list[str], list[Any]]:
    """Return the text of each item with its fields of text, and a matrix of the other fields."""
    from ..learning.features.tables_and_text import default_features

    columns = _fields_of_text(items)
    records = _records(items)
    parts_of = [
        [item.text, *(_text_of(record.get(name)) for name in columns)]
        for item, record in zip(items, records, strict=True)
    ]
    texts = [
        ". ".join(part.strip() for part in parts if part and part.strip()) for parts in parts_of
    ]
    others = [
        {name: value for name, value in record.items() if name not in columns} for record in records
    ]
    blocks = [default_features(others)[0]] if _tell_something(others) else []
    return texts, blocks


def table_of(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return the text and the fields of each item, without fields that are not shown."""
    texts = [(item.text or "").strip() for item in items]
    return [
        record | ({"text": text} if any(texts) else {})
        for record, text in zip(_records(items), texts, strict=True)
    ]


def shows_something(item: Item) -> bool:
    """Whether an item shows people anything but its id."""
    seen = any(value is not None for name, value in item.fields.items() if name not in UNSEEN)
    return bool((item.text or "").strip()) or seen or item.image is not None


def have_text(items: Iterable[Item]) -> bool:
    """Whether any item has text."""
    from ..learning.features.columns import FeaturesWarning

    listed = [Item(item.id, item.text, item.fields) for item in items]  # without the pictures
    if any((item.text or "").strip() for item in listed):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FeaturesWarning)  # a training reports them
        return bool(_fields_of_text(listed))


def _fields_of_text(items: Sequence[Item]) -> list[str]:
    from ..learning.features.columns import TEXT, kind_of, read_columns

    records = _records(items)
    if not _tell_something(records):
        return []
    return [name for name, column in read_columns(records).items() if kind_of(name, column) == TEXT]


def _records(items: Sequence[Item]) -> list[dict[str, Any]]:
    return [
        {name: _cell(value) for name, value in item.fields.items() if name not in UNSEEN}
        for item in items
    ]


def _tell_something(records: Iterable[dict[str, Any]]) -> bool:
    return any(value is not None for record in records for value in record.values())


def _text_of(value: Any) -> str | None:
    return None if value is None else str(value)


def vectors_of(items: Sequence[Item]) -> list[Floats]:
    """Return a matrix of the items' vectors, in a list; empty if they have none."""
    found = matrix_of([item.fields.get(VECTOR) for item in items])
    return [] if found is None else [found]


def whole_picture(item: Item) -> Picture:
    """Return the picture of an item with its bytes."""
    if item.image is None or item.image.data is None:
        raise CorollaryError(
            f"the picture of item {item.id!r} was left in the store: read with images=True"
        )
    return item.image


def can_be_decoded(picture: Picture) -> bool:
    """Whether a picture can be decoded; True also if Pillow is not installed."""
    try:
        import PIL  # noqa: F401
    except ModuleNotFoundError:
        return True
    return _small(picture) is not None


def _cell(value: Any) -> Any:
    """Return a field as a cell of a table; lists, objects and very large numbers become text."""
    if (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, int | float) and abs(value) <= LARGEST)
    ):
        return value
    return to_json(value)


def pixels_of(items: Sequence[Item], *, needed: bool) -> list[Floats]:
    """Return the pixels of a small copy of each picture, and a column for missing ones, in a list.

    The list is empty if no item has a picture, or if Pillow is missing. Without Pillow it is an error
    if the pictures are `needed`.
    """
    if not any(item.image for item in items):
        return []
    try:
        import PIL  # noqa: F401
    except ModuleNotFoundError as error:
        way_out = (
            f"to learn from pictures, give each item a field {VECTOR!r} with an embedding, "
            "or install Pillow to learn from their pixels: pip install pillow"
        )
        if needed:
            raise CorollaryError(way_out) from error
        _warn(f"the pictures are not learnt from; {way_out}")
        return []
    _warn(
        f"pictures without a field {VECTOR!r} are seen as {SIDE} x {SIDE} pixels, which is little to learn from"
    )
    X = np.zeros((len(items), 3 * SIDE * SIDE + 1))
    broken: list[str] = []
    for i, item in enumerate(items):
        small = None if item.image is None else _small(whole_picture(item))
        if small is None:
            X[i, -1] = 1.0
            broken += [item.id] if item.image is not None else []
        else:
            X[i, :-1] = small
    if broken:
        _warn(tell_broken(broken))
    return [X]


def tell_broken(ids: Sequence[str]) -> str:
    """Return a note on the pictures that cannot be read."""
    one = len(ids) == 1
    which = (
        f"the picture of item {ids[0]!r}"
        if one
        else f"{len(ids):,} pictures, the first of item {ids[0]!r},"
    )
    return f"{which} cannot be read and {'counts' if one else 'count'} as missing"


def _small(picture: Picture) -> Floats | None:
    """Return the colours of a small copy of a picture; None if it cannot be decoded."""
    from PIL import Image

    try:
        with Image.open(BytesIO(picture.data or b"")) as found:
            small = found.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
    except Exception:  # decoders raise many kinds of errors for damaged files
        return None
    return np.asarray(small, np.float64).ravel() / 255


def _warn(message: str) -> None:
    from ..learning.features.columns import FeaturesWarning

    warnings.warn(message, FeaturesWarning, stacklevel=5)
