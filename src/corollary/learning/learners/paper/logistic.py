"""The paper's learner: one logistic regression for each label, trained with AdaGrad on small random batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator

from ....logic.engines import Facts, Floats
from ....logic.engines.rows import over_rows
from ....logic.errors import CorollaryError
from ...argument_checks import check_choice, check_flag, check_whole, random_of
from ...features.learner_inputs import (
    Learns,
    learn_features,
    same_features,
    untrained_labels,
)
from ...features.matrices import Matrix
from ...features.targets import read_target

# rate, decay and damping of the step: rate (10 + t + 1)^-decay g / sqrt(damping + sum of g² so far)
SCHEDULES = {"paper": (1.0, 0.75, 0.0), "steady": (2.0, 0.0, 0.05)}
ABREAST = 8  # labels that a thread trains at the same time: their weights for a sparse feature fill a cache line


@dataclass(eq=False, repr=False)  # names and defaults of settings are in one place
class Logistic(Learns, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """One logistic regression with a bias for each label, fitted to the cells of the label that are known.

    Each of at most `steps` steps draws `batch` known cells with replacement and takes an AdaGrad
    step along their mean gradient; training ends early after ten steps in a row that move the
    weights by less than 1e-8. There is no penalty. Labels that are known for the same items draw
    the same ones, which makes them faster, unless `balanced`. `schedule="paper"` is the paper's
    step: small, made for many warm-started fits. `"steady"` does not decay and gets further in a
    single fit.

    `balanced`: a fit uses at most as many cells with no as with yes, drawn anew each time. `scale`:
    features are scaled to [-1, 1] by their least and largest value, sparse ones by their largest
    absolute value. Both are taken from all rows of the first fit, known or not. Constant dense
    columns become 0. `warm_start`: a further fit continues from the weights only; AdaGrad's sums
    and the steps start afresh. Labels may be added at the end; they start at 0. Without it every
    fit is the first.

    Labels with one answer or none known are in `untrained_`, with the reason; their belief is (yes
    + 1) / (known + 2).
    """

    _: KW_ONLY
    batch: int = 100
    steps: int = 1000
    schedule: str = "paper"
    balanced: bool = False
    warm_start: bool = True
    scale: bool = True
    random_state: Any = 0

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the known cells of facts y; -1 marks the others. Of one dimension, y holds each item's class."""
        self._check_settings()
        goes_on = self.warm_start and hasattr(self, "weights_")
        matrix = same_features(self, X) if goes_on else learn_features(self, X)
        known = read_target(y, None, matrix.shape[0], who="Logistic").facts
        if not goes_on:
            self._start(matrix, known.shape[1])
        self._make_room(known.shape[1])
        self.untrained_, self._constant = untrained_labels(known)
        self._train(matrix, known)
        self.fits_ += 1
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        matrix = same_features(self, X)
        beliefs = np.asarray(matrix @ self.coef_.T, dtype=np.float64)
        beliefs += self.intercept_
        expit(beliefs, out=beliefs)
        constant = list(self.untrained_)
        beliefs[:, constant] = self._constant[constant]
        return beliefs

    @property
    def coef_(self) -> Floats:
        """Weights, labels x features, in the units of X."""
        coefficients: Floats = self.weights_[:, :-1] * self.scale_
        return coefficients

    @property
    def intercept_(self) -> Floats:
        """The bias of each label, in the units of X."""
        bias: Floats = self.weights_[:, -1] + self.weights_[:, :-1] @ self.offset_
        return bias

    def _check_settings(self) -> None:
        check_choice("schedule", self.schedule, tuple(SCHEDULES))
        check_whole("batch", self.batch, least=1)
        check_whole("steps", self.steps)
        for name in ("balanced", "warm_start", "scale"):
            check_flag(name, getattr(self, name))

    def _start(self, matrix: Matrix, n_labels: int) -> None:
        self.scale_, self.offset_ = _to_unit(matrix) if self.scale else _as_is(matrix)
        self.weights_ = np.zeros(
            (n_labels, self.n_features_in_ + 1)
        )  # of scaled features; the last is the bias
        self.fits_ = 0
        self._seed = int(random_of(self.random_state).randint(2**31))

    def _make_room(self, n_labels: int) -> None:
        more = n_labels - len(self.weights_)
        if more < 0:
            raise CorollaryError(
                f"facts has {n_labels} labels but this Logistic continues from a fit on {len(self.weights_)}; "
                "labels can only be added. Use a new one (sklearn.base.clone) to start afresh"
            )
        if more:
            self.weights_ = np.pad(self.weights_, ((0, more), (0, 0)))

    def _train(self, matrix: Matrix, known: Facts) -> None:
        from .logistic_kernels import fit_dense, fit_sparse

        n_labels = known.shape[1]
        keys = (
            np.random.SeedSequence((self._seed, self.fits_))
            .generate_state(2 * n_labels, np.uint64)
            .reshape(-1, 2)
        )
        labels = [k for k in range(n_labels) if k not in self.untrained_]
        leads = labels if self.balanced else _first_alike(known, labels)
        self.steps_ = np.zeros(n_labels, np.int64)
        settings = bool(self.balanced), int(self.batch), int(self.steps), SCHEDULES[self.schedule]
        kernel: Callable[..., None] = fit_sparse if sparse.issparse(matrix) else fit_dense
        features: tuple[Any, ...] = matrix, self.scale_, self.offset_
        if sparse.issparse(matrix):
            rows = np.flatnonzero((known >= 0).any(axis=1))
            known = known[rows]
            features = _arranged(matrix, self.scale_, rows)
        queue = sorted(zip(leads, labels, strict=True))

        def train(start: int, stop: int) -> None:
            for lead, some in _abreast(queue[start:stop]):
                kernel(
                    *features,
                    known,
                    np.array(some),
                    lead,
                    keys,
                    *settings,
                    self.weights_,
                    self.steps_,
                )

        over_rows(train, len(queue), at_least=1)


