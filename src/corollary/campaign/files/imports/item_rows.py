"""Items from the rows of a file: ids, texts, fields, vectors and pictures."""

from __future__ import annotations

import datetime
import json
import re
from decimal import Decimal
from math import isfinite
from typing import Any

from ....logic.errors import CorollaryError
from ...items import Item, Picture
from ...vectors import VECTOR
from .file_form import NUMBERED, Columns
from .pictures import make_picture, picture_beside
from .sources import Row, Source

NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?([eE][+-]?\d{1,2})?")  # 007 is a name


def id_of(n: int, row: Row, columns: Columns) -> str:
    """Return the id of a row's item, a text or a whole number."""
    if columns.id == NUMBERED:
        return str(n)
    value = row.values.get(columns.id)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise CorollaryError(
            f"column {columns.id!r}: the id is missing; every item needs one of its own"
        )
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise CorollaryError(
            f"column {columns.id!r}: an id must be a text or a whole number, got {value!r}"
        )
    return str(value).strip()


def item_of(id: str, row: Row, columns: Columns, source: Source, *, load: bool) -> Item:
    """Return the item of a row; without `load`, the bytes of its picture are not read."""
    values = row.values
    fields = {
        name: _plain(values[name], name)
        for name in columns.fields
        if not _is_empty(values.get(name))
    }
    if columns.vector is not None:
        fields[VECTOR] = vector_of(values.get(columns.vector), columns.vector)
    text = None
    if columns.text is not None and not _is_empty(values.get(columns.text)):
        value = _plain(values[columns.text], columns.text)
        text = value if isinstance(value, str) else str(value)
    image = None
    if columns.image is not None and not _is_empty(values.get(columns.image)):
        image = _image_of(id, values[columns.image], columns.image, source, load=load)
    return Item(id, text=text, fields=fields, image=image)


def vector_of(value: Any, column: str) -> list[float]:
    """Return a list of numbers, from a list or from a text with spaces, commas or semicolons."""
    numbers = (
        re.split(r"[\s,;]+", value.strip().strip("[]").strip()) if isinstance(value, str) else value
    )
    try:
        found = [float(number) for number in numbers] if isinstance(numbers, list) else []
    except (TypeError, ValueError, OverflowError):
        found = []
    if not found or not all(map(isfinite, found)):
        raise CorollaryError(
            f"column {column!r}: a vector must be a list of numbers, got {str(value)[:40]!r}"
        )
    return found


def is_number(text: Any) -> bool:
    """Whether a text is a number, or empty."""
    return not text.strip() or NUMBER.fullmatch(text.strip()) is not None


def number_of(text: str) -> float | int | None:
    """Return the number in a text; None if it is empty."""
    text = text.strip()
    if not text:
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _image_of(id: str, value: Any, column: str, source: Source, *, load: bool) -> Picture:
    try:
        if isinstance(value, dict) and isinstance(
            value.get("bytes"), bytes
        ):  # as Hugging Face's data sets have it
            value = value["bytes"]
        if isinstance(value, bytes):
            return make_picture(id, value)
        return picture_beside(source.path, str(value).strip(), load=load)
    except CorollaryError as error:
        raise CorollaryError(
            f"column {column!r}: {error}; if these are no pictures pass image='-'"
        ) from None


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _plain(value: Any, column: str) -> Any:
    """Return a value that people can read and JSON can hold."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Decimal):
        return number if isfinite(number := float(value)) else str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        raise CorollaryError(
            f"column {column!r} holds bytes; pass image= with its name, or ignore= to leave it out"
        )
    return str(value)
