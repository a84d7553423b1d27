"""Predictions for Label Studio's tasks: the most probable legal labels, and a score to order tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .....logic.compiled.posterior import binary_entropy
from .....logic.engines import Facts, Floats
from .....logic.errors import CorollaryError
from .....logic.ontology import Ontology
from ....campaign import Campaign
from ....state.beliefs import UNDECIDED
from .answers import Task
from .config import Control
from .item_tasks import deepest_ways, score_of, version_name, ways_by_label
from .tasks import NO, YES, choices_result, taxonomy_result

ANSWERS = {YES, NO}


@dataclass(frozen=True)
class View:
    """The known labels and predictions of some items; `informed` are those with a model's prediction."""

    onto: Ontology
    version: str
    known: Facts
    posterior: Floats
    entropy: Floats
    likely: Facts
    informed: Any

    def yes(self, i: int) -> list[str]:
        """Return the most probable labels of a row, or the known ones without a model's prediction."""
        row = self.likely[i] if self.informed[i] else self.known[i]
        return [self.onto.labels[k] for k in np.flatnonzero(row == 1).tolist()]


def model_name(campaign: Campaign) -> str:
    """Return the version of the predictions; it changes with the model and the ontology."""
    campaign.progress()  # takes a newly trained model into use
    with campaign.lock:
        model = campaign.state.model
        return version_name(0 if model is None else int(model.value), campaign.state.version)


def predict(
    campaign: Campaign, tasks: Sequence[Task | CorollaryError], controls: Sequence[Control]
) -> list[dict[str, Any]]:
    """Return a prediction for each task, in order; tasks that could not be read get an empty one.

    The lower the score, the more an answer is worth. It follows the entropy of the question, or for
    a whole item of all labels.
    """
    version = model_name(campaign)
    fine = [task for task in tasks if isinstance(task, Task)]
    view = look_at(campaign, [task.item for task in fine], version)
    rows = iter(range(len(fine)))
    return [
        _prediction(view, next(rows), task, controls)
        if isinstance(task, Task)
        else {"model_version": version, "score": 1.0, "result": []}
        for task in tasks
    ]


def look_at(campaign: Campaign, items: Sequence[str], version: str) -> View:
    """Return a view of some items; people wait only during the copying."""
    with campaign.lock:
        state = campaign.state
        rows = [state.row(item) for item in items]
        onto = state.onto
        model = state.model
        known = state.facts[rows].copy()
        beliefs = state.session.beliefs[rows].copy()
    if not rows:
        none = np.zeros((0, len(onto)))
        return View(
            onto,
            version,
            known,
            none,
            none[:, 0] if len(onto) else np.zeros(0),
            known,
            np.zeros(0, np.bool_),
        )
    found = onto.infer(beliefs, known, propagated=True)
    likely = onto.most_probable(beliefs, known)
    informed = (beliefs != UNDECIDED).any(axis=1) & (model is not None)
    return View(onto, version, known, found.posterior, found.joint_entropy, likely, informed)


def _prediction(view: View, i: int, task: Task, controls: Sequence[Control]) -> dict[str, Any]:
    if task.label is not None:
        return _answer(view, i, task.label, controls)
    yes = view.yes(i)
    results = [one for control in controls if (one := _pick(control, yes, view, i)) is not None]
    return {
        "model_version": view.version,
        "score": score_of(float(view.entropy[i])),
        "result": results,
    }


def _answer(view: View, i: int, label: str, controls: Sequence[Control]) -> dict[str, Any]:
    """Return the prediction of a question, with an answer if it is known or predicted."""
    if label not in view.onto:
        return {"model_version": view.version, "score": 1.0, "result": []}
    k = view.onto.index[label]
    worth = (
        float(binary_entropy(view.posterior[i : i + 1, k])[0]) if view.known[i, k] < 0 else -np.inf
    )
    has_answer = bool(view.informed[i]) or view.known[i, k] >= 0
    control = next((one for one in controls if one.values.keys() >= ANSWERS), None)
    result = []
    if has_answer and control is not None:
        value = view.likely[i, k] if view.informed[i] else view.known[i, k]
        result = [choices_result([YES if value == 1 else NO], name=control.name, to=control.to)]
    return {"model_version": view.version, "score": score_of(worth), "result": result}


def _pick(control: Control, yes: Sequence[str], view: View, i: int) -> dict[str, Any] | None:
    """Return the result of a control for the labels that are yes; None if it has none of them."""
    chosen = set(yes)
    if control.kind == "taxonomy":
        ways: dict[str, list[list[str]]] = {}
        for way in control.ways:
            if chosen.issuperset(name for name in way if name in view.onto) and way[-1] in chosen:
                ways.setdefault(way[-1], []).append(list(way))
        paths = deepest_ways([label for label in yes if label in ways], ways)
        return taxonomy_result(paths, name=control.name, to=control.to) if paths else None
    labels = [label for label in control.values if label in chosen]
    if control.single and labels:
        labels = [
            max(
                labels,
                key=lambda label: (
                    _depth(view.onto, label),
                    view.posterior[i, view.onto.index[label]],
                ),
            )
        ]
    return choices_result(labels, name=control.name, to=control.to) if labels else None


def _depth(onto: Ontology, label: str) -> int:
    """Return the number of labels that a label implies, itself included."""
    return sum(onto.propagate({label: True}).values())


def labelling_controls(controls: Sequence[Control], onto: Ontology) -> list[Control]:
    """Return the controls of a config with labels of the ontology, or with yes and no."""
    return [
        one
        for one in controls
        if one.values.keys() >= ANSWERS or any(label in onto for label in one.values)
    ]


def default_controls(onto: Ontology) -> list[Control]:
    """Return the controls of our own configs, for a server that does not send its config."""
    ways = tuple(tuple(way) for found in ways_by_label(onto).values() for way in found)
    return [
        Control("labels", "text", "taxonomy", ways),
        Control("answer", "text", "choices", ((YES,), (NO,)), single=True),
    ]
