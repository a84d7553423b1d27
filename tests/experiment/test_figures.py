from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corollary.experiment.methods import PAPER
from corollary.experiment.report import make_report

from .test_comparison import OURS, curve, runs_to, seven

pytest.importorskip("matplotlib")

from corollary.experiment.figures import draw_all, furthest, on_one_grid, styles


def test_all_figures_are_drawn(tmp_path: Path) -> None:
    stuck = {seed: curve([0, 9], [0.5, 0.6]) for seed in range(3)}
    curves = {
        "free": {**seven(0), OURS: runs_to(0, 0, 0), "gain (auto)": runs_to(0, 50, 0)},
        "stuck": {**dict.fromkeys(PAPER, stuck), OURS: stuck, "gain (auto)": stuck},
    }
    report = make_report(curves, targets=[0.999], about={})
    names = draw_all(curves, report, tmp_path)
    assert names == ["ratios-0.999.png", "free.png", "stuck.png"]
    for name in names:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / name).with_suffix(".svg").read_text(encoding="utf-8")


def test_the_same_curves_give_the_same_files(tmp_path: Path) -> None:
    curves = {"half": {**seven(100), OURS: runs_to(40, 50, 60)}}
    report = make_report(curves, targets=[0.999], about={})
    drawn = []
    for _ in range(2):
        draw_all(curves, report, tmp_path)
        drawn.append([(tmp_path / name).read_bytes() for name in ("half.svg", "ratios-0.999.svg", "half.png")])
    assert drawn[0] == drawn[1]


def test_runs_meet_on_one_grid() -> None:
    grid, values = on_one_grid([curve([0, 10], [0.0, 1.0]), curve([0, 5], [0.5, 0.9])])
    assert grid.tolist() == [0, 5, 10]
    assert np.allclose(values, [[0.0, 0.5, 1.0], [0.5, 0.9, 0.9]])


def test_every_contender_has_a_style_of_its_own() -> None:
    curves = {"half": {**seven(100), OURS: runs_to(40, 50, 60), "gain (auto)": runs_to(1, 2, 3)}}
    report = make_report(curves, targets=[0.999], about={})
    found = styles(report)
    assert list(found) == [*PAPER, OURS, "gain (auto)"]
    assert len({(style["color"], str(style["linestyle"])) for style in found.values()}) == 9
    assert furthest(curves["half"], report.standings, report.ours) == pytest.approx(110)
