from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import corollary as co
from evidence.strategies.batches import (
    SMALLEST,
    Batched,
    CoreSet,
    TypiClust,
    by_badge,
    farthest_first,
    points_of,
    spread_out,
    squares_to_nearest,
    typical_first,
    typicality,
    untouched,
)

from .situations import ONTO, situation

seeds = st.integers(0, 10_000)


@given(seeds, st.integers(0, 8), st.booleans())
def test_each_is_the_farthest_from_all_before(seed: int, n: int, covered: bool) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 2))
    candidates = rng.random(12) < 0.6 if covered else np.ones(12, bool)
    nearest = squares_to_nearest(points, points[~candidates])
    chosen = farthest_first(points, candidates, n, nearest).tolist()
    before = np.flatnonzero(~candidates).tolist()
    if not before and chosen:
        middle = np.linalg.norm(points - points.mean(axis=0), axis=1)
        assert chosen[0] == middle.argmin()
    for i in chosen:
        left = [j for j in np.flatnonzero(candidates) if j not in before]
        if before:
            away = {j: min(np.linalg.norm(points[j] - points[b]) for b in before) for j in left}
            assert away[i] == pytest.approx(max(away.values()))
        before.append(i)
    assert len(set(chosen)) == len(chosen) == min(n, int(candidates.sum()))


def test_distances_at_hand_are_those_found_anew() -> None:
    rng = np.random.default_rng(0)
    points, candidates, strategy = rng.normal(size=(40, 3)), np.ones(40, bool), CoreSet()
    now = situation(n=40)
    for round_ in range(6):
        chosen = strategy(now, points, candidates, 4)
        assert chosen.tolist() == CoreSet()(now, points, candidates, 4).tolist()
        candidates = candidates.copy()
        candidates[chosen] = False
        if round_ == 3:
            candidates[:20] = True  # answers were taken back


@given(seeds, st.integers(1, 10))
def test_typical_of_the_clusters_least_labelled(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    points, cluster = rng.normal(size=(25, 2)), rng.integers(4, size=25)
    candidates = rng.random(25) < 0.7
    chosen = typical_first(points, cluster, candidates, n).tolist()
    free = candidates.copy()
    for i in chosen:  # the naive twin looks at all clusters every time
        ranks = {}
        for one in set(cluster[free].tolist()):
            rows = np.flatnonzero(cluster == one)
            ranks[one] = (len(rows) < SMALLEST, int((~free[rows]).sum()), -len(rows), one)
        best = min(ranks, key=lambda one: ranks[one])
        rows = np.flatnonzero(cluster == best)
        apart = np.linalg.norm(points[rows, None] - points[rows][None], axis=2)
        usual = [np.sort(line)[1:21].mean() if len(rows) > 1 else 1.0 for line in apart]
        expected = min((usual[a], rows[a]) for a in range(len(rows)) if free[rows[a]])
        assert cluster[i] == best
        assert usual[rows.tolist().index(i)] == pytest.approx(expected[0])
        free[i] = False
    assert len(chosen) == min(n, int(candidates.sum()))
    assert typicality(points[:1]).tolist() == [1.0]


@given(seeds, st.integers(1, 6))
def test_badge_is_k_means_plus_plus_on_the_products(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(9, 3)), rng.normal(size=(9, 2))
    products = np.einsum("ij,ik->ijk", left, right).reshape(9, -1)
    chosen = [int((products**2).sum(axis=1).argmax())]
    random = np.random.default_rng(1)
    while len(chosen) < n:
        near = np.min([((products - products[j]) ** 2).sum(axis=1) for j in chosen], axis=0)
        near[chosen] = 0.0
        chosen.append(int(random.choice(9, p=near / near.sum())))
    assert spread_out(left, right, n, np.random.default_rng(1)).tolist() == chosen


def test_badge_ends_where_all_are_alike() -> None:
    same = np.ones((5, 2))
    assert spread_out(same, same, 4, np.random.default_rng(0)).tolist() == [0]
    assert spread_out(same[:0], same[:0], 4, np.random.default_rng(0)).tolist() == []


@pytest.mark.parametrize("choose", [CoreSet(), TypiClust(), by_badge])
def test_a_round_is_chosen_among_what_nobody_was_asked_about(choose) -> None:
    known, answered = (np.full((12, len(ONTO)), -1, np.int8) for _ in range(2))
    known[:3] = ONTO.propagate(np.array([[-1, 1, -1, -1]], np.int8))
    answered[3, ONTO.labels.index("place")] = known[3, ONTO.labels.index("place")] = 0
    now = situation(known=known, answered=answered)
    sizes = []

    def batch(asked: int) -> int:
        sizes.append(asked)
        return 4

    rank = Batched(choose, batch)(now)
    assert sizes == [1]
    assert sorted(rank[rank > 0]) == [1, 2, 3, 4]
    assert (rank[:4] == 0).all()
    assert untouched(now).tolist() == [False] * 4 + [True] * 8
    assert (Batched(choose, batch)(now) == rank).all()


def test_items_as_points() -> None:
    X = np.random.default_rng(0).normal(3.0, 2.0, (20, 4))
    points = points_of(X, seed=0)
    assert points.mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-6)
    assert points_of(sparse.csr_array(np.abs(X)), seed=0).shape[0] == 20
    assert len(points_of(["one thing", "another thing", "one more"], seed=0)) == 3
    with pytest.raises(co.CorollaryError, match="they need X"):
        points_of(None, seed=0)
