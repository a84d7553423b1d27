"""How good beliefs are: precision and recall per label, questions to a target, calibration."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..logic.engines.rows import over_rows
from ..logic.errors import CorollaryError
from ..logic.labelled import like_frame

Floats = npt.NDArray[np.float64]

#: Beliefs of 0 and 1 are moved inside by this much before their logarithm is taken.
EDGE = 1e-12


def average_precision(scores: npt.ArrayLike, truth: npt.ArrayLike) -> Floats:
    """The area under the precision-recall curve of each label, (K,); nan for a label without positives.

    The curve is a step function with one point per distinct score: all items of a tie are retrieved at once. With
    that, the area is the mean, over the positive items, of the precision among the items that score at least as high.
    It equals `sklearn.metrics.average_precision_score`, and no order among ties can flatter it.
    """
    return _areas(*_checked(scores, truth))


def _areas(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    areas = np.empty(scores.shape[1])

    def measure(start: int, stop: int) -> None:
        for k in range(start, stop):
            areas[k] = _area(scores[:, k], truth[:, k])

    # Sorting releases the interpreter lock: the labels are shared among threads once there are cells enough.
    over_rows(measure, scores.shape[1], at_least=1 + 8192 // len(scores))
    return areas


def _area(scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
    positives = np.sort(scores[truth])
    if not len(positives):
        return math.nan
    retrieved = len(scores) - np.searchsorted(np.sort(scores), positives)
    found = len(positives) - np.searchsorted(positives, positives)
    return float(np.mean(found / retrieved))


def weighted_auc(scores: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """The paper's average AUC: `average_precision`, weighted by the number of positives in the rows given.

    Labels without positives are left out; nan if that leaves none.
    """
    scores, truth = _checked(scores, truth)
    weights = truth.sum(axis=0)
    positive = weights > 0
    if not positive.any():
        return math.nan
    return float(np.average(_areas(scores, truth)[positive], weights=weights[positive]))


def questions_to(
    asked: npt.ArrayLike, auc: npt.ArrayLike, target: float, *, kept: bool = False
) -> int | None:
    """Return the number of questions when the AUC first reached the target, None if it never did.

    The AUC can fall below the target again, because a training changes the beliefs about open
    cells. With `kept`, return the first point after which it stays at the target.
    """
    asked = np.asarray(asked)
    auc = np.asarray(auc, np.float64)
    if asked.ndim != 1 or asked.shape != auc.shape:
        raise CorollaryError(
            f"asked and auc must be two lists of one length, got shapes {asked.shape} and {auc.shape}"
        )
    there = auc >= target
    if kept:
        there = np.logical_and.accumulate(there[::-1])[::-1]
    reached = np.flatnonzero(there)
    return int(asked[reached[0]]) if len(reached) else None


def log_loss(beliefs: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return the mean of -log(belief in the true value) over all cells, in nats."""
    theta, truth = _checked_beliefs(beliefs, truth)
    return float(-np.mean(np.log(np.clip(np.where(truth, theta, 1 - theta), EDGE, 1))))


def brier_score(beliefs: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """The mean squared difference between belief and truth over all cells."""
    theta, truth = _checked_beliefs(beliefs, truth)
    return float(np.mean((theta - truth) ** 2))


class Reliability(NamedTuple):
    """The points of a reliability curve: of each non-empty bin the mean belief, the share that is true, the cells."""

    belief: Floats
    frequency: Floats
    cells: npt.NDArray[np.int64]


def reliability(beliefs: npt.ArrayLike, truth: npt.ArrayLike, *, bins: int = 10) -> Reliability:
    """Return the share of true cells among those with beliefs of 0 to 10 %, 10 to 20 %, and so on."""
    theta, truth = _checked_beliefs(beliefs, truth)
    if bins < 1:
        raise CorollaryError(f"bins must be at least 1, got {bins}")
    place = np.minimum((theta * bins).astype(np.int64), bins - 1).ravel()
    cells = np.bincount(place, minlength=bins)
    used = cells > 0
    belief = np.bincount(place, theta.ravel(), bins)[used] / cells[used]
    frequency = np.bincount(place, truth.ravel(), bins)[used] / cells[used]
    return Reliability(belief, frequency, cells[used])


def expected_calibration_error(
    beliefs: npt.ArrayLike, truth: npt.ArrayLike, *, bins: int = 10
) -> float:
    """How far beliefs are from what comes true: the mean gap of the `reliability` bins, weighted by their cells."""
    curve = reliability(beliefs, truth, bins=bins)
    return float(np.average(np.abs(curve.belief - curve.frequency), weights=curve.cells))


def _checked(scores: npt.ArrayLike, truth: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Scores and truth of one shape, items x labels, without nan; two frames are matched by name and item id."""
    truth = like_frame("truth", truth, "scores", scores)
    scores = np.asarray(scores, np.float64)
    truth = np.asarray(truth)
    if scores.ndim != 2 or scores.shape != truth.shape:
        raise CorollaryError(
            f"scores and truth must both be items x labels, got shapes {scores.shape} and {truth.shape}"
        )
    if not scores.size:
        raise CorollaryError(
            f"there is nothing to measure: scores and truth have the shape {scores.shape}"
        )
    if truth.dtype != np.bool_:
        bad = (truth != 0) & (truth != 1)
        if bad.any():
            i, k = np.argwhere(bad)[0]
            raise CorollaryError(f"truth must be 0 or 1; item {i}, label {k} has {truth[i, k]}")
        truth = truth.astype(np.bool_)
    if np.isnan(scores).any():
        i, k = np.argwhere(np.isnan(scores))[0]
        raise CorollaryError(f"scores must be numbers; item {i}, label {k} has nan")
    return scores, truth


def _checked_beliefs(
    beliefs: npt.ArrayLike, truth: npt.ArrayLike
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    theta, truth = _checked(beliefs, truth)
    bad = (theta < 0) | (theta > 1)
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise CorollaryError(
            f"beliefs must lie between 0 and 1; item {i}, label {k} has {theta[i, k]}"
        )
    return theta, truth
