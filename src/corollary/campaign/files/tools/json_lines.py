"""Common functions of JSON formats: reading with places, ids and fields of items, writing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ...items import Item
from ...vectors import VECTOR
from .formats import Record
from .json_objects import objects_in

#: The prefix of fields that belong to a tool; they are not shown, and not trained on.
HIDDEN = "_"
NOBODY = ("import", "system")  # names that are no people
#: The object in our own files for data that the format has no place for.
OURS = "corollary"


def records_in(
    path: Path, records_of: Callable[[Mapping[str, Any], str], Iterable[Record]]
) -> Iterator[Record]:
    """Yield the records of each object of a file; errors name the place."""
    for place, one in objects_in(path):
        try:
            yield from records_of(one, place)
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {place}: {error}. Nothing was imported") from None


def json_lines(values: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield one object on each line."""
    for value in values:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def id_in(candidates: Iterable[Any], text: str | None) -> str:
    """Return the first id that is given, else an id that depends on the text alone."""
    for value in candidates:
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise CorollaryError(f"an id must be a text or a whole number, got {str(value)[:40]!r}")
        if value is not None and str(value).strip():
            return str(value).strip()
    if text is None or not text.strip():
        raise CorollaryError("there is neither an id nor a text by which the item is known")
    return f"text-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def text_in(one: Mapping[str, Any], name: str = "text") -> str | None:
    """Return the text; raise CorollaryError if there is none."""
    text = one.get(name)
    if text is not None and not isinstance(text, str):
        raise CorollaryError(f"{name!r} must be text, got {str(text)[:40]!r}")
    return text


def object_in(one: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object inside an object; empty if there is none."""
    found = one.get(name)
    if found is not None and not isinstance(found, Mapping):
        raise CorollaryError(f"{name!r} must be an object in braces, got {str(found)[:40]!r}")
    return found or {}


def names_in(value: Any, what: str) -> list[str]:
    """Return names of labels from a list of texts; empty if there is none."""
    names = [] if value is None else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CorollaryError(f"{what} must be a list of labels, got {str(value)[:60]}")
    return names


def fields_in(values: Mapping[str, Any], *, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields of an item as people read them; lists and objects become JSON."""
    left = (HIDDEN, *without)
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for name, value in values.items()
        if value is not None
        and name not in left
        and not name.startswith(HIDDEN)
        and _is_finite(value)
    }


def fields_of(item: Item, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields that a tool may show, without names that the tool needs itself."""
    left = (VECTOR, *without)
    return {
        name: value
        for name, value in item.fields.items()
        if name not in left and not name.startswith(HIDDEN)
    }


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or isfinite(value)
