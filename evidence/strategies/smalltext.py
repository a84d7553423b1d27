"""Small-text's own query strategies: those that ask a classifier for probabilities and embeddings, and no network."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from corollary.learning.choosing.strategy import Situation
from corollary.logic.engines import Floats
from corollary.logic.errors import CorollaryError

from .batches import Flags
from .forms import Ints
from .one_class import class_beliefs, classes_of

#: Breaking ties, which is margin; greedy core-set; contrastive active learning; and, for items with several labels,
#: category vector inconsistency and ranking of scores.
NAMES = ("smalltext-margin", "smalltext-core-set", "smalltext-contrastive", "smalltext-cvirs")


class OfSmallText:
    """A strategy of small-text; its data set are the rows themselves, of which our learner says what it believes.

    CVIRS is told the labels and their marginals, and runs on any ontology; the others know one class an item. Margin
    and contrastive look at the probabilities of classes and run where the labels are one choice.
    """

    def __init__(self, name: str):
        self._name = name

    def __call__(self, now: Situation, points: Floats, candidates: Flags, n: int) -> Ints:
        """The next n; in order of their margin, else as it returns them."""
        waiting = np.flatnonzero(candidates)
        n = min(n, len(waiting))
        if len(waiting) < 2:  # CVIRS would divide by zero
            return waiting
        settled = np.flatnonzero((now.known >= 0).all(axis=1))
        if not len(settled):
            raise CorollaryError(
                f"{self._name} needs items that are known in full: start from some"
            )
        if self._name == "smalltext-cvirs":
            labels: Any = sparse.csr_matrix(now.known[settled])
            beliefs = now.posterior(np.arange(len(points)), now.known)
        else:
            labels = classes_of(now, settled)
            beliefs = np.empty((len(points), 0))
            if self._name != "smalltext-core-set":
                beliefs = class_beliefs(now, self._name)
        strategy = _make(self._name)
        chosen = strategy.query(
            _Believing(points, beliefs), np.arange(len(points)), waiting, settled, labels, n=n
        )
        if self._name == "smalltext-margin":
            chosen = chosen[np.argsort(strategy.scores_[chosen], kind="stable")]
        return np.asarray(chosen, np.int64)


def _make(name: str) -> Any:
    try:
        from small_text.query_strategies import coresets, multi_label, strategies
    except ImportError as error:
        raise CorollaryError(f"{name} is small-text's: pip install small-text") from error
    if name == "smalltext-margin":
        return strategies.BreakingTies()
    if name == "smalltext-contrastive":
        return strategies.ContrastiveActiveLearning(pbar=None)
    if name == "smalltext-cvirs":
        return multi_label.CategoryVectorInconsistencyAndRanking(pbar=None)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Default distance metric"
        )  # of its default, whatever one passes
        return coresets.GreedyCoreset()


class _Believing:
    """What small-text takes for a classifier: of rows, our points and beliefs."""

    def __init__(self, points: Floats, beliefs: Floats):
        self._points = points
        self._beliefs = beliefs

    def predict_proba(self, rows: Ints) -> Floats:
        return self._beliefs[rows]

    def embed(self, rows: Ints, *, return_proba: bool, pbar: Any) -> tuple[Floats, Floats]:  # noqa: ARG002 (its names)
        return self._points[rows], self._beliefs[rows]
