"""How far beliefs can be trusted, before and after: the paper's classifier, its posterior, and the default's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corollary.experiment.data.datasets import Dataset
from corollary.experiment.simulation import surplus_negatives
from corollary.learning.session.options import Experiment
from corollary.learning.session.session import Session
from corollary.logic.engines import Floats


class Trust(NamedTuple):
    """Beliefs by name, and the truth, on the test part (items x labels); `learnt_from` items were known."""

    beliefs: dict[str, Floats]
    truth: npt.NDArray[np.int8]
    learnt_from: int


def before_and_after(dataset: Dataset, *, start: int | None = None, random_state: int = 0) -> Trust:
    """What is believed of the test part before the first question.

    Before: the paper's logistic regressions, one for each label, trained as in the paper. After: the posterior of
    these beliefs, and that of the default learner, whose members are weighed and calibrated by what they predict.
    """
    if start is not None:
        dataset = dataset.with_start(start, seed=random_state)
    test = np.flatnonzero(dataset.test)
    facts = np.where(dataset.train[:, None], dataset.Y, np.int8(-1))
    surplus = surplus_negatives(dataset.Y, dataset.train, np.random.default_rng(random_state))
    alone = Session(
        dataset.onto,
        dataset.X,
        learner="logistic",
        facts=facts,
        asking=Experiment(held_out=surplus),
        random_state=random_state,
    )
    pool = Session(dataset.onto, dataset.X, facts=facts, random_state=random_state)
    beliefs = {
        "before: classifier's beliefs": alone.beliefs[test],
        "after: their posterior": alone.posterior[test],
        "after: default learner's posterior": pool.posterior[test],
    }
    return Trust(beliefs, dataset.Y[test], int(dataset.train.sum()))
