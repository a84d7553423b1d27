"""Weights of witnesses that err alike."""

from __future__ import annotations

import numpy as np

from corollary.learning.witnesses.shared_errors import LEANING, shared_weights


def weights(errors, **how):
    n_witnesses, n = errors.shape
    witness, cell = np.repeat(np.arange(n_witnesses), n), np.tile(np.arange(n), n_witnesses)
    return shared_weights(errors.ravel(), witness, cell, n_witnesses, **how)


def test_n_copies_count_as_one_and_others_as_themselves():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(6, 5000))
    errors[1] = errors[2] = errors[0]
    found = weights(errors)
    np.testing.assert_allclose(found[:3], 1 / 3, atol=0.03)
    assert (found[3:] > 0.9).all()


def test_it_is_the_sum_over_pairs():
    rng = np.random.default_rng(1)
    errors = rng.normal(size=(4, 60)) + rng.normal(size=60)
    found = weights(errors)
    scaled = errors / np.sqrt((errors**2).mean(axis=1, keepdims=True))
    for w in range(4):
        alike = sum(scaled[w] @ scaled[v] for v in range(4) if v != w) / (60 + LEANING)
        np.testing.assert_allclose(found[w], 1 / (1 + max(alike, 0)))


def test_what_is_hard_for_everyone_can_be_left_out():
    rng = np.random.default_rng(2)
    errors = rng.normal(size=(8, 3000)) + rng.normal(size=3000)
    errors[1] = errors[0]
    together, beyond = weights(errors), weights(errors, beyond_usual=True)
    assert together.max() < 0.4
    assert beyond[2:].min() > 0.8
    assert beyond[:2].max() < 0.75


def test_no_reports():
    nothing = np.zeros(0, np.int64)
    np.testing.assert_array_equal(
        shared_weights(np.zeros(0), nothing, nothing, 2, beyond_usual=True), [1, 1]
    )
