"""Does the promise hold: label until the forecast says that the target is reached, then look at the truth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import cast

import numpy as np

from corollary.experiment.data.datasets import Dataset
from corollary.experiment.simulation import PerRound, check_settings, round_size
from corollary.learning.choosing.scores import SessionScore
from corollary.learning.question import Question
from corollary.learning.session.hearing import ClashWarning
from corollary.learning.session.options import Annotators, Asking, Reading
from corollary.learning.session.session import Session
from corollary.logic.errors import CorollaryError

#: Whoever gives the answers of a run that has wrong ones.
SOMEONE = "someone"


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
    promised: float = 0.0

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

    @property
    def questions_coverage(self) -> float | None:
        """How often, while more questions were needed, their number was in its interval; None if none ever were."""
        if self.needed is None:
            return None
        inside = [
            check.questions_interval[0] <= self.needed - check.asked <= check.questions_interval[1]
            for check in self.checks
            if check.asked < self.needed
        ]
        return float(np.mean(inside)) if inside else None

    def stop_at(self, target: float) -> Check | None:
        """The check at which a lower target was promised first; None if it was not."""
        return next((check for check in self.checks if check.promised >= target), None)


def label_until_sure(
    dataset: Dataset,
    *,
    target: float = 0.99,
    learner: object = "auto",
    score: SessionScore = "posterior",
    by_chance: float = 0.05,
    facts_by_chance: bool = False,
    wrong: float = 0.0,
    per_round: PerRound = "auto",
    start: int | None = None,
    random_state: int = 0,
) -> Stopped:
    """Label the test part until the forecast promises the target, or nothing is open.

    Without questions by chance nothing is promised: the run then ends where the low end of the interval is at the
    target. With `facts_by_chance` the session is told that the training part was drawn by chance. With a share of
    `wrong` answers it is one that doubts them.
    """
    if not isinstance(dataset, Dataset):
        raise CorollaryError(
            f"label_until_sure needs a Dataset, got {dataset!r}; load_dataset('iris') gives one"
        )
    check_settings(per_round=per_round, start=start, until=target, random_state=random_state)
    if start is not None:
        dataset = dataset.with_start(start, seed=random_state)
    facts = np.where(dataset.train[:, None], dataset.Y, np.int8(-1))
    session = Session(
        dataset.onto,
        dataset.X,
        reading=Reading(meaning=dataset.meaning),
        learner=learner,
        asking=Asking(score=score, share_at_random=by_chance, facts_at_random=facts_by_chance),
        facts=facts,
        annotators=Annotators(fallible=wrong > 0.0),
        random_state=random_state,
    )
    test = np.flatnonzero((facts < 0).any(axis=1))
    rng = np.random.default_rng(random_state)
    checks: list[Check] = []
    asked = 0
    while True:
        session.retrain()
        told = session.forecast(target=target)
        right = float((session.predict()[test] == dataset.Y[test]).all(axis=1).mean())
        (low, high) = told.accuracy_interval
        questions = told.questions_interval
        checks.append(
            Check(asked, low, told.accuracy, high, right, told.questions, questions, told.promised)
        )
        if told.reached or (not by_chance and low >= target) or not session.open:
            return Stopped(target, tuple(checks))
        n = round_size(per_round, asked=asked, cells=len(test) * len(dataset.onto))
        asked += (
            _ask(session, dataset, n, wrong, rng)
            if wrong
            else len(session.answer_from(dataset.Y, n).item)
        )


def _ask(session: Session, dataset: Dataset, n: int, wrong: float, rng: np.random.Generator) -> int:
    """Ask the n best questions one after another, and answer a share of them wrong; how many were asked."""
    asked = 0
    while asked < n and (questions := session.ask(1)):
        question = cast(Question, questions[0])
        true = bool(dataset.Y[cast(int, question.item), session.onto.index[question.label]])
        with warnings.catch_warnings():  # that answers clash is what is tried
            warnings.simplefilter("ignore", ClashWarning)
            session.answer(question, true ^ bool(rng.random() < wrong), who=SOMEONE)
        asked += 1
    return asked
