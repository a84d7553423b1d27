"""The score `contrast`.

Doubtful predictions, and those with which the nearest neighbours disagree.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..features.neighbours import Flags, Nearest
from ..knowledge import Rows
from .strategy import Situation, Worth

Singles = npt.NDArray[np.float32]

#: The possible weights of the nearest neighbours, and of the nearest known items, beside the
#: learner. AT_FIRST are the weights before the first answer, which count like COUNTS answers. FADES
#: is the weight of an older answer after each training. Chosen by `make bench SUITE=contrast`.
EACH = np.linspace(0.02, 0.98, 25)
SHARES = np.array([(one, other) for one in EACH for other in EACH if one + other < 0.99])
AT_FIRST = np.array([0.2, 0.1])
COUNTS = 10
FADES = 0.8
#: Predictions are cut off at this probability.
SUREST = 0.99
#: Neighbours count as far as they agree with the item's known labels; below this, none counts.
LEAST = 1e-6


class Before(NamedTuple):
    """Predictions, known labels and answers of all items after the last training.

    `near` are the nearest neighbours of each item, and the nearest known ones.
    """

    predicted: Singles
    known: Facts
    answered: Facts
    near: tuple[Rows, Rows]


class FindNearest(Protocol):
    """Finds the nearest neighbours of items."""

    def __call__(self) -> Nearest:
        """Return the nearest neighbours of each item."""
        ...

    def among(self, known: Flags, /) -> Rows:
        """Return the nearest known items of each item."""
        ...


class Contrast:
    """The learner's expected surprise about an answer, if the nearest neighbours are weighed too.

    q is the posterior of a cell. r is the mean posterior of the ten nearest neighbours, and u that
    of the ten nearest fully known items. A question is worth the cross-entropy of m = (1 - s - t) q
    + s r + t u and q: -m log q - (1 - m) log(1 - q). If q, r and u agree, this is the entropy of q,
    which is the score `posterior`. It is larger if the learner is sure and known items nearby
    disagree. So it finds errors of a sure learner that cannot fit its training data, even if all
    neighbours have the same error and known items are farther away. The shares s and t are those
    under which m would have predicted the answers best; recent answers count more.
    """

    def __init__(self, neighbours: FindNearest):
        self._neighbours = neighbours
        self._before: Before | None = None
        self._fit = np.zeros(len(SHARES))  # log-likelihood of the answers, by shares

    @property
    def shares(self) -> Floats:
        """The weights of nearest neighbours, and of nearest known items, now."""
        parts, at_first = (
            np.column_stack([of, 1.0 - of.sum(axis=1)]) for of in (SHARES, AT_FIRST[None])
        )
        prior = COUNTS * (np.log(parts) * at_first).sum(axis=1)
        return np.asarray(SHARES[np.argmax(self._fit + prior)])

    def worth(self, now: Situation, /) -> Worth:
        """Return the worth of questions, as a function of rows and their known labels."""
        if self._before is not None:
            self._fit = FADES * self._fit + log_likelihood(self._before, now.answered)
        complete = now.complete(now.known)
        near = (
            self._neighbours().items,
            self._neighbours.among(np.asarray((complete >= 0).all(axis=1))),
        )
        every = now.posterior(np.arange(len(complete)), now.known).astype(np.float32)
        self._before = Before(every, complete, now.answered.copy(), near)
        shares = self.shares

        def worth(rows: Rows, known: Facts) -> Floats:
            expected = predicted = now.posterior(rows, known)
            for share, items in zip(shares, near, strict=True):
                by_them = mean_of_neighbours(
                    every, items[rows], now.complete(known), otherwise=predicted
                )
                expected = expected + share * (by_them - predicted)
            return surprise(expected, predicted)

        return worth


def log_likelihood(before: Before, answered: Facts) -> Floats:
    """Return the log-likelihood of the answers since then, for all possible weights of neighbours."""
    new = (answered >= 0) & (before.answered < 0)
    rows = np.flatnonzero(new.any(axis=1))
    own = np.asarray(before.predicted[rows], np.float64)
    by_them = [
        mean_of_neighbours(before.predicted, near[rows], before.known[rows], otherwise=own)
        for near in before.near
    ]
    yes = answered[rows] == 1
    said = [
        np.where(yes, one, 1.0 - one)[new[rows]].clip(1.0 - SUREST, SUREST)
        for one in (*by_them, own)
    ]
    shares = np.column_stack([SHARES, 1.0 - SHARES.sum(axis=1)])
    return np.asarray(sum(np.log(shares @ part).sum(axis=1) for part in _parts(np.array(said))))


def _parts(said: Floats) -> list[Floats]:
    """Split the columns, to save memory."""
    return np.array_split(said, 1 + said.shape[1] // 10_000, axis=1)


def mean_of_neighbours(
    every: npt.NDArray[np.floating], near: Rows, known: Facts, *, otherwise: Floats
) -> Floats:
    """Return the weighted mean of the rows of `every` over the items `near` each, (n, m).

    A neighbour's weight is the probability it gives to the `known` labels, (n, K). If all of them
    contradict these labels, the result is `otherwise`.
    """
    total = np.zeros(len(known))
    by_them = np.zeros(known.shape)
    for items in near.T:
        theirs = np.asarray(every[items], np.float64)
        agreement = np.where(known < 0, 1.0, np.where(known == 1, theirs, 1.0 - theirs)).prod(
            axis=1
        )
        total += agreement
        by_them += agreement[:, None] * theirs
    return np.where(total[:, None] > LEAST, by_them / np.maximum(total, LEAST)[:, None], otherwise)


def surprise(expected: Floats, predicted: Floats) -> Floats:
    """Return -e log p - (1-e) log(1-p).

    The surprise of a prediction p if e is expected, in nats.
    """
    p = np.clip(predicted, 1.0 - SUREST, SUREST)
    return np.asarray(-(expected * np.log(p) + (1.0 - expected) * np.log1p(-p)))
