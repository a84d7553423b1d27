"""A ranking of items as a strategy: the best item is settled by yes or no, or one question is asked of each in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from corollary.learning.choosing.scores import ScoreName, entropy, raw_scores
from corollary.learning.choosing.strategy import Situation, Worth
from corollary.learning.knowledge import Rows
from corollary.logic.engines import Facts, Floats

Form = Literal["marginals", "items", "cells"]
Ints = npt.NDArray[np.int64]
#: A whole number for each item, (N,): the largest comes first. Those of 0 come last, by their most uncertain cell.
Ranking = Callable[[Situation], Ints]


class WholeItems:
    """The first item of a ranking is settled before the next: yes or no about its most uncertain cell, again and again.

    So an item costs as many questions as it takes under the logic: one where the learner's first guess is right and a
    yes settles the rest. What is left of an item at the end of a round comes first in the next.
    """

    def __init__(self, ranking: Ranking):
        self._ranking = ranking

    def worth(self, now: Situation, /) -> Worth:
        """The rank of its item, then its entropy, which is below 1."""
        rank = self._ranking(now)
        begun = (now.answered >= 0).any(axis=1)
        rank = np.where(begun, rank + len(rank), rank)
        return lambda rows, known: rank[rows, None] + entropy(now.posterior(rows, known))


class OneCellEach:
    """Of each item of a ranking in turn the most uncertain cell; an item has one question between two trainings."""

    def __init__(self, ranking: Ranking):
        self._ranking = ranking

    def worth(self, now: Situation, /) -> Worth:
        """The rank of its item, nothing once something was answered about it, then its entropy."""
        rank = self._ranking(now)

        def worth(rows: Rows, known: Facts) -> Floats:
            untouched = ((known >= 0) == (now.known[rows] >= 0)).all(axis=1)
            return np.asarray(
                np.where(untouched, rank[rows], 0)[:, None] + entropy(now.posterior(rows, known))
            )

        return worth


class OnMarginals:
    """One of the paper's scores on the posterior's marginals, in place of what the learner says of each label alone."""

    def __init__(self, score: ScoreName):
        self._score = score

    def worth(self, now: Situation, /) -> Worth:
        """The score, of probabilities that agree with the logic and with what is known."""
        return lambda rows, known: raw_scores(
            self._score, now.posterior(rows, known), now.onto, now.complete(known)
        )


def ranked(values: Floats) -> Ints:
    """Ranks from 1 up, the largest value highest; of equals the first."""
    rank = np.empty(len(values), np.int64)
    rank[np.argsort(-values, kind="stable")] = np.arange(len(values), 0, -1)
    return rank


def in_order(order: Ints, n_items: int) -> Ints:
    """The ranks of items that come in an order; 0 for all others."""
    rank = np.zeros(n_items, np.int64)
    rank[order] = np.arange(len(order), 0, -1)
    return rank
