"""Which items next, so that a round has no two alike: core-set, TypiClust and BADGE, as rankings."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from corollary.learning.choosing.strategy import Situation
from corollary.learning.features.matrices import check_matrix
from corollary.learning.features.spaces import Reduced, Standard
from corollary.learning.features.tables_and_text import default_features
from corollary.logic.engines import Floats
from corollary.logic.errors import CorollaryError

from .forms import Ints, in_order

Flags = npt.NDArray[np.bool_]
#: The size of the next round, by how many questions were asked so far.
Batch = Callable[[int], int]
#: Of a situation, the points, which of them wait and how many: the rows to ask about, the first one first.
Choose = Callable[[Situation, Floats, Flags, int], Ints]
#: TypiClust as published: neighbours that typicality is over, clusters at most, and the fewest items of a cluster.
NEIGHBOURS = 20
CLUSTERS = 500
SMALLEST = 5


class Batched:
    """A ranking of as many items as the next round has questions; `choose` orders them, the first one first.

    It sees items as points: features on one scale, sparse ones reduced, texts as their encoder has them.
    """

    def __init__(self, choose: Choose, batch: Batch):
        self._choose = choose
        self._batch = batch
        self._points: Floats | None = None

    def __call__(self, now: Situation) -> Ints:
        if self._points is None:
            self._points = points_of(now.X, seed=now.seed[0])
        n = self._batch(int((now.answered >= 0).sum()))
        return in_order(self._choose(now, self._points, untouched(now), n), len(now.known))


def points_of(X: Any, *, seed: int) -> Floats:
    """Items as points, (N, d)."""
    if X is None:
        raise CorollaryError(
            "core-set, TypiClust and BADGE look at the features of items: they need X"
        )
    matrix = check_matrix(X if hasattr(X, "similarities") else default_features(X)[0])
    if sparse.issparse(matrix):
        return np.asarray(
            Reduced(matrix, random=np.random.RandomState(seed)).of(matrix), np.float64
        )
    return np.asarray(Standard(matrix).of(matrix), np.float64)


def untouched(now: Situation) -> Flags:
    """The items of which something is open and nothing was answered."""
    return np.asarray((now.known < 0).any(axis=1) & (now.answered < 0).all(axis=1))


# -- core-set --------------------------------------------------------------------------------------------------------


class CoreSet:
    """Each time the item farthest from all that are labelled or chosen."""

    def __init__(self) -> None:
        self._covered: Flags | None = None
        self._nearest: Floats | None = None

    def __call__(self, now: Situation, points: Floats, candidates: Flags, n: int) -> Ints:  # noqa: ARG002 (of one shape)
        """The next n; distances to items that were labelled before are at hand."""
        if self._covered is None or self._nearest is None or (self._covered & candidates).any():
            self._covered = np.zeros(len(points), np.bool_)
            self._nearest = np.full(len(points), np.inf)
        new = ~candidates & ~self._covered
        np.minimum(self._nearest, squares_to_nearest(points, points[new]), out=self._nearest)
        self._covered |= new
        return farthest_first(points, candidates, n, self._nearest)


def squares_to_nearest(points: Floats, others: Floats) -> Floats:
    """The squared distance of each point to the nearest of the others, (N,); infinite if there are none."""
    from sklearn.metrics import pairwise_distances_argmin_min

    if not len(others):
        return np.full(len(points), np.inf)
    return np.asarray(pairwise_distances_argmin_min(points, others)[1] ** 2)


def farthest_first(points: Floats, candidates: Flags, n: int, nearest: Floats) -> Ints:
    """The n candidates that cover the points greedily; `nearest` are squared distances to what is covered.

    Where nothing is covered, the first is the one nearest the middle.
    """
    rows = np.flatnonzero(candidates)
    among = points[rows]
    distance = nearest[rows]
    order: list[int] = []
    while len(order) < min(n, len(rows)):
        is_covered = bool(np.isfinite(distance).all())
        order.append(
            int(distance.argmax() if is_covered else _squares(among, points.mean(axis=0)).argmin())
        )
        np.minimum(distance, _squares(among, among[order[-1]]), out=distance)
        distance[order] = -1.0
    return rows[order]


def _squares(points: Floats, one: Floats) -> Floats:
    away = points - one
    return np.asarray(np.einsum("ij,ij->i", away, away))


# -- TypiClust -------------------------------------------------------------------------------------------------------


class TypiClust:
    """Of each cluster with the fewest labelled items, the largest first, the most typical item."""

    def __init__(self) -> None:
        self._clusters = 0
        self._cluster = np.empty(0, np.int64)

    def __call__(self, now: Situation, points: Floats, candidates: Flags, n: int) -> Ints:
        """The next n; the clusters stay as they are until there are to be more of them."""
        from sklearn.cluster import KMeans, MiniBatchKMeans

        clusters = max(1, min(int((~candidates).sum()) + n, CLUSTERS, len(points)))
        if clusters != self._clusters:
            kind = KMeans if clusters <= 50 else MiniBatchKMeans
            self._cluster = kind(clusters, n_init=1, random_state=now.seed[0]).fit_predict(points)
            self._clusters = clusters
        return typical_first(points, self._cluster, candidates, n)


def typical_first(points: Floats, cluster: npt.NDArray[Any], candidates: Flags, n: int) -> Ints:
    """Of each cluster in turn its most typical candidate; clusters of fewer than 5 items only if there is no other."""
    members = {int(one): np.flatnonzero(cluster == one) for one in np.unique(cluster)}
    labelled = {one: int((~candidates[rows]).sum()) for one, rows in members.items()}
    small = {one: len(rows) < SMALLEST for one, rows in members.items()}
    turns = [
        (small[one], labelled[one], -len(rows), one)
        for one, rows in members.items()
        if labelled[one] < len(rows)
    ]
    heapify(turns)
    waiting: dict[int, list[int]] = {}  # of a cluster whose turn came, the most typical last
    order: list[int] = []
    while len(order) < n and turns:
        is_small, taken, size, one = turns[0]
        if one not in waiting:
            rows = members[one]
            by_type = rows[np.argsort(-typicality(points[rows]), kind="stable")]
            waiting[one] = by_type[candidates[by_type]][::-1].tolist()
        order.append(waiting[one].pop())
        if waiting[one]:
            heapreplace(turns, (is_small, taken + 1, size, one))
        else:
            heappop(turns)
    return np.array(order, np.int64)


def typicality(points: Floats) -> Floats:
    """One over the mean distance to the nearest of the same cluster, 20 at most."""
    from sklearn.neighbors import NearestNeighbors

    neighbours = min(NEIGHBOURS, len(points) - 1)
    if not neighbours:
        return np.ones(len(points))
    distance = NearestNeighbors(n_neighbors=neighbours).fit(points).kneighbors()[0].mean(axis=1)
    return np.asarray(1.0 / np.maximum(distance, 1e-12))


# -- BADGE -----------------------------------------------------------------------------------------------------------


def by_badge(now: Situation, points: Floats, candidates: Flags, n: int) -> Ints:
    """By k-means++ on the slopes of the loss in the last layer, were each item's most probable labelling true."""
    rows = np.flatnonzero(candidates)
    known = now.complete(now.known[rows])
    surprise = now.posterior(rows, known) - now.onto.most_probable(now.beliefs[rows], known)
    among = np.column_stack(
        [points[rows], np.ones(len(rows))]
    )  # with a constant, as a last layer has
    return rows[spread_out(surprise, among, n, np.random.default_rng(now.seed))]


def spread_out(left: Floats, right: Floats, n: int, random: np.random.Generator) -> Ints:
    """N rows by k-means++ on the outer products left ⊗ right, the longest first; none twice.

    Products are never made: ⟨a⊗b, c⊗d⟩ = ⟨a, c⟩⟨b, d⟩.
    """
    length = (left**2).sum(axis=1) * (right**2).sum(axis=1)
    if not len(length):
        return np.empty(0, np.int64)
    order = [int(length.argmax())]
    distance = np.full(len(length), np.inf)
    while len(order) < min(n, len(length)):
        last = order[-1]
        away = length + length[last] - 2.0 * (left @ left[last]) * (right @ right[last])
        np.minimum(distance, away.clip(0.0), out=distance)
        distance[order] = 0.0
        if not distance.sum() > 0:
            return np.array(order, np.int64)  # all others are like one that was chosen
        order.append(int(random.choice(len(distance), p=distance / distance.sum())))
    return np.array(order, np.int64)
