"""Metrics against their definitions, written out naively, and against scikit-learn."""

from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from corollary import CorollaryError
from corollary.experiment.metrics import (
    average_precision,
    brier_score,
    expected_calibration_error,
    log_loss,
    questions_to,
    reliability,
    weighted_auc,
)


def naive_area(scores, truth):
    """Walk down the distinct scores; every step adds a rectangle: what recall gains, as high as precision is there."""
    positives = sum(truth)
    if not positives:
        return math.nan
    area = recall = 0.0
    for threshold in sorted(set(scores), reverse=True):
        retrieved = [t for s, t in zip(scores, truth, strict=True) if s >= threshold]
        area += (sum(retrieved) / positives - recall) * sum(retrieved) / len(retrieved)
        recall = sum(retrieved) / positives
    return area


@st.composite
def scored(draw):
    """Scores with many ties, and the truth; some labels without positives, some without negatives."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    cells = st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5 + 1e-12, 1.0]), min_size=k, max_size=k),
        min_size=n,
        max_size=n,
    )
    truth = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
    return np.array(draw(cells)), np.array(draw(truth), np.int8)


@given(scored())
def test_area_is_the_naive_one(cells):
    scores, truth = cells
    expected = [
        naive_area(scores[:, k].tolist(), truth[:, k].tolist()) for k in range(scores.shape[1])
    ]
    np.testing.assert_allclose(average_precision(scores, truth), expected, rtol=1e-12)


@given(scored())
def test_weights_are_the_positives(cells):
    scores, truth = cells
    areas = [
        naive_area(scores[:, k].tolist(), truth[:, k].tolist()) for k in range(scores.shape[1])
    ]
    weights = truth.sum(axis=0)
    if not weights.any():
        assert math.isnan(weighted_auc(scores, truth))
        return
    expected = sum(a * w for a, w in zip(areas, weights, strict=True) if w) / weights.sum()
    assert weighted_auc(scores, truth) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("decimals", [1, 2, 12])
def test_area_is_that_of_scikit_learn(decimals):
    rng = np.random.default_rng(decimals)
    truth = rng.random((3000, 5)) < [0.01, 0.1, 0.3, 0.5, 0.9]
    scores = np.round(
        np.clip(0.3 * rng.normal(size=truth.shape) + 0.4 * truth + 0.3, 0, 1), decimals
    )
    expected = [
        sklearn_metrics.average_precision_score(truth[:, k], scores[:, k]) for k in range(5)
    ]
    np.testing.assert_allclose(average_precision(scores, truth), expected, rtol=1e-12)


def test_the_order_of_rows_does_not_matter_even_where_all_scores_tie():
    truth = np.array([[1], [0], [0], [1]])
    for order in ([0, 1, 2, 3], [3, 0, 1, 2], [1, 2, 0, 3]):
        assert average_precision(np.full((4, 1), 0.5), truth[order]) == [0.5]


def test_known_facts_give_one():
    truth = np.eye(4, dtype=np.int8)
    assert weighted_auc(truth.astype(float), truth) == 1
    assert weighted_auc(truth, truth) == 1


@pytest.mark.parametrize(("n", "k"), [(20_000, 26), (17_454, 13)])
def test_faster_than_a_label_at_a_time(n, k):
    rng = np.random.default_rng(0)
    truth = np.zeros((n, k), np.int8)
    truth[np.arange(n), rng.integers(k, size=n)] = 1
    scores = np.clip(0.2 * rng.normal(size=(n, k)) + 0.3 * truth + 0.3, 0, 1)

    def label_by_label():
        return [
            sklearn_metrics.average_precision_score(truth[:, one], scores[:, one])
            for one in range(k)
        ]

    ours, theirs = (
        least_seconds(how) for how in (lambda: average_precision(scores, truth), label_by_label)
    )
    assert ours < theirs  # on the processor, one beside the other


def least_seconds(function):
    times = []
    for _ in range(5):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize(
    ("scores", "truth", "message"),
    [
        ([0.5], [1], "items x labels"),
        ([[0.5, 0.5]], [[1]], "got shapes (1, 2) and (1, 1)"),
        ([[0.5]], [[2]], "item 0, label 0 has 2"),
        ([[0.5], [math.nan]], [[1], [0]], "item 1, label 0 has nan"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "nothing to measure"),
    ],
)
def test_what_cannot_be_measured_is_told(scores, truth, message):
    for measure in (average_precision, weighted_auc, log_loss, brier_score, reliability):
        with pytest.raises(CorollaryError) as told:
            measure(scores, truth)
        assert message in str(told.value)


def test_questions_to_the_first_point_at_or_above_the_target():
    asked, auc = [0, 10, 20, 30, 40], [0.2, 0.9, 0.999, 0.98, 1.0]
    assert questions_to(asked, auc, 0.999) == 20  # it falls again, and that is no matter
    assert questions_to(asked, auc, 0.1) == 0
    assert questions_to(asked, auc, 0.9995) == 40
    assert questions_to(asked, auc, 1.1) is None
    assert questions_to([], [], 0.5) is None
    assert questions_to(asked, auc, 0.98, kept=True) == 20
    assert questions_to(asked, auc, 0.999, kept=True) == 40  # where it falls again, that counts
    assert questions_to(asked, [*auc[:4], 0.5], 0.9, kept=True) is None
    assert questions_to([], [], 0.5, kept=True) is None
    assert questions_to([0, 5], [math.nan, 1], 0.5) == 5
    with pytest.raises(CorollaryError, match="one length"):
        questions_to([1, 2], [0.5], 0.9)


@given(scored())
def test_losses_are_the_naive_ones(cells):
    beliefs, truth = cells
    pairs = list(zip(beliefs.ravel().tolist(), truth.ravel().tolist(), strict=True))
    logs = [-math.log(max(b if t else 1 - b, 1e-12)) for b, t in pairs]
    assert log_loss(beliefs, truth) == pytest.approx(sum(logs) / len(logs), rel=1e-9, abs=1e-12)
    squares = [(b - t) ** 2 for b, t in pairs]
    assert brier_score(beliefs, truth) == pytest.approx(sum(squares) / len(squares), abs=1e-12)


@given(scored(), st.integers(1, 12))
def test_calibration_is_the_naive_one(cells, bins):
    beliefs, truth = cells
    pairs = list(zip(beliefs.ravel().tolist(), truth.ravel().tolist(), strict=True))
    error, points = 0.0, []
    for b in range(bins):
        inside = [p for p in pairs if min(int(p[0] * bins), bins - 1) == b]
        if inside:
            belief, frequency = (sum(values) / len(inside) for values in zip(*inside, strict=True))
            points.append((belief, frequency, len(inside)))
            error += len(inside) / len(pairs) * abs(belief - frequency)
    np.testing.assert_allclose(
        np.array(reliability(beliefs, truth, bins=bins)).T, points, atol=1e-12
    )
    assert expected_calibration_error(beliefs, truth, bins=bins) == pytest.approx(error, abs=1e-12)


def test_beliefs_must_be_probabilities():
    for measure in (log_loss, brier_score, reliability, expected_calibration_error):
        with pytest.raises(CorollaryError, match="between 0 and 1"):
            measure([[1.5]], [[1]])
    with pytest.raises(CorollaryError, match="at least 1"):
        reliability([[0.5]], [[1]], bins=0)


def test_two_frames_are_matched_by_name_and_item_id():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(
        rng.random((20, 3)), columns=list("abc"), index=[f"i{i}" for i in range(20)]
    )
    truth = (scores + rng.normal(0, 0.3, scores.shape) > 0.5).astype(int)
    mixed = truth[["c", "a", "b"]][::-1]
    assert log_loss(scores, mixed) == pytest.approx(log_loss(scores.to_numpy(), truth.to_numpy()))
    assert weighted_auc(scores, mixed) == weighted_auc(scores, truth)
    with pytest.raises(CorollaryError, match="the column 'd' of truth is no label"):
        log_loss(scores, mixed.rename(columns={"c": "d"}))
