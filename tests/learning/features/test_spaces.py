"""Spaces: features times weights is what `times` says, and Gaussian features have the kernel as their products."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from corollary.learning.features.spaces import Gaussian, Latent, Plain, Standard


def table(n=80):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, (n, 6))
    X[:, 2] = 7.0
    return X, sparse.csr_array(rng.poisson(0.4, (n, 30)).astype(float))


SPACES = {
    "standard": lambda X, _: (Standard(X), X),
    "plain": lambda _, thin: (Plain(thin), thin),
    "latent": lambda _, thin: (Latent(thin, random=np.random.RandomState(0)), thin),
    "gaussian": lambda X, _: (
        Gaussian(X, gamma=1.0, landmarks=40, random=np.random.RandomState(0)),
        X,
    ),
    "gaussian, sparse": lambda _, thin: (
        Gaussian(thin, gamma=1.0, landmarks=40, random=np.random.RandomState(0)),
        thin,
    ),
}


@pytest.mark.parametrize("make", SPACES.values(), ids=SPACES)
def test_features_times_weights(make):
    space, matrix = make(*table())
    weights = np.random.default_rng(1).normal(size=(space.width, 3))
    np.testing.assert_allclose(space.times(matrix, weights), space.of(matrix) @ weights, atol=2e-2)


@pytest.mark.parametrize("make", [SPACES["standard"], SPACES["plain"]])
def test_items_have_mean_squared_length_1(make):
    space, matrix = make(*table())
    features = space.of(matrix)
    features = features.toarray() if sparse.issparse(features) else features
    constant = (
        1 / 6 if isinstance(space, Standard) else 0.0
    )  # the column that is the same everywhere is 0
    assert (features**2).sum(axis=1).mean() == pytest.approx(1.0 - constant, rel=1e-5)


def test_gaussian_products_are_the_kernel():
    X, _ = table(50)
    features = Gaussian(X, gamma=2.0, landmarks=50, random=np.random.RandomState(0)).of(X)
    scale = np.where(np.arange(6) == 2, 0.0, 1.0 / np.maximum(X.std(axis=0), 1e-9))
    distance = (((X[:, None] - X[None]) * scale) ** 2).mean(axis=2)
    np.testing.assert_allclose(features @ features.T, np.exp(-2.0 * distance), atol=2e-3)


def test_an_empty_sparse_matrix():
    nothing = sparse.csr_array((5, 4))
    assert Plain(nothing).times(nothing, np.ones((4, 2))).tolist() == np.zeros((5, 2)).tolist()


@pytest.mark.parametrize("make", SPACES.values(), ids=SPACES)
def test_what_an_item_gives_does_not_depend_on_the_others(make):
    space, matrix = make(*table())
    weights = np.random.default_rng(1).normal(size=(space.width, 3))
    together = space.times(matrix, weights)
    for size in (1, 3, 7):
        parts = [space.times(matrix[first : first + size], weights) for first in range(0, 80, size)]
        np.testing.assert_allclose(np.vstack(parts), together, rtol=0, atol=1e-10)
