"""Slopes and biases of machines: that they are the likeliest, and what becomes of nonsense."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm

from corollary.learning.witnesses.calibration import CLIP, LEANING, Calibration
from corollary.learning.witnesses.reports import Reports


def reports(value, witness=None, label=None):
    n = len(value)
    zeros = np.zeros(n, np.int64)
    witness, label = zeros if witness is None else witness, zeros if label is None else label
    return Reports(
        tuple(range(int(witness.max()) + 1)), tuple(range(n)), witness, np.arange(n), label, value
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_report_weighs_what_its_two_normal_distributions_say(seed):
    rng = np.random.default_rng(seed)
    witness, label, truth = rng.integers(2, size=80), rng.integers(3, size=80), rng.random(80)
    p = expit(rng.normal(size=80) + 2 * truth)
    model = Calibration(reports(p, witness, label), 3)
    model.update(truth)
    s = np.log(p.clip(CLIP, 1 - CLIP) / (1 - p.clip(CLIP, 1 - CLIP)))
    for w in range(2):
        steps, counts = np.zeros(3), np.zeros(3)
        for k in range(3):
            q, x = truth[(witness == w) & (label == k)], s[(witness == w) & (label == k)]
            if len(q):
                counts[k] = q.sum() * (1 - q).sum() / len(q)
                steps[k] = (q * x).sum() / q.sum() - ((1 - q) * x).sum() / (1 - q).sum()
        common = (counts * steps).sum() / counts.sum()
        step = (counts * steps + LEANING * common) / (counts + LEANING)
        middle = np.array(
            [
                np.mean(
                    s[(witness == w) & (label == k)]
                    - truth[(witness == w) & (label == k)] * step[k]
                )
                for k in range(3)
            ]
        )
        own = witness == w
        q, x, m, d = truth[own], s[own], middle[label[own]], step[label[own]]
        spread = np.sqrt(
            ((q * (x - m - d) ** 2 + (1 - q) * (x - m) ** 2).sum() + 1) / (own.sum() + 1)
        )
        d = np.maximum(d, 0)
        expected = norm.logpdf(x, m + d, spread) - norm.logpdf(x, m, spread)
        np.testing.assert_allclose(model.log_ratio()[own], expected, rtol=1e-7, atol=1e-9)


def test_a_machine_that_shouts_is_turned_down():
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    s = rng.normal(np.where(truth, 1.0, -1.0), 1.0)
    calm, loud = Calibration(reports(expit(s)), 1), Calibration(reports(expit(1.5 * s)), 1)
    for model in (calm, loud):
        model.update(truth.astype(float))
    assert loud.slope[0, 0] < 0.8 * calm.slope[0, 0]
    np.testing.assert_allclose(calm.slope[0, 0], 2.0, rtol=0.15)  # of these normal distributions


def test_one_that_points_the_wrong_way_says_nothing():
    rng = np.random.default_rng(0)
    truth = rng.random(500) < 0.5
    model = Calibration(reports(expit(np.where(truth, -2.0, 2.0) + rng.normal(size=500))), 1)
    model.update(truth.astype(float))
    np.testing.assert_array_equal(model.log_ratio(), 0.0)
