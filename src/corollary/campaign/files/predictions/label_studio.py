"""The predictions in Label Studio's tasks: what one version of a model picked, with its score where it has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ....logic.errors import CorollaryError
from ..tools.json_objects import objects_in
from ..tools.label_studio.tasks import item_of, label_of, said_in


class Picked(NamedTuple):
    """What a prediction says of an item, and where it stands; an error where it cannot be read."""

    place: str
    item: str
    said: dict[str, float]


def has_predictions(one: Mapping[str, Any]) -> bool:
    """Whether an object of a file is a task that may have predictions."""
    return isinstance(one.get("data"), dict) and isinstance(one.get("predictions"), list)


def versions_in(path: Path) -> list[str]:
    """The versions of models that a file has predictions of, in order."""
    found = (_version(one) for _, task in objects_in(path) for one in _predictions(task))
    return list(dict.fromkeys(found))


def picked_in(path: Path, version: str) -> Iterator[Picked | tuple[str, CorollaryError]]:
    """What the predictions of a version say, task by task, or the place and what is wrong there.

    A label that was picked has the score of its result, if that is a probability, else 1; the score of a whole
    prediction is none of a label's, and says nothing.
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
