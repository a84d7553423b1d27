"""Which items are alike, against all distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from corollary.learning.features import neighbours
from corollary.learning.features.neighbours import (
    NEAREST,
    NearestKnown,
    nearest_and_placed,
    nearest_items,
)


def naive(matrix):
    """The m nearest of each row by all distances between standardised rows."""
    spread = np.where(matrix.std(axis=0) > 1e-12, matrix.std(axis=0), np.inf)
    z = (matrix - matrix.mean(axis=0)) / spread
    distance = np.sqrt(((z[:, None] - z[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    m = min(NEAREST, len(matrix) - 1)
    return distance, np.sort(distance, axis=1)[:, :m]


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_nearest_by_all_distances(n, width, seed):
    matrix = np.random.default_rng(seed).normal(size=(n, width))
    distance, nearest = naive(matrix)
    found = nearest_items(matrix, random_state=0)
    assert found.items.shape == found.similarity.shape == nearest.shape
    assert all(i not in row for i, row in enumerate(found.items.tolist()))
    at = np.take_along_axis(distance, found.items, axis=1)
    np.testing.assert_allclose(at, nearest, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(
        found.similarity, np.exp(-((nearest / np.median(nearest[:, -1])) ** 2)), atol=5e-3
    )


def test_many_items_are_split_and_still_find_near_ones(monkeypatch):
    monkeypatch.setattr(neighbours, "GROUP", 64)
    matrix = np.random.default_rng(0).normal(size=(500, 3))
    found = nearest_items(matrix, random_state=0)
    distance, nearest = naive(matrix)
    at = np.take_along_axis(distance, found.items, axis=1)
    assert all(len(set(row)) == NEAREST for row in found.items.tolist())
    assert at.mean() < 2 * nearest.mean() < 0.5 * distance[np.isfinite(distance)].mean()
    again = nearest_items(matrix, random_state=0)
    assert (again.items == found.items).all()


def test_sparse_items_one_item_and_equal_items():
    thin = sparse.csr_array(np.eye(6).repeat(4, axis=0))
    found = nearest_items(thin, random_state=0)
    assert set(found.items[0, :3].tolist()) == {1, 2, 3}
    assert found.similarity[0, 0] == pytest.approx(1.0, abs=1e-3)
    assert nearest_items(np.ones((1, 3)), random_state=0).items.shape == (1, 0)
    assert (nearest_items(np.ones((4, 2)), random_state=0).similarity == 1.0).all()


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 10_000), st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_nearest_known_by_all_distances_whatever_became_known_when(n, width, seed, thin):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, width)) * (rng.random((n, width)) < 0.7)
    given = sparse.csr_array(matrix) if thin else matrix
    _, place = nearest_and_placed(given, random_state=0)
    placed, nearest = place(given).astype(np.float64), NearestKnown(given, place)
    distance = np.sqrt(((placed[:, None] - placed[None]) ** 2).sum(axis=2))
    known, when = np.zeros(n, bool), rng.permutation(n)
    for few in np.array_split(when, 3):
        known[few] = True
        check_nearest(nearest.among(known), distance, known)
    known[when[: n // 2]] = False  # taken back
    check_nearest(nearest.among(known), distance, known)
    assert nearest.among(known) is nearest.among(known)


def check_nearest(found, distance, known):
    m = min(NEAREST, known.sum())
    assert found.shape == (len(known), m)
    assert known[found].all()
    assert all(len(set(row)) == m for row in found.tolist())
    at = np.take_along_axis(distance, found, axis=1)
    np.testing.assert_allclose(at, np.sort(distance[:, known], axis=1)[:, :m], rtol=1e-3, atol=2e-3)


def test_many_items_are_compared_part_by_part(monkeypatch):
    matrix = np.random.default_rng(0).normal(size=(50, 3))
    known, (_, place) = np.arange(50) < 20, nearest_and_placed(matrix, random_state=0)
    whole = NearestKnown(matrix, place).among(known)
    monkeypatch.setattr(neighbours, "AT_ONCE", 7)
    assert (NearestKnown(matrix, place).among(known) == whole).all()
