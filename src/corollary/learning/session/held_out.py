"""Beliefs of each item as they are without what was said of it: only so can what was said be held against them."""

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
from ...logic.ontology import Ontology
from ..features.encoded import Encoded
from ..features.one_thread import one_thread_of_blas
from ..learners.learner import Learner
from ..stopping.calibration import Learnt, learnt
from .core import LOG
from .training import TrainingInput, TrainingResult

Rows = npt.NDArray[np.int64]

#: Parts that the items are divided into, each predicted by a learner that has not seen what was said of it.
PARTS = 3
#: Of items drawn by chance there are more, so that those learners know nearly as much as the one they stand for.
DRAWN_PARTS = 5
#: What was believed before a training counts for this share of the log-odds after it, the learner for the rest; less
#: where people err in a smaller share of their answers than `OFTEN`. Of few answers, some of them wrong and not found
#: out yet, one training is much worse than another; where nobody errs it only delays what is learnt.
BEFORE = 0.5
OFTEN = 0.03


class HeldOutBeliefs:
    """Beliefs of a learner that is taught what was said and is probable; of what it was taught, by one that was not.

    A learner remembers what it was taught: a wrong answer would stand because the learner repeats it. What was believed
    before counts, too: it knows nothing of what was said of an item either.
    """

    def __init__(self, learner: Learner, X: Any, *, n_items: int, random_state: int):
        self._X = X
        self._learners = Learners(learner, n_items, random_state=random_state)
        self._last: Floats | None = None

    def __call__(self, wanted: TrainingInput) -> TrainingResult:
        testimony = wanted.testimony
        assert testimony is not None
        facts = wanted.facts.copy()
        rows = testimony.rows
        taught = facts
        if len(rows):
            before = np.broadcast_to(0.5, facts.shape) if self._last is None else self._last
            taught = facts.copy()
            taught[rows] = testimony.believed(before, facts, rows)
        # Checked before they are mixed: a nan would stay, and what is beyond 0 and 1 would pass for 0 and 1.
        beliefs = self._learners.beliefs(self._X, taught, facts, rows)
        wanted.onto.check_beliefs(beliefs)
        if self._last is not None:
            share = BEFORE * min(1.0, testimony.errors / OFTEN)
            beliefs = expit(share * log_odds(self._last) + (1.0 - share) * log_odds(beliefs))
        self._last = beliefs
        return TrainingResult(beliefs)


class Learners:
    """A learner, and one for each part of the items, which is not taught what was said of these."""

    def __init__(self, learner: Learner, n_items: int, *, random_state: int, parts: int = PARTS):
        self._learner = learner
        self._others = [_another(learner) for _ in range(parts)]
        self._part = np.random.default_rng([random_state, parts]).integers(parts, size=n_items)

    def beliefs(self, X: Any, taught: Facts, sure: Facts, rows: Rows) -> Floats:
        """Beliefs of all items; those of `rows` by a learner that was taught of them only what is sure."""
        beliefs = self._learner.fit(X, taught).predict_proba(X)
        if len(rows):
            beliefs = np.array(beliefs)
            beliefs[rows] = self.held_out(X, taught, sure, rows)
        return beliefs

    def held_out(self, X: Any, taught: Facts, sure: Facts, rows: Rows) -> Floats:
        """Beliefs of `rows` alone, by learners that were taught of them only what is sure."""
        beliefs = np.empty((len(rows), taught.shape[1]))
        for part, other in enumerate(self._others):
            own = self._part[rows] == part
            if own.any():
                without = taught.copy()
                without[rows[own]] = sure[rows[own]]
                beliefs[own] = _predicted(other.fit(X, without), X, rows[own])
        return beliefs


class DrawnFacts:
    """What is held against beliefs where the items known in full from the start were drawn by chance.

    Learners that were not taught what is known of a part of them predict that part: it is as if each had been drawn,
    and asked all of, by them.
    """

    def __init__(
        self,
        learner: Learner,
        X: Any,
        held_out: npt.NDArray[np.bool_] | None,
        *,
        n_items: int,
        random_state: int,
    ):
        self._X = X
        self._held_out = held_out
        # Made now, while the learner has learnt nothing.
        self._learners: Learners | None = Learners(
            learner, n_items, random_state=random_state, parts=DRAWN_PARTS
        )
        self._found: Learnt | None = None

    def learnt(self, onto: Ontology, known: Facts, rows: Rows) -> Learnt:
        """What those items, `rows`, tell; found once, and it takes as many trainings as there are parts."""
        if self._learners is not None:
            LOG.info(
                "what is known of %s items is held against learners not taught it", f"{len(rows):,}"
            )
            nothing = np.full(known.shape, -1, np.int8)
            given = nothing.copy()
            given[rows] = known[rows]
            taught = (
                given if self._held_out is None else np.where(self._held_out, np.int8(-1), given)
            )
            with one_thread_of_blas:
                beliefs = self._learners.held_out(self._X, taught, nothing, rows)
            drawn = np.ones(len(rows), np.bool_)
            self._found = learnt(onto, beliefs, nothing[rows], given[rows], drawn=drawn)
            self._learners = None  # they take room
        assert self._found is not None
        return self._found


def _another(learner: Learner) -> Learner:
    """A learner of the same kind that has learnt nothing yet."""
    made: Learner = clone(learner) if isinstance(learner, BaseEstimator) else deepcopy(learner)
    return made


def _predicted(learner: Learner, X: Any, rows: Rows) -> Floats:
    if isinstance(X, np.ndarray | Encoded) or sparse.issparse(X):
        return learner.predict_proba(X[rows])
    return learner.predict_proba(X)[rows]
