"""The entropy of one label, to the last digits."""

from __future__ import annotations

import math

import numpy as np

from corollary.logic.compiled.posterior import binary_entropy


def test_entropy_is_nothing_at_0_and_1_and_right_beside_them():
    p = np.array([0.0, 5e-324, 1e-200, 1e-16, 1e-12, 0.5, 1 - 1e-12, 1 - 2.0**-53, 1.0])
    expected = [-sum(float(x) * math.log(float(x)) for x in (a, 1 - a) if x > 0) for a in p]
    np.testing.assert_allclose(binary_entropy(p), expected, rtol=1e-12, atol=1e-300)


def test_the_entropy_of_what_is_a_little_more_than_1_by_rounding():
    beyond = np.array([[1.0 + 2**-52, -(2.0**-60), 0.0, 1.0, 0.5]])
    found = binary_entropy(beyond)
    np.testing.assert_allclose(found, [[0, 0, 0, 0, np.log(2)]], atol=1e-12)
