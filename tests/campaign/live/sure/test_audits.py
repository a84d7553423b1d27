"""What an audit tells: the bound against the binomial distribution written out, and how many it takes."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.live.sure.audits import most_wrong_of, needed


def at_most(wrong, n, share):
    """The probability that at most so many of n are wrong where this share of all is."""
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(wrong + 1))


@given(st.integers(1, 60), st.integers(0, 60))
def test_a_larger_share_would_have_shown_more_often_than_19_times_in_20(n, wrong):
    bound = most_wrong_of(wrong, n)
    if wrong >= n:
        assert bound == 1
    else:
        assert at_most(wrong, n, bound) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize(
    ("share", "n"), [(0.01, 299), (0.05, 59), (0.1, 29), (0.2, 14), (0.001, 2995)]
)
def test_how_many_it_takes(share, n):
    assert needed(share) == n
    assert most_wrong_of(0, n) <= share < most_wrong_of(0, n - 1)


@given(st.floats(0.002, 0.98))
def test_it_takes_the_fewest_that_do(share):
    assert needed(share) == next(n for n in range(1, 10_000) if most_wrong_of(0, n) <= share)
