"""Scikit-activeml's own query strategies, where they run: they know one class an item."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.learning.choosing.strategy import Situation
from corollary.logic.engines import Floats
from corollary.logic.errors import CorollaryError

from .batches import Flags
from .forms import Ints
from .one_class import class_beliefs, classes_of

NAMES = ("activeml-margin", "activeml-core-set", "activeml-typiclust", "activeml-badge")


class OfActiveml:
    """A strategy of scikit-activeml; it is told the items, their classes, and what our learner believes of these.

    Those that look at probabilities (margin, BADGE) run where the labels are one choice: the classes are then the
    labels that can be the narrowest, and none of them.
    """

    def __init__(self, name: str):
        self._name = name

    def __call__(self, now: Situation, points: Floats, candidates: Flags, n: int) -> Ints:
        """The next n, as it orders them."""
        waiting = np.flatnonzero(candidates)
        n = min(n, len(waiting))
        if not n:
            return waiting
        classes = np.full(len(points), np.nan)
        settled = np.flatnonzero((now.known >= 0).all(axis=1))
        classes[settled] = classes_of(now, settled)
        told = {"X": points, "y": classes, "candidates": waiting, "batch_size": n}
        strategy = _make(self._name, seed=int(np.random.default_rng(now.seed).integers(2**31)))
        if self._name in ("activeml-margin", "activeml-badge"):
            told |= {
                "clf": _believing(points, class_beliefs(now, self._name), waiting),
                "fit_clf": False,
            }
        return np.asarray(strategy.query(**told), np.int64)


def _make(name: str, *, seed: int) -> Any:
    try:
        from skactiveml import pool
    except ImportError as error:
        raise CorollaryError(f"{name} is scikit-activeml's: pip install scikit-activeml") from error
    if name == "activeml-margin":
        return pool.UncertaintySampling(method="margin_sampling", random_state=seed)
    kinds = {
        "activeml-core-set": pool.CoreSet,
        "activeml-typiclust": pool.TypiClust,
        "activeml-badge": pool.Badge,
    }
    return kinds[name](random_state=seed)


def _believing(points: Floats, beliefs: Floats, waiting: Ints) -> Any:
    """A classifier of scikit-activeml that says what our learner believes of the very items it was made for.

    It knows items by their features; of those that look alike, one that waits speaks for all.
    """
    from skactiveml.base import SkactivemlClassifier

    place = {points[i].tobytes(): i for i in (*range(len(points)), *waiting.tolist())}

    class Believing(SkactivemlClassifier):  # type: ignore[misc]  # scikit-activeml has no types
        def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002 (it was)
            return self

        def predict_proba(self, X: Any) -> Floats:
            rows = [place[row.tobytes()] for row in np.ascontiguousarray(X)]
            return np.asarray(beliefs[rows])

    made = Believing(classes=list(range(beliefs.shape[1])))
    made.classes_ = np.arange(beliefs.shape[1])
    return made
