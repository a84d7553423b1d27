"""Sums of logarithms against exact arithmetic, at the ends too."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.logic.engines.numeric import log_add, log_expm1, softplus

NUMBERS = st.floats(-300, 300)


def logarithm(x: Decimal) -> float:
    return float(x.ln())


def power(x: float) -> Decimal:
    return Decimal(x).exp()


@given(NUMBERS)
def test_softplus(x):
    assert softplus(x) == pytest.approx(logarithm(1 + power(x)), rel=1e-12, abs=1e-26)


@given(st.floats(1e-12, 300))
def test_log_expm1(x):
    if x > 1e-6:  # below, 28 digits are too few for the exact way
        assert log_expm1(x) == pytest.approx(logarithm(power(x) - 1), rel=1e-9, abs=1e-12)
    assert softplus(log_expm1(x)) == pytest.approx(x, rel=1e-9)


@given(NUMBERS, NUMBERS)
def test_log_add(a, b):
    assert log_add(a, b) == log_add(b, a)
    assert log_add(a, b) == pytest.approx(logarithm(power(a) + power(b)), rel=1e-12, abs=1e-12)


def test_nothing_adds_nothing():
    assert softplus(-math.inf) == 0
    assert log_expm1(0.0) == -math.inf
    assert log_add(-math.inf, 3.0) == log_add(3.0, -math.inf) == 3.0
    assert log_add(-math.inf, -math.inf) == -math.inf
