"""The entropy of one label, to the last digits; rows in blocks; and estimates that are told together."""

from __future__ import annotations

import math

import numpy as np
import pytest

import corollary as co
from corollary.logic.compiled import posterior
from corollary.logic.compiled.posterior import (
    binary_entropy,
    estimates_told_together,
    in_blocks,
    warn_of_estimates,
)


def test_entropy_is_nothing_at_0_and_1_and_right_beside_them():
    p = np.array([0.0, 5e-324, 1e-200, 1e-16, 1e-12, 0.5, 1 - 1e-12, 1 - 2.0**-53, 1.0])
    expected = [-sum(float(x) * math.log(float(x)) for x in (a, 1 - a) if x > 0) for a in p]
    np.testing.assert_allclose(binary_entropy(p), expected, rtol=1e-12, atol=1e-300)


def test_the_entropy_of_what_is_a_little_more_than_1_by_rounding():
    beyond = np.array([[1.0 + 2**-52, -(2.0**-60), 0.0, 1.0, 0.5]])
    found = binary_entropy(beyond)
    np.testing.assert_allclose(found, [[0, 0, 0, 0, np.log(2)]], atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "most"), [((50, 5), 4), ((50, 20), 3), ((50, 1), 20), ((2, 5), 2), ((50, 0), 20)]
)
def test_every_row_is_in_one_block_and_no_block_is_large(shape, most, monkeypatch):
    monkeypatch.setattr(posterior, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(posterior, "CELLS_AT_ONCE", 20)
    blocks = []
    in_blocks(shape, blocks.append)
    rows = [range(shape[0])[block] for block in blocks]
    assert sorted(i for block in rows for i in block) == list(range(shape[0]))
    assert max(map(len, rows)) <= most


def warn_together(*errors):
    with estimates_told_together():
        for error in errors:
            warn_of_estimates(error)


def test_estimates_are_told_of_at_once_or_together():
    some, none = np.array([np.nan, 0.0, np.nan]), np.zeros(2)
    with pytest.warns(co.EstimateWarning, match="of 2 of 3 items"):
        warn_of_estimates(some)
    with pytest.warns(co.EstimateWarning) as told:
        warn_together(some, none, some)
    assert ["of 4 of 8 items" in str(one.message) for one in told] == [True]
    warn_together(none, none)  # of nothing, or it would be an error here
    with pytest.warns(co.EstimateWarning, match="of 2 of 3 items"):
        warn_of_estimates(some)
