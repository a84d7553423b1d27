"""Does the promise hold: label until the forecast says that the target is reached, then look at the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..learning.session.session import Session
from ..logic.errors import CorollaryError
from .data.datasets import Dataset
from .simulation import PerRound, check_settings, round_size


@dataclass(frozen=True, slots=True)
class Check:
    """What a forecast said after some questions, and what was so; accuracies are shares of items that are all right."""

    asked: int
    low: float
    accuracy: float
    high: float
    true: float
    questions: int
    questions_interval: tuple[int, int]

    @property
    def inside(self) -> bool:
        """Whether the truth lies in the interval."""
        return self.low <= self.true <= self.high


@dataclass(frozen=True, slots=True)
class Stopped:
    """A run that ended when the forecast said so: a check before the first question and after every round."""

    target: float
    checks: tuple[Check, ...]

    @property
    def asked(self) -> int:
        """Questions until the stop."""
        return self.checks[-1].asked

    @property
    def held(self) -> bool:
        """Whether what was promised is so: at the stop, the target is reached."""
        return self.checks[-1].true >= self.target

    @property
    def needed(self) -> int | None:
        """After how many questions the target was reached first, as it turns out."""
        return next((check.asked for check in self.checks if check.true >= self.target), None)

    @property
    def coverage(self) -> float:
        """How often, along the run, the truth was in the interval."""
        return float(np.mean([check.inside for check in self.checks]))


def label_until_sure(
    dataset: Dataset,
    *,
    target: float = 0.99,
    learner: object = "auto",
    by_chance: float = 0.05,
    per_round: PerRound = "auto",
    start: int | None = None,
    random_state: int = 0,
) -> Stopped:
    """Label the test part until the low end of the forecast's interval is at the target, or nothing is open."""
    if not isinstance(dataset, Dataset):
        raise CorollaryError(f"label_until_sure needs a Dataset, got {dataset!r}; load_dataset('iris') gives one")
    check_settings(per_round=per_round, start=start, until=target, random_state=random_state)
    if start is not None:
        dataset = dataset.with_start(start, seed=random_state)
    facts = np.where(dataset.train[:, None], dataset.Y, np.int8(-1))
    session = Session(
        dataset.onto, dataset.X, learner=learner, facts=facts, by_chance=by_chance, random_state=random_state
    )
    test = np.flatnonzero((facts < 0).any(axis=1))
    checks: list[Check] = []
    asked = 0
    while True:
        session.retrain()
        told = session.forecast(target=target)
        right = float((session.predict()[test] == dataset.Y[test]).all(axis=1).mean())
        interval, questions = told.accuracy_interval, told.questions_interval
        checks.append(Check(asked, interval[0], told.accuracy, interval[1], right, told.questions, questions))
        if told.reached or not session.open:
            return Stopped(target, tuple(checks))
        n = round_size(per_round, asked=asked, cells=len(test) * len(dataset.onto))
        asked += len(session.answer_from(dataset.Y, n).item)
