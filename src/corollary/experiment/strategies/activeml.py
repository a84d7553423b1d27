"""Scikit-activeml's own query strategies as rankings, where they run: they know one class an item."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...learning.choosing.strategy import Situation
from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from .batches import Batch, points_of, untouched
from .forms import Ints, in_order

NAMES = ("activeml-margin", "activeml-core-set", "activeml-typiclust", "activeml-badge")


class OfActiveml:
    """A strategy of scikit-activeml; it is told the items, their classes, and what our learner believes of these.

    An item's class is its labelling. Those that look at probabilities (margin, BADGE) run where the labels are one
    choice: the classes are then the labels that can be the narrowest, and none of them.
    """

    def __init__(self, name: str, batch: Batch):
        self._name, self._batch = name, batch
        self._points: Floats | None = None

    def __call__(self, now: Situation) -> Ints:
        if self._points is None:
            self._points = points_of(now.X, seed=now.seed[0])
        waiting = np.flatnonzero(untouched(now))
        n = min(self._batch(int((now.answered >= 0).sum())), len(waiting))
        if not n:
            return np.zeros(len(now.known), np.int64)
        settled = np.asarray((now.known >= 0).all(axis=1))
        classes = np.full(len(settled), np.nan)
        classes[settled] = np.unique(now.known[settled], axis=0, return_inverse=True)[1].ravel()
        told = {"X": self._points, "y": classes, "candidates": waiting, "batch_size": n}
        strategy = _make(self._name, seed=int(np.random.default_rng(now.seed).integers(2**31)))
        if self._name in ("activeml-margin", "activeml-badge"):
            told |= {"clf": _believing(self._points, class_beliefs(now), waiting), "fit_clf": False}
        return in_order(np.asarray(strategy.query(**told), np.int64), len(settled))


def class_beliefs(now: Situation) -> Floats:
    """The probability of each class of each item, (N, n), where the labels are one choice."""
    posterior = now.posterior(np.arange(len(now.known)), now.known)
    if len(now.onto.choices) != 1 or len(now.onto.choices[0].settles) < len(now.onto):
        raise CorollaryError(
            "scikit-activeml's margin and BADGE know one class an item: they run where one label is picked of all; "
            "core-set and TypiClust of scikit-activeml run on any ontology"
        )
    (choice,) = now.onto.choices
    classes = choice.narrowest(posterior)[:, choice.final]
    classes = np.column_stack([classes, np.clip(1.0 - classes.sum(axis=1), 0.0, 1.0)])
    return np.asarray(classes / classes.sum(axis=1, keepdims=True))


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