def _first_alike(known: Facts, labels: list[int]) -> list[int]:
    """For each label the first that is known for the same items: such labels may draw the same items at each step."""
    first: dict[bytes, int] = {}
    return [first.setdefault((known[:, k] >= 0).tobytes(), k) for k in labels]


def _abreast(queue: list[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    """Labels with the same lead, at most ABREAST of them at a time."""
    for lead, group in groupby(queue, key=itemgetter(0)):
        labels = [label for _, label in group]
        for start in range(0, len(labels), ABREAST):
            yield lead, labels[start : start + ABREAST]


def _arranged(matrix: Matrix, scale: Floats, rows: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    """The rows that are needed, for `fit_sparse`: frequent features side by side, where the cache serves them best."""
    from .logistic_kernels import arrange, count_in_columns

    lengths = np.diff(matrix.indptr)[rows]
    counts = np.zeros(matrix.shape[1], np.int64)
    count_in_columns(matrix.indptr, matrix.indices, rows, counts)
    feature = np.flatnonzero(counts)
    # Numbers of sixteen bits are sorted in linear time; in what order the most frequent stand does not matter.
    feature = feature[
        np.argsort(-np.minimum(counts[feature], 2**15 - 1).astype(np.int16), kind="stable")
    ]
    place = np.empty(matrix.shape[1], np.uint32)
    place[feature] = np.arange(len(feature), dtype=np.uint32)
    n_entries = int(lengths.sum())
    index = np.uint32 if n_entries < 2**32 else np.uint64
    first = np.empty(len(rows) + 1, index)
    ones = np.empty(len(rows), index)
    column = np.empty(n_entries, np.uint32)
    value = np.empty(n_entries)
    arrange(
        matrix.indptr, matrix.indices, matrix.data, scale, rows, place, first, ones, column, value
    )
    return first, ones, column, value, int(lengths.max(initial=0)), feature


def _to_unit(matrix: Matrix) -> tuple[Floats, Floats]:
    """Factor and offset that bring every column to [-1, 1]; sparse columns keep their zeros."""
    if sparse.issparse(matrix):
        from .logistic_kernels import largest_in_columns

        largest = np.zeros(matrix.shape[1])
        largest_in_columns(matrix.indices, matrix.data, largest)
        largest[largest == 0] = 1.0
        return _inverse(largest), np.zeros_like(largest)
    least = matrix.min(axis=0).astype(np.float64)
    largest = matrix.max(axis=0).astype(np.float64)
    factor = _inverse(largest / 2 - least / 2)
    return factor, -(largest / 2 + least / 2) * factor


def _inverse(size: Floats) -> Floats:
    return np.divide(1.0, size, out=np.zeros_like(size), where=size > 1e-300)


def _as_is(matrix: Matrix) -> tuple[Floats, Floats]:
    return np.ones(matrix.shape[1]), np.zeros(matrix.shape[1])
