"""Label Studio's JSON with a task for each item: annotations in; tasks, annotations and predictions out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....logic.errors import CorollaryError
from ....items import UNSEEN, Item
from ..formats import Record
from ..json_objects import objects_in
from .config import ways_of
from .tasks import Said, fields_of, item_of, label_of, said_in, taxonomy_result, text_of, who_of

if TYPE_CHECKING:
    from .....logic.ontology import Ontology
    from ...exports.provenance import Cell, Snapshot


def recognise(one: Any) -> bool:
    """Whether an object is a task about a whole item."""
    return is_task(one) and label_of(one) is None


def is_task(one: Any) -> bool:
    """Whether an object is a task of Label Studio."""
    return isinstance(one, Mapping) and isinstance(one.get("data"), Mapping)


def read(path: Path) -> Iterator[Record]:
    """Yield the labels of each annotation; a task without one is an item without labels."""
    for place, task in objects_in(path):
        try:
            yield from records_of(task, place)
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {place}: {error}") from None


def records_of(task: Mapping[str, Any], place: str) -> Iterator[Record]:
    """Yield the records of a task, about a whole item or one question."""
    if not is_task(task):
        raise CorollaryError('this is no task of Label Studio: it has no object "data"')
    if task.get("id") is not None:
        place = f"task {task['id']}"
    annotations = task.get("annotations") or task.get("completions") or []
    if not isinstance(annotations, list) or not all(
        isinstance(one, Mapping) for one in annotations
    ):
        raise CorollaryError('"annotations" must be a list of objects')
    said: list[tuple[str | None, Said]] = [
        (who_of(one), said_in(one, label_of(task))) for one in annotations
    ]
    item = item_of(task)
    text = text_of(task)
    fields = fields_of(task)
    for who, one in said or [(None, Said({}, listed=False))]:
        yield Record(place, item, one.labels, text, fields, who, one.listed, one.unsure)


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield tasks with known labels as an annotation, and with `predictions` a prediction.

    An item without known labels has no annotation. If some labels are open, the known ones come as a
    prediction that people can complete. The lower the score of a prediction, the more an answer is
    worth.
    """
    ways = ways_by_label(snapshot.onto)
    version = model_version(snapshot)
    worth = (
        snapshot.onto.joint_entropy(snapshot.beliefs, snapshot.facts) if len(snapshot.items) else ()
    )
    rows = zip(snapshot.rows(predictions=predictions), worth, strict=True)
    yield from json_list(
        _task(item, cells, ways, version, score_of(float(one))) for (item, _, cells), one in rows
    )


def _task(
    item: Item, cells: list[Cell], ways: Mapping[str, list[list[str]]], version: str, score: float
) -> dict[str, Any]:
    yes = [cell.label for cell in cells if cell.value]
    task: dict[str, Any] = {"data": data_of(item)}
    if all(cell.settled for cell in cells):
        task["annotations"] = [{"result": [taxonomy_result(deepest_ways(yes, ways))]}]
    elif yes:
        result = [taxonomy_result(deepest_ways(yes, ways))]
        task["predictions"] = [{"model_version": version, "score": score, "result": result}]
    return task


def data_of(item: Item) -> dict[str, Any]:
    """Return the data of a task: the item's contents and id."""
    shown = {name: value for name, value in item.fields.items() if name not in UNSEEN}
    return {"item": item.id, "text": item.text or item.id, **shown}


def ways_by_label(onto: Ontology) -> dict[str, list[list[str]]]:
    """Return all paths to each label in the tree of a config."""
    found: dict[str, list[list[str]]] = {}
    for way in ways_of(onto):
        found.setdefault(way[-1], []).append(list(way))
    return found


def deepest_ways(yes: Iterable[str], ways: Mapping[str, list[list[str]]]) -> list[list[str]]:
    """Return the paths to labels that are not on the path to another one."""
    chosen = [way for label in yes for way in ways.get(label, [[label]])]
    passed = {tuple(way[:n]) for way in chosen for n in range(1, len(way))}
    return [way for way in chosen if tuple(way) not in passed]


def model_version(snapshot: Snapshot) -> str:
    """Return the version of a prediction: its model and ontology."""
    return version_name(
        0 if snapshot.model is None else int(snapshot.model.value), snapshot.version
    )


def version_name(model: int, ontology: int) -> str:
    """Return the version of a prediction: its model and ontology."""
    return f"corollary-model-{model}-ontology-{ontology}"


def score_of(worth: float) -> float:
    """Return a score from 0 to 1 for the worth of an answer; the lower, the more it is worth."""
    return 1.0 if worth == float("-inf") else 1.0 / (1.0 + max(worth, 0.0))


def json_list(values: Iterable[Any]) -> Iterator[str]:
    """Yield a list as JSON, value by value."""
    mark = "["
    for value in values:
        yield f"{mark}\n{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        mark = ","
    yield "\n]\n" if mark == "," else "[]\n"
