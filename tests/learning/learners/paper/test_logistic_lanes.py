"""Vector instructions on rows: the same as numpy does, for every width that is used."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from corollary.learning.learners.paper.logistic_lanes import add_row, descend


@njit
def add(target, i, source, j, factor, labels):
    add_row(target, i, source, j, factor, labels)


@njit
def step(state, c, gradient, j, rates, moved, noise, labels):
    descend(state, c, gradient, j, rates, moved, noise, labels)


@pytest.mark.parametrize("width", [1, 2, 8])
def test_a_row_is_added_and_no_other_changes(width):
    rng = np.random.default_rng(width)
    target, source = rng.normal(size=(4, width)), rng.normal(size=(5, width))
    expected = target.copy()
    expected[2] += 0.3 * source[4]
    add(target, 2, source, 4, 0.3, (0,) * width)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("width", [1, 2, 8])
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_a_step_is_adagrads_and_clears_the_gradient(width, damping):
    rng = np.random.default_rng(width)
    state, gradient = rng.normal(size=(3, 2, width)), rng.normal(size=(2, width))
    state[:, 1] = damping
    gradient[1, 0] = 1e-13  # noise
    rates, moved = np.full(width, 0.7), np.ones(width)
    rates[-1] = 0.0  # a label that has stopped
    expected, g = state.copy(), np.where(np.abs(gradient[1]) > 1e-12, gradient[1], 0)
    expected[2, 1] += g**2
    change = rates * g / np.sqrt(np.where(expected[2, 1] > 0, expected[2, 1], 1))
    expected[2, 0] -= change
    untouched = gradient[0].copy()
    step(state, 2, gradient, 1, rates, moved, 1e-12, (0,) * width)
    np.testing.assert_allclose(state, expected, rtol=1e-14)
    np.testing.assert_allclose(moved, 1 + change**2, rtol=1e-14)
    np.testing.assert_array_equal(gradient, [untouched, np.zeros(width)])
