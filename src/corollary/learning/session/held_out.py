"""Beliefs of each item as they are without what was said of it: only so can they tell wrong answers from right ones."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from ...logic.compiled.posterior import log_odds
from ...logic.engines import Facts, Floats
from ..features.encoded import Encoded
from ..knowledge import Knowledge
from ..learners.learner import Learner
from .training import taught_of

#: Parts that the items are divided into, each predicted by a learner that has not seen what was said of it.
PARTS = 3
#: What was believed before a training counts for this share of the log-odds after it, the learner for the rest; less
#: where people err in a smaller share of their answers than `OFTEN`. Of few answers, some of them wrong and not found
#: out yet, one training is much worse than another; where nobody errs it only delays what is learnt.
BEFORE, OFTEN = 0.5, 0.03


class HeldOutBeliefs:
    """Beliefs of a learner that is taught what was said and is probable; of what it was taught, by one that was not.

    A learner remembers what it was taught: a wrong answer would stand because the learner repeats it. What was believed
    before counts, too: it knows nothing of what was said of an item either.
    """

    def __init__(
        self, learner: Learner, X: Any, untaught: npt.NDArray[np.bool_] | None, *, n_items: int, random_state: int
    ):
        self._X, self._untaught = X, untaught
        self._learners = Learners(learner, n_items, random_state=random_state)
        self._last: Floats | None = None

    def __call__(self, known: Knowledge) -> Floats:
        testimony = known.testimony
        assert testimony is not None
        facts, rows = taught_of(known, self._untaught), testimony.rows
        taught = facts
        if len(rows):
            before = np.broadcast_to(0.5, facts.shape) if self._last is None else self._last
            taught = facts.copy()
            taught[rows] = testimony.believed(before, facts, rows)
        # Checked before they are mixed: a nan would stay, and what is beyond 0 and 1 would pass for 0 and 1.
        beliefs = self._learners.beliefs(self._X, taught, facts, rows)
        known.onto.check_beliefs(beliefs)
        if self._last is not None:
            share = BEFORE * min(1.0, testimony.errors / OFTEN)
            beliefs = expit(share * log_odds(self._last) + (1.0 - share) * log_odds(beliefs))
        self._last = beliefs
        return beliefs


class Learners:
    """A learner, and one for each part of the items, which is not taught what was said of these."""

    def __init__(self, learner: Learner, n_items: int, *, random_state: int):
        self._learner = learner
        self._others = [_another(learner) for _ in range(PARTS)]
        self._part = np.random.default_rng([random_state, PARTS]).integers(PARTS, size=n_items)

    def beliefs(self, X: Any, taught: Facts, sure: Facts, rows: npt.NDArray[np.int64]) -> Floats:
        """Beliefs of all items; those of `rows` by a learner that was taught of them only what is sure."""
        beliefs = self._learner.fit(X, taught).predict_proba(X)
        if len(rows):
            beliefs = np.array(beliefs)
        for part, other in enumerate(self._others):
            own = rows[self._part[rows] == part]
            if len(own):
                without = taught.copy()
                without[own] = sure[own]
                beliefs[own] = _predicted(other.fit(X, without), X, own)
        return beliefs


def _another(learner: Learner) -> Learner:
    """A learner of the same kind that has learnt nothing yet."""
    made: Learner = clone(learner) if isinstance(learner, BaseEstimator) else deepcopy(learner)
    return made


def _predicted(learner: Learner, X: Any, rows: npt.NDArray[np.int64]) -> Floats:
    if isinstance(X, np.ndarray | Encoded) or sparse.issparse(X):
        return learner.predict_proba(X[rows])
    return learner.predict_proba(X)[rows]
