"""Beliefs about each item from a learner that was not trained on it, so that its answers can be checked."""

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

#: The items are divided into this number of parts. Each part is predicted by a learner that was not
#: trained on its answers.
PARTS = 3
#: Items drawn at random have more parts, so that these learners know nearly as much as the full one.
DRAWN_PARTS = 5
#: The beliefs before a training keep this share of the log-odds after it. The share is less if
#: people err in a smaller share of their answers than `OFTEN`. With few answers, some of them wrong,
#: single trainings differ much. If nobody errs, old beliefs only delay learning.
BEFORE = 0.5
OFTEN = 0.03


class HeldOutBeliefs:
    """Trains a learner on probable answers; answered items are predicted by learners that hold them out.

    A learner repeats its training data, so a wrong answer would confirm itself. The beliefs before
    the training count, too, because they ignore the new answers.
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
        learnt_from = facts
        if len(rows):
            before = np.broadcast_to(0.5, facts.shape) if self._last is None else self._last
            learnt_from = facts.copy()
            learnt_from[rows] = testimony.probable(before, facts, rows)
        # Check before mixing: a nan would stay, and values beyond 0 and 1 would pass for 0 and 1.
        beliefs = self._learners.beliefs(self._X, learnt_from, facts, rows)
        wanted.onto.check_beliefs(beliefs)
        if self._last is not None:
            share = BEFORE * min(1.0, testimony.errors / OFTEN)
            beliefs = expit(share * log_odds(self._last) + (1.0 - share) * log_odds(beliefs))
        self._last = beliefs
        return TrainingResult(beliefs)


class Learners:
    """A learner, and one for each part of the items that is not trained on the part's answers."""

    def __init__(self, learner: Learner, n_items: int, *, random_state: int, parts: int = PARTS):
        self._learner = learner
        self._others = [_another(learner) for _ in range(parts)]
        self._part = np.random.default_rng([random_state, parts]).integers(parts, size=n_items)

    def beliefs(self, X: Any, facts: Facts, sure: Facts, rows: Rows) -> Floats:
        """Return beliefs about all items; for `rows`, from learners that saw only their `sure` facts."""
        beliefs = self._learner.fit(X, facts).predict_proba(X)
        if len(rows):
            beliefs = np.array(beliefs)
            beliefs[rows] = self.held_out(X, facts, sure, rows)
        return beliefs

    def held_out(self, X: Any, facts: Facts, sure: Facts, rows: Rows) -> Floats:
        """Return beliefs about `rows` alone, from learners that saw only their `sure` facts."""
        beliefs = np.empty((len(rows), facts.shape[1]))
        for part, other in enumerate(self._others):
            own = self._part[rows] == part
            if own.any():
                without = facts.copy()
                without[rows[own]] = sure[rows[own]]
                beliefs[own] = _predicted(other.fit(X, without), X, rows[own])
        return beliefs


class DrawnFacts:
    """Validates a learner on items that were fully known from the start and drawn at random.

    Each part of them is predicted by a learner that was not trained on it. That is as if the
    learner had drawn these items, and all their labels had been asked.
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
        # Made now, before the learner is fitted.
        self._learners: Learners | None = Learners(
            learner, n_items, random_state=random_state, parts=DRAWN_PARTS
        )
        self._found: Learnt | None = None

    def learnt(self, onto: Ontology, known: Facts, rows: Rows) -> Learnt:
        """Compare predictions with the facts of `rows`, once; this trains once for each part."""
        if self._learners is not None:
            LOG.info("validating the learner on %s known items", f"{len(rows):,}")
            nothing = np.full(known.shape, -1, np.int8)
            given = nothing.copy()
            given[rows] = known[rows]
            facts = (
                given if self._held_out is None else np.where(self._held_out, np.int8(-1), given)
            )
            with one_thread_of_blas:
                beliefs = self._learners.held_out(self._X, facts, nothing, rows)
            drawn = np.ones(len(rows), np.bool_)
            self._found = learnt(onto, beliefs, nothing[rows], given[rows], drawn=drawn)
            self._learners = None  # frees memory
        assert self._found is not None
        return self._found


def _another(learner: Learner) -> Learner:
    """Return an unfitted learner of the same kind."""
    made: Learner = clone(learner) if isinstance(learner, BaseEstimator) else deepcopy(learner)
    return made


def _predicted(learner: Learner, X: Any, rows: Rows) -> Floats:
    if isinstance(X, np.ndarray | Encoded) or sparse.issparse(X):
        return learner.predict_proba(X[rows])
    return learner.predict_proba(X)[rows]
