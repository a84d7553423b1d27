"""The predictions in Label Studio's tasks: the picks of one version of a model, with their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ....logic.errors import CorollaryError
from ..tools.json_objects import objects_in
from ..tools.label_studio.tasks import item_of, label_of, said_in


class Picked(NamedTuple):
    """The predicted labels of an item, and their place in the file."""

    place: str
    item: str
    said: dict[str, float]


def has_predictions(one: Mapping[str, Any]) -> bool:
    """Whether an object of a file is a task that may have predictions."""
    return isinstance(one.get("data"), dict) and isinstance(one.get("predictions"), list)


def versions_in(path: Path) -> list[str]:
    """Return the versions of models with predictions in a file, in order."""
    found = (_version(one) for _, task in objects_in(path) for one in _predictions(task))
    return list(dict.fromkeys(found))


def picked_in(path: Path, version: str) -> Iterator[Picked | tuple[str, CorollaryError]]:
    """Yield the predictions of a version, task by task, or the place and its error.

    The probability of a picked label is the score of its result, or 1 if that is not a probability.
    The score of a whole prediction is not used.
    """
    for place, task in objects_in(path):
        try:
            item = item_of(task)
            asked = label_of(task)
            said: dict[str, float] = {}
            for one in _predictions(task):
                if _version(one) == version:
                    said |= _said(one, asked)
        except CorollaryError as error:
            yield place, error
        else:
            yield Picked(place, item, said)


def _said(prediction: Mapping[str, Any], asked: str | None) -> dict[str, float]:
    found: dict[str, float] = {}
    results = prediction.get("result")
    for result in results if isinstance(results, list) else ():
        score = result.get("score") if isinstance(result, Mapping) else None
        sure = (
            score
            if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
            else 1.0
        )
        for label, value in said_in({"result": [result]}, asked).labels.items():
            found[label] = float(sure) if value else 1.0 - float(sure)
    return found


def _predictions(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = task.get("predictions")
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _version(prediction: Mapping[str, Any]) -> str:
    version = prediction.get("model_version")
    return str(version) if version not in (None, "") else "undefined"
