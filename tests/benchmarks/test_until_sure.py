"""The promise of a stopping rule, held against the truth."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from benchmarks.until_sure import Check, Stopped, label_until_sure


@pytest.fixture
def blobs():
    """Three exclusive classes that a linear learner tells apart nearly always."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=300)
    X = rng.normal(size=(300, 4)) + 2.5 * np.eye(4)[kind]
    Y = np.eye(3, dtype=np.int8)[kind]
    onto = co.Ontology(["a", "b", "c"], [co.exclusive("a", "b", "c")])
    return co.Dataset(X, Y, onto, train=np.arange(300) < 100)


def test_a_run_stops_when_the_forecast_is_sure_and_not_before(blobs):
    stopped = label_until_sure(blobs, target=0.97, learner="crf", per_round=10)
    *before, last = stopped.checks
    assert last.promised >= 0.97
    assert all(check.promised < 0.97 for check in before)
    assert [check.asked for check in stopped.checks] == list(range(0, last.asked + 1, 10))
    assert stopped.held
    assert stopped.needed <= stopped.asked < 600
    assert stopped.coverage > 0.85
    assert stopped.stop_at(0.97) == last
    assert stopped.stop_at(0.9).asked <= last.asked
    assert stopped == label_until_sure(blobs, target=0.97, learner="crf", per_round=10)


def test_a_target_that_takes_everything_ends_when_nothing_is_open(blobs):
    stopped = label_until_sure(blobs, target=1 - 1e-9, learner="crf", per_round=100)
    assert stopped.checks[-1].true == 1.0
    assert stopped.held


def test_without_questions_by_chance_nothing_is_promised_and_the_interval_ends_the_run(blobs):
    stopped = label_until_sure(blobs, target=0.97, learner="crf", per_round=20, by_chance=0.0)
    *before, last = stopped.checks
    assert last.low >= 0.97
    assert all(check.low < 0.97 for check in before)
    assert stopped.stop_at(0.97) is None


def test_a_run_with_wrong_answers(blobs):
    stopped = label_until_sure(blobs, target=0.9, learner="crf", per_round=40, wrong=0.05)
    assert stopped.checks[-1].promised >= 0.9
    assert stopped == label_until_sure(blobs, target=0.9, learner="crf", per_round=40, wrong=0.05)


def test_what_a_stopped_run_tells():
    checks = tuple(
        Check(asked, low, true, high, true, 0, (0, 0))
        for asked, low, high, true in [
            (0, 0.5, 0.7, 0.8),
            (5, 0.8, 0.95, 0.91),
            (9, 0.9, 1.0, 0.89),
        ]
    )
    stopped = Stopped(0.9, checks)
    assert (stopped.asked, stopped.needed, stopped.held) == (9, 5, False)
    assert stopped.coverage == pytest.approx(1 / 3)
    assert stopped.questions_coverage == 0.0
    assert stopped.stop_at(0.9) is None
    right_away = (Check(0, 0.9, 0.95, 1.0, 0.95, 0, (0, 0)),)
    assert Stopped(0.9, right_away).questions_coverage is None
    foreseen = (Check(0, 0.5, 0.6, 0.7, 0.8, 4, (2, 6)), Check(5, 0.8, 0.9, 1.0, 0.95, 0, (0, 0)))
    assert Stopped(0.9, foreseen).questions_coverage == 1.0


def test_bad_input(blobs):
    with pytest.raises(co.CorollaryError, match="needs a Dataset"):
        label_until_sure("iris")
    with pytest.raises(co.CorollaryError, match="until must be"):
        label_until_sure(blobs, target=3)
