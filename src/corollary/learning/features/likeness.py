"""Which items are alike: the nearest of each and how near, so that a round does not ask the same thing many times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.engines import Floats
from .learner_inputs import Matrix
from .spaces import Reduced, Singles, Standard

Rows = npt.NDArray[np.int64]
#: How many of the nearest items count.
NEAREST = 10
#: Among so many items all distances are taken; more are split in halves along random directions first.
GROUP = 4_096
#: Even an item like no other counts for something.
LEAST = 0.01


class Alike(NamedTuple):
    """Of each item the nearest others, (N, m), and how alike they are, from 0 to 1."""

    items: Rows
    likeness: Floats

    def density(self) -> Floats:
        """How like others each item is, (N,), above 0 and up to 1: what is learnt of it holds of so many more."""
        if not self.likeness.shape[1]:
            return np.ones(len(self.likeness))
        return np.asarray(self.likeness.mean(axis=1).clip(LEAST, 1.0))


def alike(matrix: Matrix, *, random_state: int) -> Alike:
    """The nearest items of each among all, or among those of its group where there are more than `GROUP` items.

    Likeness is exp(-(d/D)²) at the distance d, where D is the median distance of the farthest that counts.
    """
    random = np.random.RandomState(random_state)
    n = matrix.shape[0]
    m = min(NEAREST, n - 1)
    if m < 1:
        return Alike(np.empty((n, 0), np.int64), np.empty((n, 0)))
    space = Reduced(matrix, random=random) if sparse.issparse(matrix) else Standard(matrix)
    placed = space.of(matrix)
    items, distance = np.empty((n, m), np.int64), np.empty((n, m))
    for group in _groups(placed, random):
        items[group], distance[group] = _nearest(placed, group, m)
    usual = float(np.median(distance[:, -1]))
    return Alike(items, np.exp(-np.square(distance / usual)) if usual else (distance == 0).astype(np.float64))


def _nearest(placed: Singles, group: Rows, m: int) -> tuple[Rows, Floats]:
    from sklearn.neighbors import NearestNeighbors

    among = placed[group]
    distance, found = NearestNeighbors(n_neighbors=m, algorithm="brute").fit(among).kneighbors()
    return group[found], distance


def _groups(placed: Singles, random: np.random.RandomState) -> list[Rows]:
    """The rows in groups of at most `GROUP`: halves of halves along random directions."""
    waiting, groups = [np.arange(len(placed))], []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= GROUP:
            groups.append(rows)
            continue
        along = placed[rows] @ np.asarray(random.standard_normal(placed.shape[1]), np.float32)
        order = rows[np.argsort(along, kind="stable")]
        waiting += [np.sort(order[: len(rows) // 2]), np.sort(order[len(rows) // 2 :])]
    return groups
