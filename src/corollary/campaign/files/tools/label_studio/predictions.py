"""What Label Studio is told of its tasks: the most probable labels that the ontology allows, and in which order."""

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
    """What a campaign knows and believes of some items, at one moment; `informed` are those that a model knows."""

    onto: Ontology
    version: str
    known: Facts
    posterior: Floats
    entropy: Floats
    likely: Facts
    informed: Any

    def yes(self, i: int) -> list[str]:
        """The labels of a row: what is most probable, or where no model has an opinion what is known."""
        row = self.likely[i] if self.informed[i] else self.known[i]
        return [self.onto.labels[k] for k in np.flatnonzero(row == 1).tolist()]


def model_name(campaign: Campaign) -> str:
    """The version of the predictions; it changes when they all may have changed."""
    campaign.progress()  # takes up a model whose training is done
    with campaign.lock:
        model = campaign.state.model
        return version_name(0 if model is None else int(model.value), campaign.state.version)


def predict(
    campaign: Campaign, tasks: Sequence[Task | CorollaryError], controls: Sequence[Control]
) -> list[dict[str, Any]]:
    """A prediction for each task, in order; tasks that could not be understood get one that says nothing.

    The lower the score, the more an answer is worth: of a question its entropy, of a whole item that of all labels.
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
    """Look at some items; people wait only while it is copied."""
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
    """The prediction of a question: its answer, where there is an opinion."""
    if label not in view.onto:
        return {"model_version": view.version, "score": 1.0, "result": []}
    k = view.onto.index[label]
    worth = (
        float(binary_entropy(view.posterior[i : i + 1, k])[0]) if view.known[i, k] < 0 else -np.inf
    )
    told = bool(view.informed[i]) or view.known[i, k] >= 0
    control = next((one for one in controls if one.values.keys() >= ANSWERS), None)
    result = []
    if told and control is not None:
        value = view.likely[i, k] if view.informed[i] else view.known[i, k]
        result = [choices_result([YES if value == 1 else NO], name=control.name, to=control.to)]
    return {"model_version": view.version, "score": score_of(worth), "result": result}


def _pick(control: Control, yes: Sequence[str], view: View, i: int) -> dict[str, Any] | None:
    """What a control would have picked for labels that are yes; None where it has none of them."""
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
    """How much a label tells: how many others it implies."""
    return sum(onto.propagate({label: True}).values())


def labelling_controls(controls: Sequence[Control], onto: Ontology) -> list[Control]:
    """The controls of a config that have to do with the labels of an ontology, or with questions about them."""
    return [
        one
        for one in controls
        if one.values.keys() >= ANSWERS or any(label in onto for label in one.values)
    ]


def default_controls(onto: Ontology) -> list[Control]:
    """The controls of our own configs, for a server that does not tell its."""
    ways = tuple(tuple(way) for found in ways_by_label(onto).values() for way in found)
    return [
        Control("labels", "text", "taxonomy", ways),
        Control("answer", "text", "choices", ((YES,), (NO,)), single=True),
    ]
