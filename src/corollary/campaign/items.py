"""The things to label: an identifier with text, fields of a record or a picture, and the features of many of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..logic.errors import CorollaryError
from .events import storable, to_json

if TYPE_CHECKING:
    from ..logic.engines import Floats

LONGEST_ID = 500  # characters; ids are indexed and part of addresses
VECTOR = "vector"  # the field that holds an embedding made elsewhere
LARGEST = 1e150  # a number that can be learnt from: its square is still a number; as learning.columns has it
UNSEEN = (VECTOR, "_prodigy")  # fields that nobody reads: numbers, and another tool's marks to be given back to it
SIDE = 16  # pixels of a picture that has no vector
MIME_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; `data` is None where its bytes were left in the store."""

    name: str
    mime: str
    data: bytes | None = field(repr=False, default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.mime, str) or self.mime not in MIME_TYPES:  # SVG can carry scripts
            raise CorollaryError(f"the picture {self.name!r} is {self.mime!r}; it must be {', '.join(MIME_TYPES)}")
        if not isinstance(self.name, str) or not storable(self.name):
            raise CorollaryError(f"the picture's name {self.name!a} has characters that cannot be stored")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to label."""

    id: str
    text: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    image: Picture | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id.strip():
            raise CorollaryError(f"an item's id must be a text that is not empty, got {self.id!r}")
        if len(self.id) > LONGEST_ID:
            raise CorollaryError(f"the item's id {self.id[:40]!r}... is longer than {LONGEST_ID} characters")
        if self.text is not None and not isinstance(self.text, str):
            raise CorollaryError(f"the text of item {self.id!r} must be text, got {self.text!r}")
        if not storable(self.id) or not storable(self.text or ""):
            raise CorollaryError(f"item {self.id!a} has a NUL or half a character; such text cannot be stored")
        if not isinstance(self.image, Picture | None):
            raise CorollaryError(f"the image of item {self.id!r} must be a Picture, got {self.image!r}")
        if not isinstance(self.fields, dict) or not all(isinstance(name, str) for name in self.fields):
            raise CorollaryError(f"the fields of item {self.id!r} must be a dict by name, got {self.fields!r}")
        if not self.fields:
            return
        for name, value in self.fields.items():
            if isinstance(value, int | float) and abs(value) > LARGEST:
                raise CorollaryError(f"the field {name!r} of item {self.id!r} is a number beyond {LARGEST:g}")
        try:
            to_json(self.fields)
        except CorollaryError as error:
            raise CorollaryError(f"the fields of item {self.id!r}: {error}") from None


#: An item, or its text, or a record: an "id", a "text" if there is one, and what else is known of it.
Thing = Item | str | Mapping[str, Any]


def as_items(things: Iterable[Thing]) -> Iterator[Item]:
    """Items from what people have at hand; a bare text gets its number, from 1, as its id."""
    try:
        listed = None if isinstance(things, str | bytes | Mapping) else iter(things)
    except TypeError:
        listed = None
    if listed is None:
        raise CorollaryError(f"items must be a list of them, one for each thing to label, got {things!r}")
    for number, thing in enumerate(listed, start=1):
        if isinstance(thing, Item):
            yield thing
        elif isinstance(thing, str):
            yield Item(str(number), thing)
        elif isinstance(thing, Mapping) and "id" in thing:
            yield Item(thing["id"], thing.get("text"), {k: v for k, v in thing.items() if k not in ("id", "text")})
        else:
            raise CorollaryError(
                f"item {number} must be an Item, a text, or a dict with an 'id' and perhaps a 'text', got {thing!r}"
            )


def features_of(items: Sequence[Item]) -> Any:
    """The features of the items, one row each: their text, their fields, their vectors, else the pictures' pixels.

    A field called "vector", a list of numbers, is an embedding made elsewhere and is taken as it is. Pictures
    without vectors are seen as 16 x 16 pixels, which is little to learn from: a FeaturesWarning says so.
    """
    from scipy import sparse

    from ..learning.features import default_features

    if not items:
        raise CorollaryError("there are no items to make features of")
    blocks: list[Any] = []
    texts = [(item.text or "").strip() for item in items]
    records = [{name: value for name, value in item.fields.items() if name not in UNSEEN} for item in items]
    if any(texts):
        blocks.append(default_features(texts)[0])
    if any(records):
        blocks.append(default_features(records)[0])
    if any(VECTOR in item.fields for item in items):
        blocks.append(_vectors(items))
    elif any(item.image for item in items):
        blocks.append(_pixels(items))
    if not blocks:
        raise CorollaryError("the items have no text, no fields and no pictures: there is nothing to learn from")
    if any(sparse.issparse(block) for block in blocks):
        return sparse.hstack([sparse.csr_matrix(block) for block in blocks], format="csr", dtype=np.float64)
    return np.hstack(blocks)


def _vectors(items: Sequence[Item]) -> Floats:
    width = None
    rows = []
    for item in items:
        vector = item.fields.get(VECTOR)
        if not isinstance(vector, list) or not all(_is_number(value) for value in vector):
            raise CorollaryError(f"item {item.id!r}: the field {VECTOR!r} must be a list of numbers, none too large")
        width = len(vector) if width is None else width
        if len(vector) != width or not width:
            raise CorollaryError(f"item {item.id!r} has a vector of {len(vector)} numbers, the first item of {width}")
        rows.append(vector)
    return np.array(rows, np.float64)


def _pixels(items: Sequence[Item]) -> Floats:
    """Red, green and blue of a small copy, and a column that marks the items without a picture."""
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise CorollaryError(
            f"to learn from pictures give each item a field {VECTOR!r} with numbers from a model of your choice, "
            "or install Pillow to learn from their pixels: pip install pillow"
        ) from error
    from ..learning.columns import FeaturesWarning

    warnings.warn(
        f"pictures without a field {VECTOR!r} are seen as {SIDE} x {SIDE} pixels, which is little to learn from",
        FeaturesWarning,
        stacklevel=3,
    )
    X = np.zeros((len(items), 3 * SIDE * SIDE + 1))
    for i, item in enumerate(items):
        if item.image is None:
            X[i, -1] = 1.0
            continue
        if item.image.data is None:
            raise CorollaryError(f"the picture of item {item.id!r} was left in the store: read with images=True")
        try:
            with Image.open(BytesIO(item.image.data)) as picture:
                small = picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise CorollaryError(f"the picture of item {item.id!r} cannot be read: {error}") from None
        X[i, :-1] = np.asarray(small, np.float64).ravel() / 255
    return X


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
