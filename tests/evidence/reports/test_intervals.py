from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.experiment.data.known import KNOWN
from evidence.reports.intervals import GROUPS, groups_of, ratio_interval

counts = st.integers(0, 30)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[list[int]], list[list[list[int]]]]:
    """For each of some data sets the questions of ours, and of two others, by seed."""
    ours, theirs = [], []
    for _ in range(draw(st.integers(1, 4))):
        seeds = draw(st.integers(1, 3))
        runs = [draw(st.lists(counts, min_size=seeds, max_size=seeds)) for _ in range(3)]
        ours.append(runs[0])
        theirs.append(runs[1:])
    return ours, theirs


def by_hand(ours: list[list[int]], theirs: list[list[list[int]]]) -> float:
    """The naive twin of the ratio."""
    product = 1.0
    for one, others in zip(ours, theirs, strict=True):
        rival = min(max(sum(some) / len(some), 1.0) for some in others)
        product *= max(sum(one) / len(one), 1.0) / rival
    return product ** (1 / len(ours))


@settings(max_examples=30)
@given(questions(), st.integers(0, 9))
def test_an_interval_is_read_off_samples_of_sets_and_seeds(runs, seed: int) -> None:
    ours, theirs = runs
    found = ratio_interval(ours, theirs, draws=40, random_state=seed)
    assert found.value == pytest.approx(by_hand(ours, theirs))
    random = np.random.default_rng(
        seed
    )  # the naive twin draws the same, and works out every sample by itself
    which = random.integers(len(ours), size=(40, len(ours)))
    drawn: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(ours):
        cells = [(a, b) for a in range(40) for b in range(len(ours)) if which[a, b] == place]
        seeds_of = random.integers(len(one), size=(len(cells), len(one))).tolist()
        drawn.update(zip(cells, seeds_of, strict=True))
    samples = []
    for a in range(40):
        sample_ours, sample_theirs = [], []
        for b in range(len(ours)):
            place, seeds = which[a, b], drawn[a, b]
            sample_ours.append([ours[place][s] for s in seeds])
            sample_theirs.append([[other[s] for s in seeds] for other in theirs[place]])
        samples.append(math.log(by_hand(sample_ours, sample_theirs)))
    low, high = np.exp(np.quantile(samples, [0.025, 0.975]))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_one_run_has_no_spread_and_equal_runs_have_none() -> None:
    alone = ratio_interval([[10]], [[[40], [20]]])
    assert (alone.value, alone.low, alone.high) == pytest.approx((0.5, 0.5, 0.5))
    same = ratio_interval([[10, 10], [1, 1]], [[[20, 20]], [[2, 2]]])
    assert (same.low, same.high) == pytest.approx((0.5, 0.5))
    assert ratio_interval([[0]], [[[0]]]).value == 1.0


def test_an_interval_tells_over_how_many_data_sets_it_is() -> None:
    ours, theirs = [[10], [20]], [[[20]], [[20]]]
    whole, some = ratio_interval(ours, theirs), ratio_interval(ours, theirs, of=3)
    assert (whole.datasets, whole.of, whole.is_partial) == (2, 2, False)
    assert (some.datasets, some.of, some.is_partial) == (2, 3, True)


def test_intervals_cover_what_they_say() -> None:
    """Of runs whose ratio is known, some nine in ten intervals hold it; few sets make them a little narrow."""
    rng = np.random.default_rng(0)
    hits = 0
    for trial in range(200):
        true = rng.normal(math.log(0.3), 0.5, size=12)
        theirs = [[np.full(5, 1e6) * np.exp(rng.normal(0, 0.1, 5))] for _ in true]
        ours = [1e6 * np.exp(one + rng.normal(0, 0.1, 5)) for one in true]
        found = ratio_interval(ours, theirs, draws=300, random_state=trial)
        hits += found.low <= 0.3 <= found.high
    assert 0.85 <= hits / 200 <= 1.0


def test_every_known_data_set_is_of_a_kind() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(KNOWN)
    assert groups_of(["mine", "nell-7", "iris", "vowel"]) == {
        "flat": ["iris", "vowel"],
        "NELL": ["nell-7"],
        "others": ["mine"],
    }
