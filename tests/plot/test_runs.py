from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import corollary as co
from corollary.plot.runs import LEAST, on_one_grid, styles

from ..experiment.curves import curve, run


def lines_of(ax: Axes) -> dict[str, list[list[float]]]:
    """The lines that the legend names, as points."""
    return {
        str(line.get_label()): line.get_xydata().tolist()
        for line in ax.get_lines()
        if line.get_label()[0] != "_"
    }


def test_the_mean_over_the_seeds_and_their_range() -> None:
    runs = [
        run([0, 10], [0.0, 1.0], method="posterior"),
        run([0, 5], [0.5, 0.9], method="posterior"),
        run([0, 8], [0.2, 0.4], method="LOG-CP"),
    ]
    ax = co.plot.curves(runs, targets=[0.99])
    assert isinstance(ax, Axes)
    lines = lines_of(ax)
    assert list(lines) == ["LOG-CP", "posterior"]  # ours on top
    assert lines["posterior"] == pytest.approx(np.array([[0, 0.25], [5, 0.7], [10, 0.95]]))
    (band,) = ax.collections  # one run alone has no range
    corners = {tuple(np.round(point, 6)) for point in band.get_paths()[0].vertices}
    assert {(0.0, 0.0), (0.0, 0.5), (5.0, 0.5), (5.0, 0.9), (10.0, 0.9), (10.0, 1.0)} <= corners
    assert [text.get_text() for text in ax.texts] == ["0.99"]
    assert ax.get_xlabel() == "questions asked"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["LOG-CP", "posterior"]


def test_what_is_missing_to_1_is_logarithmic() -> None:
    figure, given = plt.subplots()
    ax = co.plot.curves({"mine": run([0, 4], [0.9, 1.0])}, ax=given, missing=True, legend=False)
    assert ax is given
    assert figure.axes == [given]
    assert ax.get_yscale() == "log"
    assert lines_of(ax)["mine"] == pytest.approx(np.array([[0, 0.1], [4, LEAST]]))
    assert ax.get_legend() is None


def test_part_shaded_and_learners() -> None:
    runs = [
        run([0, 4], [0.5, 0.6], method="gain", learner=name) for name in ("crf", "crf", "logistic")
    ]
    assert list(lines_of(co.plot.curves(runs))) == ["gain (crf)", "gain (logistic)"]
    assert not co.plot.curves(runs, shaded=()).collections
    full = run([0, 4], [0.5, 0.6]).to_json() | {"auc_full": [0.1, 0.2]}
    ax = co.plot.curves(co.Curve.from_json(full), part="full")
    assert lines_of(ax)["run"] == [[0, 0.1], [4, 0.2]]
    assert "all items" in ax.get_ylabel()


def test_a_file_of_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    one = run([0, 4], [0.5, 0.6], method="entropy")
    path.write_text(json.dumps({"job": {"dataset": "d"}, "curve": one.to_json()}) + "\n")
    assert lines_of(co.plot.curves(path)) == {"entropy": [[0, 0.5], [4, 0.6]]}


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], "no curves"),
        ({"mine": []}, "no curves to draw of 'mine'"),
        ({"mine": [1]}, "what simulate returns, got 1"),
        ("nowhere.jsonl", "no runs in nowhere.jsonl"),
        ([run([0], [1]), run([0], [1], dataset="e")], "several data sets \\(d, e\\)"),
    ],
)
def test_what_cannot_be_drawn_is_told(runs: Any, told: str) -> None:
    with pytest.raises(co.CorollaryError, match=told):
        co.plot.curves(runs)
    assert not plt.get_fignums()  # and no empty figure is left behind


def test_runs_meet_on_one_grid() -> None:
    grid, values = on_one_grid([curve([0, 10], [0.0, 1.0]), curve([0, 5], [0.5, 0.9])])
    assert grid.tolist() == [0, 5, 10]
    assert np.allclose(values, [[0.0, 0.5, 1.0], [0.5, 0.9, 0.9]])


def test_every_method_has_a_style_of_its_own() -> None:
    from corollary.experiment.methods import PAPER

    names = ["posterior (auto)", *PAPER, "gain (auto)"]
    found = styles(names)
    assert list(found) == [*PAPER, "posterior (auto)", "gain (auto)"]
    assert len({(style["color"], str(style["linestyle"])) for style in found.values()}) == 9
    many = styles([f"method {n}" for n in range(10)])  # the same colours again, thinner
    assert len({str(sorted(style.items())) for style in many.values()}) == 10
