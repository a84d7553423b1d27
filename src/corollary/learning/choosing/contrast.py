"""The score `contrast`: where a prediction is in doubt, or where items like this one speak against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..features.likeness import Alike
from ..knowledge import Rows
from .strategy import Situation, Worth

Singles = npt.NDArray[np.float32]

#: How far items alike may be heard, beside the learner; how far they are before the first answer, which counts like so
#: many answers; and what an answer counts after each training. Chosen by `make bench SUITE=contrast`.
SHARES = np.linspace(0.02, 0.98, 25)
HEARD, COUNTS, FADES = 0.3, 10, 0.8
#: Of what it predicts nobody is surer than this.
SUREST = 0.99
#: Items like one are heard as far as they agree with what is known of it; if all of them agree less, none is.
LEAST = 1e-6


class Before(NamedTuple):
    """What was believed of all items after the last training, what was known, and what had been answered."""

    believed: Singles
    known: Facts
    answered: Facts


class Contrast:
    """How much the answer is expected to surprise whoever believes the learner, if items alike are heard, too.

    q is the posterior of a cell and r the mean of what is known, or else believed, of the ten items most like this one.
    A question is worth the cross-entropy of m = (1 - s) q + s r and q: -m log q - (1 - m) log(1 - q). Where r and q are
    the same, that is the entropy of q, which is the score `posterior`; where a learner is sure, and what is known
    nearby is not so, it is more. That finds what a learner is sure of and wrong about, as one does that cannot bend to
    what it is taught. The share s is the one under which m would have foretold the answers best, the last ones first.
    """

    def __init__(self, alike: Callable[[], Alike | None]):
        self._alike = alike
        self._before: Before | None = None
        self._foretold = np.zeros(len(SHARES))  # log-likelihood of the answers, by share

    @property
    def share(self) -> float:
        """How far items alike are heard now."""
        prior = COUNTS * (HEARD * np.log(SHARES) + (1.0 - HEARD) * np.log1p(-SHARES))
        return float(SHARES[np.argmax(self._foretold + prior)])

    def worth(self, now: Situation, /) -> Worth:
        """What each question is worth, as a function of rows and of what is known of them."""
        found = self._alike()
        assert found is not None
        near = found.items
        if self._before is not None:
            self._foretold = FADES * self._foretold + foretold(self._before, near, now.answered)
        everything = np.arange(len(now.known))
        every = now.posterior(everything, now.known).astype(np.float32)
        self._before = Before(every, now.complete(now.known), now.answered.copy())
        share = self.share

        def worth(rows: Rows, known: Facts) -> Floats:
            believed = now.posterior(rows, known)
            heard = of_those_alike(every, near[rows], now.complete(known), otherwise=believed)
            return surprise(believed + share * (heard - believed), believed)

        return worth


def foretold(before: Before, near: Rows, answered: Facts) -> Floats:
    """The log-likelihood of the answers since, for each share by which items alike could have been heard."""
    new = (answered >= 0) & (before.answered < 0)
    rows = np.flatnonzero(new.any(axis=1))
    own = np.asarray(before.believed[rows], np.float64)
    heard = of_those_alike(before.believed, near[rows], before.known[rows], otherwise=own)
    yes = answered[rows] == 1
    by_self, by_others = (
        np.where(yes, said, 1.0 - said)[new[rows]].clip(1.0 - SUREST, SUREST) for said in (own, heard)
    )
    return np.asarray(np.log(np.outer(1.0 - SHARES, by_self) + np.outer(SHARES, by_others)).sum(axis=1))


def of_those_alike(every: npt.NDArray[np.floating], near: Rows, known: Facts, *, otherwise: Floats) -> Floats:
    """The mean of what `every` item's row says over the items `near` each, (n, m), as far as these may be the same.

    Each counts by how probable it makes what is `known`, (n, K); where all of them contradict it, `otherwise` stands.
    """
    total, heard = np.zeros(len(known)), np.zeros(known.shape)
    for items in near.T:
        theirs = np.asarray(every[items], np.float64)
        agreement = np.where(known < 0, 1.0, np.where(known == 1, theirs, 1.0 - theirs)).prod(axis=1)
        total += agreement
        heard += agreement[:, None] * theirs
    return np.where(total[:, None] > LEAST, heard / np.maximum(total, LEAST)[:, None], otherwise)


def surprise(expected: Floats, predicted: Floats) -> Floats:
    """-e log p - (1-e) log(1-p): how much a prediction p is surprised where e is to be expected, in nats."""
    p = np.clip(predicted, 1.0 - SUREST, SUREST)
    return np.asarray(-(expected * np.log(p) + (1.0 - expected) * np.log1p(-p)))
