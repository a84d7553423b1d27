from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

import corollary as co
from corollary.experiment.metrics import brier_score, expected_calibration_error
from corollary.plot.calibration import _interval

ONTO = co.Ontology(["animal", "bird"], [co.implies("bird", "animal")])


def test_shares_counts_and_figures() -> None:
    beliefs, truth = [[0.1, 0.9], [0.2, 0.95], [0.15, 0.3]], [[0, 1], [0, 0], [1, -1]]
    ax = co.plot.reliability(beliefs, truth, bins=2)
    _diagonal, line = ax.get_lines()
    assert line.get_xydata().tolist() == [
        [pytest.approx(0.15), pytest.approx(1 / 3)],
        [pytest.approx(0.925), 0.5],
    ]
    known = np.array([[0.1, 0.9, 0.2, 0.95, 0.15]]), np.array([[0, 1, 0, 0, 1]])
    told = f"Brier {brier_score(*known):.3f}, ECE {expected_calibration_error(*known, bins=2):.3f}"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["as predicted", told]
    (counts,) = ax.child_axes
    assert [bar.get_height() for bar in counts.patches] == [3, 2]
    assert counts.get_xlabel() == "belief (5 cells)"


def test_before_and_after() -> None:
    _figure, given_axes = plt.subplots()
    truth = np.array([[0, 1]])
    ax = co.plot.reliability({"before": [[0.4, 0.6]], "after": [[0.0, 1.0]]}, truth, ax=given_axes)
    assert ax is given_axes
    _, before, after = ax.get_lines()
    assert before.get_xdata().tolist() == pytest.approx([0.4, 0.6])
    assert after.get_ydata().tolist() == [0, 1]
    assert before.get_color() != after.get_color()
    assert before.get_marker() != after.get_marker()  # not by colour alone
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[1:] == ["before (Brier 0.160, ECE 0.400)", "after (Brier 0.000, ECE 0.000)"]


def test_of_a_session_the_open_cells_count() -> None:
    session = co.Session(ONTO, beliefs=[[0.2, 0.6], [0.7, 0.1]], facts=[[1, -1], [-1, -1]])
    ax = co.plot.reliability(session, [[1, 1], [1, 0]])
    assert ax.child_axes[0].get_xlabel() == "belief (3 cells)"
    names = [text.get_text().split(" (")[0] for text in ax.get_legend().get_texts()]
    assert names == ["as predicted", "classifier's beliefs", "posterior"]
    believed = sorted([0.6, 0.7, 0.1])
    assert ax.get_lines()[1].get_xdata().tolist() == pytest.approx(believed)
    posterior = ONTO.posterior([[0.2, 0.6], [0.7, 0.1]], [[1, -1], [-1, -1]])
    assert ax.get_lines()[2].get_xdata().tolist() == pytest.approx(
        sorted([posterior[0, 1], *posterior[1]])
    )


def test_a_truth_in_a_frame_goes_by_name_and_item_id() -> None:
    beliefs = pd.DataFrame([[0.6, 0.2], [0.7, 0.1]], columns=ONTO.labels, index=["x", "y"])
    truth = pd.DataFrame([[1, 0], [0, 0]], columns=ONTO.labels, index=["x", "y"])
    mixed = truth[["bird", "animal"]].loc[["y", "x"]]
    for given_beliefs in (beliefs, co.Session(ONTO, beliefs=beliefs)):
        drawn = [
            co.plot.reliability(given_beliefs, one).get_lines()[-1].get_xydata()
            for one in (truth, mixed)
        ]
        np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize(
    ("beliefs", "truth", "told"),
    [
        ([[0.5]], [[1, 0]], r"one shape, got \(1, 1\) and \(1, 2\)"),
        ({"mine": [[0.5]]}, [[1, 0]], "beliefs of 'mine' and truth"),
        ([[0.5]], [[2]], "0 or 1, or -1"),
        ([[0.5]], [[-1]], "no cell to draw"),
        ([[1.5]], [[1]], "between 0 and 1"),
        ({}, [[1]], "no beliefs"),
    ],
)
def test_what_cannot_be_drawn_is_told(beliefs: object, truth: object, told: str) -> None:
    with pytest.raises(co.CorollaryError, match=told):
        co.plot.reliability(beliefs, truth)  # type: ignore[arg-type]


@given(st.integers(0, 40), st.integers(1, 40))
def test_the_interval_holds_the_shares_that_would_not_be_surprised(yes: int, more: int) -> None:
    n = yes + more
    low, high = _interval(np.array([yes / n]), np.array([n]))
    for share in np.linspace(
        0.001, 0.999, 199
    ):  # the naive twin: who is within 1.96 standard deviations
        inside = abs(yes / n - share) <= 1.96 * np.sqrt(share * (1 - share) / n)
        near = min(abs(share - low[0]), abs(share - high[0])) < 1e-9
        assert near or inside == (low[0] <= share <= high[0])
