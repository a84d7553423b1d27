"""Label Studio's tasks, annotations and results, as its API, its exports and its webhooks have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .....logic.errors import CorollaryError

YES = "Yes"
NO = "No"
CANT_TELL = "Can't tell"
SAID = {YES: True, NO: False, CANT_TELL: None}
#: The keys of the item's id in a task's data, then in its meta; else the task's own id is used.
IDS = ("item", "key", "item_id", "id")
TEXTS = ("text", "title", "name", "sentence", "content", "body")
#: The keys in our own tasks that people do not read.
OURS = ("item", "key", "label", "question", "gain")
PICKED = ("choices", "taxonomy")
JOIN = "|"  # between item and label in the key of a question


class Said(NamedTuple):
    """The labels of an annotation: picked from a list, or the answer about one."""

    labels: dict[str, bool]
    unsure: tuple[str, ...] = ()
    listed: bool = True


def item_of(task: Mapping[str, Any]) -> str:
    """Return the id of a task's item."""
    data = _object(task.get("data"))
    meta = _object(task.get("meta"))
    found = next(
        (place[name] for place in (data, meta) for name in IDS if _is_id(place.get(name))),
        task.get("id"),
    )
    if not _is_id(found):
        raise CorollaryError(
            f"a task without an id: neither data nor meta has {', '.join(IDS)}, nor has the task itself an id"
        )
    label = label_of(task)
    return str(found).removesuffix(f"{JOIN}{label}") if label is not None else str(found)


def label_of(task: Mapping[str, Any]) -> str | None:
    """Return the label that a task asks about; None for the whole item."""
    data = _object(task.get("data"))
    label = data.get("label")
    return label if isinstance(label, str) and isinstance(data.get("question"), str) else None


def text_of(task: Mapping[str, Any]) -> str | None:
    """Return the text that people read."""
    data = _object(task.get("data"))
    return next((data[name] for name in TEXTS if isinstance(data.get(name), str)), None)


def fields_of(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other data that a task shows."""
    data = _object(task.get("data"))
    shown = next((name for name in TEXTS if isinstance(data.get(name), str)), None)
    return {
        name: value for name, value in data.items() if name not in (*OURS, "id", "item_id", shown)
    }


def who_of(annotation: Mapping[str, Any]) -> str | None:
    """Return Label Studio's number of the annotator; None if it is not given."""
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("id") or who.get("email")
    if isinstance(who, bool) or not isinstance(who, int | str) or not str(who).strip():
        return None
    return f"label-studio-{who}" if isinstance(who, int) or who.isdecimal() else who


def said_in(annotation: Mapping[str, Any], label: str | None) -> Said:
    """Return the labels of an annotation; `label` is the one that its task asks about, if any."""
    if annotation.get("was_cancelled"):
        return Said({}, listed=False)
    picked = dict.fromkeys(name for names in _picked(annotation) for name in names)
    if label is None:
        return Said(dict.fromkeys(picked, True))
    words = [name for name in picked if name in SAID]
    if not words:
        return Said({}, listed=False)
    if len(words) > 1:
        raise CorollaryError(
            f"the question about {label!r} was answered by {' and '.join(words)}; it needs one"
        )
    value = SAID[words[0]]
    return Said({}, (label,), listed=False) if value is None else Said({label: value}, listed=False)


def _picked(annotation: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the choices of each result; other kinds (spans, ratings, texts) are skipped."""
    results = annotation.get("result")
    for one in results if isinstance(results, list) else ():
        if not isinstance(one, Mapping) or one.get("type") not in PICKED:
            continue
        found = _object(one.get("value")).get(one["type"])
        if not isinstance(found, list):
            raise CorollaryError(
                f"a result of the type {one['type']} has no list of what was picked: {str(one)[:80]}"
            )
        for names in found:
            way = names if isinstance(names, list) else [names]
            if not all(isinstance(name, str) for name in way):
                raise CorollaryError(
                    f"what was picked must be named by texts, got {str(names)[:80]}"
                )
            yield way


def choices_result(labels: list[str], *, name: str = "labels", to: str = "text") -> dict[str, Any]:
    """Return a result that picks labels from a list."""
    return {"from_name": name, "to_name": to, "type": "choices", "value": {"choices": labels}}


def taxonomy_result(
    paths: list[list[str]], *, name: str = "labels", to: str = "text"
) -> dict[str, Any]:
    """Return a result that picks labels from a tree, each with its path."""
    return {"from_name": name, "to_name": to, "type": "taxonomy", "value": {"taxonomy": paths}}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and str(value).strip() != ""
