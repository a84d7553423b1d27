"""Evidence of the cells that something was said of, against a matrix of all."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corollary.learning.evidence import FEW, Evidence

N, K = 5, 3
SAID = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, K - 1), st.sampled_from([-2.5, 0.1, 0.2, 0.3]))
)


def matrix(said):
    out = np.zeros((N, K))
    for i, k, ratio in said:
        out[i, k] += ratio
    return out


@given(SAID, SAID, st.lists(st.integers(0, N - 1)), st.booleans())
def test_it_is_the_sum_of_what_was_said(at_once, later, rows, many):
    evidence, expected = Evidence(N, K), matrix(at_once)
    item, label, ratio = np.array(at_once, np.float64).reshape(-1, 3).T
    evidence.put_all(item.astype(np.int64), label.astype(np.int64), ratio)
    np.testing.assert_array_equal(evidence[np.arange(N)], expected)
    frozen, before = evidence.copy(), expected.copy()
    for i, k, ratio in later:
        row = np.where(np.arange(K) == k, ratio, 0.0)
        evidence.put(i, row)  # in place of what was there
        expected[i] = row
    asked = np.array(rows * FEW if many else rows, np.int64)  # a few are looked up otherwise
    np.testing.assert_array_equal(evidence[asked], expected[asked])
    np.testing.assert_array_equal(frozen[asked], before[asked])


def test_what_nobody_spoke_of_takes_no_room():
    evidence = Evidence(1000, 100)
    evidence.put_all(np.array([3, 3]), np.array([1, 1]), np.array([0.5, 0.25]))
    evidence.put(7, np.where(np.arange(100) == 2, 1.0, 0.0))
    assert (
        sum(
            ratios.size
            for ratios in (evidence._ratio, *(ratios for _, ratios in evidence.since.values()))
        )
        == 2
    )
    assert evidence[np.array([3, 7, 9])].sum(axis=1).tolist() == [0.75, 1.0, 0.0]
