"""Reliability from counts: what it leans on, and that it finds what is so."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.learning.reliability import EXPECTED, LEANING, Reliability


def reports(rng, n_witnesses, n_labels, n):
    return (
        rng.integers(n_witnesses, size=n),
        rng.integers(n_labels, size=n),
        rng.integers(2, size=n),
        rng.random(n),
    )


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_rates_equal_those_counted_one_by_one(seed, n):
    rng = np.random.default_rng(seed)
    witness, label, value, truth = reports(rng, 3, 4, n)
    found = Reliability(3, 4)
    found.update(witness, label, value, truth)

    def lean(picked, y, on):
        weights = [(truth[r] if y else 1 - truth[r], value[r] == y) for r in range(n) if picked(r)]
        return (sum(w for w, hit in weights if hit) + LEANING * on) / (
            sum(w for w, _ in weights) + LEANING
        )

    for y in (0, 1):
        all_of_them = lean(lambda r: True, y, EXPECTED)
        for w in range(3):
            own = lean(lambda r, w=w: witness[r] == w, y, all_of_them)
            for k in range(4):
                of_label = lean(lambda r, k=k: label[r] == k, y, all_of_them)
                odds = own / (1 - own) * of_label / (1 - of_label) * (1 - all_of_them) / all_of_them
                rate = lean(
                    lambda r, w=w, k=k: witness[r] == w and label[r] == k, y, odds / (1 + odds)
                )
                np.testing.assert_allclose(
                    (found.sensitivity if y else found.specificity)[w, k], rate, rtol=1e-9
                )


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_what_is_said_more_likely_if_true_speaks_for_it_and_intervals_hold_the_rate(seed, n):
    rng = np.random.default_rng(seed)
    found = Reliability(3, 4)
    found.update(*reports(rng, 3, 4, n))
    every = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    yes, no = found.log_ratio(*every, np.ones(12)), found.log_ratio(*every, np.zeros(12))
    better_than_chance = (found.sensitivity + found.specificity > 1).ravel()
    assert ((yes > 0) == better_than_chance).all()
    assert ((no < 0) == better_than_chance).all()
    low, high = found.interval(0.9)
    assert (low < found.rates).all()
    assert (found.rates < high).all()
    assert np.isfinite(yes).all()


def test_a_witness_of_whom_nothing_is_known_counts_as_expected():
    found = Reliability(2, 3)
    np.testing.assert_allclose(
        found.log_ratio(np.array([1]), np.array([2]), [1]), np.log(EXPECTED / (1 - EXPECTED))
    )


def test_three_people_are_told_apart_and_a_liar_counts_the_other_way_round():
    rng = np.random.default_rng(0)
    errs = np.array([0.02, 0.05, 0.15, 0.8])
    truth = rng.random((500, 4)) < 0.3
    witness, item, label = (
        axis.ravel() for axis in np.meshgrid(range(4), range(500), range(4), indexing="ij")
    )
    value = truth[item, label] ^ (rng.random(len(item)) < errs[witness])
    found = Reliability(4, 4)
    found.update(witness, label, value, truth[item, label].astype(float))
    np.testing.assert_allclose(1 - found.sensitivity.mean(axis=1), errs, atol=0.03)
    assert (found.log_ratio(np.full(4, 3), np.arange(4), np.ones(4)) < 0).all()


def test_more_counts_narrow_the_interval():
    few, many = Reliability(1, 1), Reliability(1, 1)
    for found, n in ((few, 10), (many, 1000)):
        zeros = np.zeros(n, int)
        found.update(zeros, zeros, np.ones(n), np.full(n, 0.9))
    (low, high), (lower, higher) = few.interval(), many.interval()
    assert (higher - lower)[1, 0, 0] < (high - low)[1, 0, 0]
