"""Beliefs of each item as they are without what was said of it: only so can they tell wrong answers from right ones."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from ...logic.engines import Floats
from ..features.encoded import Encoded
from ..knowledge import Knowledge
from ..learners.learner import Learner

#: Parts that the items are divided into, each predicted by a learner that has not seen what was said of it.
PARTS = 3


class HeldOutBeliefs:
    """Beliefs of a learner that is taught what was said and is probable; of what it was taught, by one that was not.

    A learner remembers what it was taught: a wrong answer would stand because the learner repeats it.
    """

    def __init__(self, learner: Learner, X: Any, untaught: npt.NDArray[np.bool_], *, random_state: int):
        self._learner, self._X, self._untaught = learner, X, untaught
        self._others = [_another(learner) for _ in range(PARTS)]
        self._part = np.random.default_rng([random_state, PARTS]).integers(PARTS, size=len(untaught))
        self._last: Floats | None = None

    def __call__(self, known: Knowledge) -> Floats:
        testimony = known.testimony
        assert testimony is not None
        facts = np.where(self._untaught & (known.answered < 0), -1, known.known).astype(np.int8)
        rows = testimony.rows
        taught = facts.copy()
        if len(rows):
            before = np.full(facts.shape, 0.5) if self._last is None else self._last
            taught[rows] = testimony.believed(before, facts, rows)
        beliefs = np.array(self._learner.fit(self._X, taught).predict_proba(self._X))
        for part, other in enumerate(self._others):
            own = rows[self._part[rows] == part]
            if len(own):
                without = taught.copy()
                without[own] = facts[own]
                beliefs[own] = _predicted(other.fit(self._X, without), self._X, own)
        self._last = beliefs
        return beliefs


def _another(learner: Learner) -> Learner:
    """A learner of the same kind that has learnt nothing yet."""
    made: Learner = clone(learner) if isinstance(learner, BaseEstimator) else deepcopy(learner)
    return made


def _predicted(learner: Learner, X: Any, rows: npt.NDArray[np.int64]) -> Floats:
    if isinstance(X, np.ndarray | Encoded) or sparse.issparse(X):
        return learner.predict_proba(X[rows])
    return learner.predict_proba(X)[rows]
