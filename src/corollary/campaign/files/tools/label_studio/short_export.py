"""Label Studio's short export, JSON_MIN: one object for each annotation, with the task's data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .....logic.errors import CorollaryError
from ..formats import Record
from ..json_objects import objects_in
from .tasks import OURS, PICKED, TEXTS, fields_of, item_of, label_of, said_in, text_of, who_of

#: The keys about the annotation itself.
ABOUT = ("annotation_id", "annotator", "created_at", "updated_at", "lead_time", "agreement")
SHOWN = (*TEXTS, "image", "audio", "video", "html", "url")


def recognise(one: Any) -> bool:
    """Whether an object is one of such an export."""
    return isinstance(one, Mapping) and "annotation_id" in one and "data" not in one


def read(path: Path) -> Iterator[Record]:
    """Yield the labels of each annotation."""
    for place, one in objects_in(path):
        try:
            yield _record(one, place)
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {place}: {error}") from None


def _record(one: Mapping[str, Any], place: str) -> Record:
    picked = _picked(one)
    data = {name: value for name, value in one.items() if name not in (*ABOUT, *picked)}
    task = {"id": one.get("id"), "data": data}
    said = said_in(
        {"result": [result for results in picked.values() for result in results]}, label_of(task)
    )
    place = f"task {one['id']}" if one.get("id") is not None else place
    who = who_of({"completed_by": one.get("annotator")})
    return Record(
        place,
        item_of(task),
        said.labels,
        text_of(task),
        fields_of(task),
        who,
        said.listed,
        said.unsure,
    )


def _picked(one: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the picks as results, by the name of the control.

    A single choice is a plain text, like the data. The export writes the data first, then the task's
    id, then the picks. So a text counts if it comes after the id, under a key that is not in the data.
    """
    names = list(one)
    after = names.index("id") + 1 if "id" in names else 0
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names[after:]:
        value = one[name]
        if isinstance(value, str) and name not in (*ABOUT, *SHOWN, *OURS):
            found[name] = [{"type": "choices", "value": {"choices": [value]}}]
            continue
        parts = value if isinstance(value, list) else [value]
        results = [
            {"type": kind, "value": {kind: part[kind]}}
            for part in parts
            if isinstance(part, Mapping)
            for kind in PICKED
            if kind in part
        ]
        if results and name not in ABOUT:
            found[name] = results
    return found
