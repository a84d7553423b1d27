"""The score `contrast`: where a prediction is in doubt, or where items like this one speak against it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..features.likeness import Alike
from ..knowledge import Rows
from .strategy import Situation, Worth

#: How far the items most like one are heard, beside the learner. Chosen by `make bench SUITE=contrast`.
HEARD = 0.7
#: Of what it predicts no learner is surer than this.
SUREST = 0.99
#: Items like one are heard as far as they agree with what is known of it; if all of them agree less, none is.
LEAST = 1e-6


class Contrast:
    """How much the answer is expected to surprise whoever believes the learner, if items alike are heard, too.

    q is the posterior of a cell and r the mean of what is known, or else believed, of the ten items most like this one.
    A question is worth the cross-entropy of m = (1 - HEARD) q + HEARD r and q: -m log q - (1 - m) log(1 - q). Where r
    and q are the same, that is the entropy of q, which is the score `posterior`; where a learner is sure, and what is
    known nearby is not so, it is more. That finds what a learner is sure of and wrong about, as one does that cannot
    bend to what it is taught.
    """

    def __init__(self, alike: Callable[[], Alike | None]):
        self._alike = alike

    def worth(self, now: Situation, /) -> Worth:
        """What each question is worth, as a function of rows and of what is known of them."""
        found = self._alike()
        assert found is not None
        every = now.posterior(np.arange(len(now.known)), now.known).astype(np.float32)

        def worth(rows: Rows, known: Facts) -> Floats:
            believed = now.posterior(rows, known)
            heard = of_those_alike(every, found.items[rows], now.complete(known), otherwise=believed)
            return surprise(believed + HEARD * (heard - believed), believed)

        return worth


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
