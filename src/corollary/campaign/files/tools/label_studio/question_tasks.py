"""Label Studio's JSON with a task for each question: those that are open, the best first; answers in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .....learning.choosing.scores import score
from ....items import Item
from ....live.next_question import sentence
from ..formats import Record
from .item_tasks import data_of, is_task, json_list, model_version, score_of
from .item_tasks import read as read_tasks
from .tasks import JOIN, NO, YES, choices_result, label_of

if TYPE_CHECKING:
    from ...exports.provenance import Snapshot

#: The most questions in a file. The model changes long before all of them are answered.
QUESTIONS_UP_TO = 10_000


def recognise(one: Any) -> bool:
    """Whether an object is a task about one question."""
    return is_task(one) and label_of(one) is not None


def read(path: Path) -> Iterator[Record]:
    """Yield the answers of each annotation, also of tasks about whole items."""
    return read_tasks(path)


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield the best question of each item with an open label, the best first.

    The worth of a question is in the data, where the Data Manager can sort by it. It is also the score
    of the prediction, in which the best question has the lowest score.
    """
    onto = snapshot.onto
    worth = score("posterior", snapshot.beliefs, onto, snapshot.facts)
    best = worth.argmax(axis=1) if len(onto) else np.zeros(len(worth), np.int64)
    of_best = worth[np.arange(len(worth)), best]
    order = [i for i in np.argsort(-of_best, kind="stable").tolist() if np.isfinite(of_best[i])][
        :QUESTIONS_UP_TO
    ]
    version = model_version(snapshot)
    posterior = (
        onto.posterior(snapshot.beliefs[order], snapshot.facts[order])
        if order
        else np.zeros((0, len(onto)))
    )

    def tasks() -> Iterator[dict[str, Any]]:
        for n, i in enumerate(order):
            k = int(best[i])
            asked = sentence(snapshot.items[i], onto.labels[k], snapshot.settings, snapshot.called)
            task = question_task(snapshot.items[i], onto.labels[k], asked, float(of_best[i]))
            if predictions and snapshot.model is not None:
                answer = choices_result([YES if posterior[n, k] >= 0.5 else NO], name="answer")
                one = {
                    "model_version": version,
                    "score": score_of(float(of_best[i])),
                    "result": [answer],
                }
                task["predictions"] = [one]
            yield task

    yield from json_list(tasks())


def question_task(item: Item, label: str, asked: str, worth: float) -> dict[str, Any]:
    """Return a task that asks one question."""
    about = {
        "label": label,
        "question": asked,
        "key": f"{item.id}{JOIN}{label}",
        "gain": round(worth, 6),
    }
    return {"data": data_of(item) | about}
