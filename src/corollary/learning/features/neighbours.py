"""The nearest neighbours of items and their similarity, so that a round has no near-duplicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.engines import Floats
from .matrices import Matrix
from .spaces import Reduced, Singles, Standard

Rows = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Place = Callable[[Matrix], Singles]
#: The number of nearest neighbours.
NEAREST = 10
#: Larger sets of items are split in halves along random directions before distances are computed.
GROUP = 4_096
#: The least density of an item.
LEAST = 0.01
#: Items compared at once with those that became known.
AT_ONCE = 65_536


class Nearest(NamedTuple):
    """The nearest neighbours of each item, (N, m), and their similarity, from 0 to 1."""

    items: Rows
    similarity: Floats

    def density(self) -> Floats:
        """Return the mean similarity of each item to its neighbours, (N,), above 0 and up to 1."""
        if not self.similarity.shape[1]:
            return np.ones(len(self.similarity))
        return np.asarray(self.similarity.mean(axis=1).clip(LEAST, 1.0))


def nearest_items(matrix: Matrix, *, random_state: int) -> Nearest:
    """Return the nearest neighbours of each item, among all or among at most `GROUP` items.

    The similarity is exp(-(d/D)²) at the distance d. D is the median distance of the farthest
    neighbour.
    """
    return nearest_and_placed(matrix, random_state=random_state)[0]


def nearest_and_placed(matrix: Matrix, *, random_state: int) -> tuple[Nearest, Place]:
    """Return the nearest neighbours, and the function that places items in the space of distances."""
    random = np.random.RandomState(random_state)
    n = matrix.shape[0]
    m = min(NEAREST, n - 1)
    if m < 1:
        no_other = Nearest(np.empty((n, 0), np.int64), np.empty((n, 0)))
        return no_other, lambda some: np.zeros((some.shape[0], 1), np.float32)
    place = (Reduced(matrix, random=random) if sparse.issparse(matrix) else Standard(matrix)).of
    placed = place(matrix)
    items = np.empty((n, m), np.int64)
    distance = np.empty((n, m))
    for group in _groups(placed, random):
        items[group], distance[group] = _nearest(placed, group, m)
    usual = float(np.median(distance[:, -1]))
    return Nearest(
        items, np.exp(-np.square(distance / usual)) if usual else (distance == 0).astype(np.float64)
    ), place


class NearestKnown:
    """The nearest known items of each item; only newly known items are compared with all others."""

    def __init__(self, matrix: Matrix, place: Place):
        self._matrix = matrix
        self._place = place
        n = matrix.shape[0]
        self._known: Flags = np.zeros(n, np.bool_)
        self._items: Rows = np.empty((n, 0), np.int64)
        self._distance: Floats = np.empty((n, 0))

    def among(self, known: Flags) -> Rows:
        """Return the nearest `known` items of each item, (N, m).

        At most `NEAREST`, the nearest first.
        """
        if (self._known & ~known).any():  # an item is no longer known: start again
            self._known = known & False
            self._items = self._items[:, :0]
            self._distance = self._distance[:, :0]
        new = np.flatnonzero(known & ~self._known)
        if len(new):
            self._hear_of(new)
            self._known = known.copy()
        return self._items

    def _hear_of(self, new: Rows) -> None:
        from sklearn.neighbors import NearestNeighbors

        of_new = NearestNeighbors(n_neighbors=min(NEAREST, len(new)), algorithm="brute")
        of_new.fit(self._place(self._matrix[new]))
        items = []
        distances = []
        for start in range(0, len(self._items), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            distance, found = of_new.kneighbors(self._place(self._matrix[rows]))
            distance = np.hstack([self._distance[rows], distance])
            nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEAREST]
            items.append(
                np.take_along_axis(np.hstack([self._items[rows], new[found]]), nearest, axis=1)
            )
            distances.append(np.take_along_axis(distance, nearest, axis=1))
        self._items = np.concatenate(items)
        self._distance = np.concatenate(distances)


def _nearest(placed: Singles, group: Rows, m: int) -> tuple[Rows, Floats]:
    from sklearn.neighbors import NearestNeighbors

    among = placed[group]
    distance, found = NearestNeighbors(n_neighbors=m, algorithm="brute").fit(among).kneighbors()
    return group[found], distance


def _groups(placed: Singles, random: np.random.RandomState) -> list[Rows]:
    """The rows in groups of at most `GROUP`: halves of halves along random directions."""
    waiting = [np.arange(len(placed))]
    groups = []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= GROUP:
            groups.append(rows)
            continue
        along = placed[rows] @ np.asarray(random.standard_normal(placed.shape[1]), np.float32)
        order = rows[np.argsort(along, kind="stable")]
        waiting += [np.sort(order[: len(rows) // 2]), np.sort(order[len(rows) // 2 :])]
    return groups
