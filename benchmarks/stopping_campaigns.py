"""Campaigns of suite `stopping`: three people answer in turn, and a lead looks after every training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import corollary as co
from corollary.campaign.live.drafts import Fact
from corollary.campaign.progress.outlook import forecast_now
from corollary.experiment.simulation import round_size

from .until_sure import Check, Stopped

if TYPE_CHECKING:
    from .stopping_runs import Run

PEOPLE = ("first", "second", "third")
#: Answers between two trainings, at least.
LEAST = 10


def run_campaign(run: Run, dataset: co.Dataset) -> Stopped:
    """A campaign with the settings it has by itself, until its forecast promises the target.

    A question is what one person is asked at once, be it yes or no or which it is. Accuracy is of all items that it
    has, those known at the start among them, as it is on its page.
    """
    if run.start is not None:
        dataset = dataset.with_start(run.start, seed=run.seed)
    settings = {
        "learner": run.learner,
        "seed": run.seed,
        "retrain_every": 10**6,
    }  # trained here, after each round
    if isinstance(dataset.X[0], str):
        settings["encoder"] = "auto"
    with TemporaryDirectory() as folder:
        campaign = co.Campaign.create(
            Path(folder) / "campaign.sqlite",
            items(dataset),
            dataset.onto,
            name=run.data,
            settings=settings,
            facts=facts(dataset),
        )
        try:
            return _until_sure(campaign, dataset)
        finally:
            campaign.close()


def _until_sure(campaign: co.Campaign, dataset: co.Dataset) -> Stopped:
    for name in PEOPLE:
        campaign.invite(name)
    checks: list[Check] = []
    asked = 0
    while True:
        campaign.retrain(wait=True)
        told, session = forecast_now(campaign.state), campaign.state.session
        labelling = campaign.state.onto.most_probable(session.beliefs, session.known)
        right = float((labelling == dataset.Y).all(axis=1).mean())
        (low, high), questions = told.accuracy_interval, told.questions_interval
        checks.append(
            Check(asked, low, told.accuracy, high, right, told.questions, questions, told.promised)
        )
        if told.reached:
            return Stopped(told.target, tuple(checks))
        more = answer(
            campaign, dataset, max(LEAST, round_size("auto", asked=asked, cells=dataset.Y.size))
        )
        if not more:
            return Stopped(told.target, tuple(checks))
        asked += more


def answer(campaign: co.Campaign, dataset: co.Dataset, n: int) -> int:
    """Let people answer so many questions in turn, all right; how many there were."""
    answered = 0
    for turn in range(n):
        who = PEOPLE[turn % len(PEOPLE)]
        for asking in campaign.next(who, 1):
            true = dataset.Y[int(asking.item.id)]
            value: Any = [dataset.onto.labels[k] for k in np.flatnonzero(true)]
            if asking.label is not None:
                value = bool(true[dataset.onto.index[asking.label]])
            campaign.answer(who, asking.item.id, asking.label, value, lease=asking.id)
            answered += 1
    return answered


def items(dataset: co.Dataset) -> Iterable[dict[str, Any]]:
    """The items as a campaign takes them: texts, or a field for each number."""
    for i, row in enumerate(dataset.X):
        told = (
            {"text": row}
            if isinstance(row, str)
            else {f"f{j}": float(value) for j, value in enumerate(row)}
        )
        yield {"id": str(i), **told}


def facts(dataset: co.Dataset) -> Iterable[Fact]:
    """All labels of what is known at the start."""
    for i in np.flatnonzero(dataset.train).tolist():
        yield from (
            (str(i), label, bool(dataset.Y[i, k])) for k, label in enumerate(dataset.onto.labels)
        )
