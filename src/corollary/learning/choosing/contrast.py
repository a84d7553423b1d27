"""The score `contrast`: where a prediction is in doubt, or where items like this one speak against it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..features.likeness import Alike, Flags
from ..knowledge import Rows
from .strategy import Situation, Worth

Singles = npt.NDArray[np.float32]

#: How far the items most like one may be heard, and the known ones most like it, beside the learner; how far they are
#: before the first answer, which counts like so many answers; and what an answer counts after each training. Chosen by
#: `make bench SUITE=contrast`.
EACH = np.linspace(0.02, 0.98, 25)
SHARES = np.array([(one, other) for one in EACH for other in EACH if one + other < 0.99])
HEARD = np.array([0.2, 0.1])
COUNTS = 10
FADES = 0.8
#: Of what it predicts nobody is surer than this.
SUREST = 0.99
#: Items like one are heard as far as they agree with what is known of it; if all of them agree less, none is.
LEAST = 1e-6


class Before(NamedTuple):
    """What was believed of all items after the last training, what was known, and what had been answered.

    `near` are the items most like each, and the known ones.
    """

    believed: Singles
    known: Facts
    answered: Facts
    near: tuple[Rows, Rows]


class Likeness(Protocol):
    """Tells which items are alike."""

    def __call__(self) -> Alike:
        """The items most like each."""
        ...

    def among(self, known: Flags, /) -> Rows:
        """Of those that are known, the items most like each."""
        ...


class Contrast:
    """How much the answer is expected to surprise whoever believes the learner, if items alike are heard, too.

    q is the posterior of a cell, r the mean of what is known, or else believed, of the ten items most like this one,
    and u that of the ten most like it of all that are known in full. A question is worth the cross-entropy of
    m = (1 - s - t) q + s r + t u and q: -m log q - (1 - m) log(1 - q). Where all say the same, that is the entropy of
    q, which is the score `posterior`; where a learner is sure, and what is known nearby is not so, it is more. That
    finds what a learner is sure of and wrong about, as one does that cannot bend to what it is taught: also where its
    neighbours are as wrong, and what is known is farther off. The shares s and t are those under which m would have
    foretold the answers best, the last ones first.
    """

    def __init__(self, alike: Likeness):
        self._alike = alike
        self._before: Before | None = None
        self._foretold = np.zeros(len(SHARES))  # log-likelihood of the answers, by shares

    @property
    def shares(self) -> Floats:
        """How far items alike, and known ones, are heard now."""
        parts, at_first = (
            np.column_stack([of, 1.0 - of.sum(axis=1)]) for of in (SHARES, HEARD[None])
        )
        prior = COUNTS * (np.log(parts) * at_first).sum(axis=1)
        return np.asarray(SHARES[np.argmax(self._foretold + prior)])

    def worth(self, now: Situation, /) -> Worth:
        """What each question is worth, as a function of rows and of what is known of them."""
        if self._before is not None:
            self._foretold = FADES * self._foretold + foretold(self._before, now.answered)
        complete = now.complete(now.known)
        near = self._alike().items, self._alike.among(np.asarray((complete >= 0).all(axis=1)))
        every = now.posterior(np.arange(len(complete)), now.known).astype(np.float32)
        self._before = Before(every, complete, now.answered.copy(), near)
        shares = self.shares

        def worth(rows: Rows, known: Facts) -> Floats:
            expected = believed = now.posterior(rows, known)
            for share, items in zip(shares, near, strict=True):
                heard = of_those_alike(every, items[rows], now.complete(known), otherwise=believed)
                expected = expected + share * (heard - believed)
            return surprise(expected, believed)

        return worth


def foretold(before: Before, answered: Facts) -> Floats:
    """The log-likelihood of the answers since, for all shares by which items alike could have been heard."""
    new = (answered >= 0) & (before.answered < 0)
    rows = np.flatnonzero(new.any(axis=1))
    own = np.asarray(before.believed[rows], np.float64)
    heard = [
        of_those_alike(before.believed, near[rows], before.known[rows], otherwise=own)
        for near in before.near
    ]
    yes = answered[rows] == 1
    said = [
        np.where(yes, one, 1.0 - one)[new[rows]].clip(1.0 - SUREST, SUREST) for one in (*heard, own)
    ]
    shares = np.column_stack([SHARES, 1.0 - SHARES.sum(axis=1)])
    return np.asarray(sum(np.log(shares @ part).sum(axis=1) for part in _parts(np.array(said))))


def _parts(said: Floats) -> list[Floats]:
    """Columns, so many at once that little room is taken."""
    return np.array_split(said, 1 + said.shape[1] // 10_000, axis=1)


def of_those_alike(
    every: npt.NDArray[np.floating], near: Rows, known: Facts, *, otherwise: Floats
) -> Floats:
    """The mean of what `every` item's row says over the items `near` each, (n, m), as far as these may be the same.

    Each counts by how probable it makes what is `known`, (n, K); where all of them contradict it, `otherwise` stands.
    """
    total = np.zeros(len(known))
    heard = np.zeros(known.shape)
    for items in near.T:
        theirs = np.asarray(every[items], np.float64)
        agreement = np.where(known < 0, 1.0, np.where(known == 1, theirs, 1.0 - theirs)).prod(
            axis=1
        )
        total += agreement
        heard += agreement[:, None] * theirs
    return np.where(total[:, None] > LEAST, heard / np.maximum(total, LEAST)[:, None], otherwise)


def surprise(expected: Floats, predicted: Floats) -> Floats:
    """-e log p - (1-e) log(1-p): how much a prediction p is surprised where e is to be expected, in nats."""
    p = np.clip(predicted, 1.0 - SUREST, SUREST)
    return np.asarray(-(expected * np.log(p) + (1.0 - expected) * np.log1p(-p)))
