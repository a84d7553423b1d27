"""Agreement: alpha and kappa as defined, pair by pair; error rates; reliability as a naive loop has it."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.progress.agreement import (
    accuracy_by_pairs,
    cohen_kappa,
    error_rate,
    krippendorff_alpha,
    reliability,
    wilson,
)

UNITS = st.lists(st.lists(st.booleans(), max_size=5), max_size=8)


def naive_alpha(units):
    """Observed against expected disagreement, over all pairs of values, as Krippendorff defines it."""
    units = [unit for unit in units if len(unit) >= 2]
    values = [value for unit in units for value in unit]
    n = len(values)
    observed = sum(
        Fraction(sum(a != b for a, b in permutations(unit, 2)), len(unit) - 1) for unit in units
    )
    expected = sum(a != b for a, b in permutations(values, 2))
    if not expected:
        return None
    return 1 - (observed / n) / Fraction(expected, n * (n - 1))


def naive_kappa(first, second):
    n = len(first)
    if not n:
        return None
    same = Fraction(sum(a == b for a, b in zip(first, second, strict=True)), n)
    chance = sum(Fraction(first.count(v), n) * Fraction(second.count(v), n) for v in (True, False))
    return None if chance == 1 else (same - chance) / (1 - chance)


def naive_reliability(votes, truth, people):
    """The same rounds, one vote at a time."""
    right, share = [0.9] * people, 0.5
    for _ in range(500):
        yes = []
        for unit, certain in enumerate(truth):
            odds = log(share / (1 - share))
            for u, person, value in votes:
                if u == unit:
                    odds += log(right[person] / (1 - right[person])) * (1 if value else -1)
            yes.append(certain if certain >= 0 else 1 / (1 + exp(-odds)))
        before, right = right, []
        for person in range(people):
            own = [(u, value) for u, p, value in votes if p == person]
            right.append(
                (9 + sum(yes[u] if value else 1 - yes[u] for u, value in own)) / (10 + len(own))
            )
        share = (sum(yes) + 1) / (len(yes) + 2)
        if max(abs(a - b) for a, b in zip(right, before, strict=True)) < 1e-9:
            break
    return right


@given(UNITS)
def test_alpha_is_as_defined(units):
    found = krippendorff_alpha(
        [sum(unit) for unit in units], [len(unit) - sum(unit) for unit in units]
    )
    expected = naive_alpha(units)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(float(expected), abs=1e-12)


def test_alpha_of_a_known_example():
    # Krippendorff (2011), two observers, binary data: alpha 0.095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    yes = np.add(first, second)
    assert krippendorff_alpha(yes, 2 - yes) == pytest.approx(0.095, abs=5e-4)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_kappa_is_as_defined(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found, expected = cohen_kappa(first, second), naive_kappa(first, second)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(float(expected), abs=1e-12)


def test_agreement_of_all_and_of_none():
    assert krippendorff_alpha([2, 0, 2], [0, 2, 0]) == 1.0
    assert krippendorff_alpha([2, 2], [0, 0]) is None
    assert krippendorff_alpha([1, 1], [0, 0]) is None
    assert cohen_kappa([True, False], [True, False]) == 1.0
    assert cohen_kappa([True, False], [False, True]) == -1.0


def test_bad_counts_are_refused():
    with pytest.raises(co.CorollaryError, match="count of yes and of no"):
        krippendorff_alpha([1, 2], [1])
    with pytest.raises(co.CorollaryError, match="same units"):
        cohen_kappa([True], [True, False])
    with pytest.raises(co.CorollaryError, match="at most n"):
        wilson(3, 2)


@given(st.floats(0, 0.5))
def test_error_rate_gives_the_difference_back(wrong):
    assert error_rate(2 * wrong * (1 - wrong)) == pytest.approx(wrong, abs=1e-7)


def test_error_rate_of_guesses():
    assert error_rate(0.5) == error_rate(0.9) == 0.5


@given(st.integers(1, 200), st.data())
def test_intervals_hold_the_estimate(n, data):
    count = data.draw(st.integers(0, n))
    low, high = wilson(count, n)
    assert 0 <= low <= count / n <= high <= 1
    value, least, most = accuracy_by_pairs(count, n)
    assert 0.5 <= least <= value <= most <= 1


def test_wilson_covers_what_it_should():
    rng = np.random.default_rng(0)
    seen = rng.binomial(80, 0.1, size=4000)
    inside = [low <= 0.1 <= high for low, high in (wilson(int(count), 80) for count in seen)]
    assert 0.87 <= np.mean(inside) <= 0.94


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.booleans()), min_size=1, max_size=20
    ),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=6, max_size=6),
)
def test_reliability_is_as_the_naive_loop_has_it(votes, truth):
    people = max(person for _, person, _ in votes) + 1
    unit, person, value = zip(*votes, strict=True)
    found = reliability(unit, person, value, truth)
    assert found == pytest.approx(naive_reliability(votes, truth, people), abs=1e-9)


def test_reliability_tells_careful_from_careless():
    rng = np.random.default_rng(1)
    truth = rng.random(400) < 0.3
    skill = [0.97, 0.9, 0.7]
    votes = [
        (u, p, bool(t) ^ bool(rng.random() > s))
        for u, t in enumerate(truth)
        for p, s in enumerate(skill)
    ]
    unit, person, value = zip(*votes, strict=True)
    found = reliability(unit, person, value, np.full(400, -1))
    assert found == pytest.approx(skill, abs=0.05)
    assert len(reliability([], [], [], [])) == 0


@given(UNITS, st.integers(1, 4))
def test_units_that_are_alike_may_come_together(units, times):
    yes, no = [sum(unit) for unit in units], [len(unit) - sum(unit) for unit in units]
    one_by_one = krippendorff_alpha(yes * times, no * times)
    together = krippendorff_alpha(yes, no, [times] * len(yes))
    assert together == (None if one_by_one is None else pytest.approx(one_by_one))
