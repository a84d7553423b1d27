from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corollary.experiment.methods import PAPER
from evidence.reports.figures import draw_all, draw_choice, furthest
from evidence.reports.reliability import Trust
from evidence.reports.report import make_report

from ...experiment.curves import OURS, curve, runs_to, seven

pytestmark = pytest.mark.slow

STUCK = {seed: curve([0, 9], [0.5, 0.6]) for seed in range(3)}


def test_all_figures_are_drawn(tmp_path: Path) -> None:
    curves = {
        "free": {**seven(0), OURS: runs_to(0, 0, 0), "gain (auto)": runs_to(0, 50, 0)},
        "stuck": {**dict.fromkeys(PAPER, STUCK), OURS: STUCK, "gain (auto)": STUCK},
    }
    report = make_report(curves, targets=[0.999], about={})
    trust = Trust(
        {"before": np.array([[0.4]]), "after": np.array([[0.6]])}, np.ones((1, 1), np.int8), 7
    )
    names = draw_all(curves, report, tmp_path, trusts={"free": trust})
    assert names == ["ratios-0.999.png", "free.png", "stuck.png", "reliability-free.png"]
    for name in names:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / name).with_suffix(".svg").read_text(encoding="utf-8")


def test_where_only_the_choice_differs_the_curves_are_drawn(tmp_path: Path) -> None:
    curves = {
        "half": {
            **seven(100),
            "posterior": runs_to(40, 50, 60),
            "margin:items": runs_to(900, 900, 900),
        },
        "folder/stuck.csv": {"LOG-CP": STUCK, "posterior": STUCK, "margin:items": STUCK},
    }
    assert draw_choice(curves, [0.99, 0.999], tmp_path) == ["half.png", "stuck.png"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "half.png",
        "half.svg",
        "stuck.png",
        "stuck.svg",
    ]
    assert "margin:items" in (tmp_path / "half.svg").read_text(encoding="utf-8")


def test_the_same_curves_give_the_same_files(tmp_path: Path) -> None:
    curves = {"half": {**seven(100), OURS: runs_to(40, 50, 60)}}
    report = make_report(curves, targets=[0.999], about={})
    drawn = []
    for _ in range(2):
        draw_all(curves, report, tmp_path)
        drawn.append(
            [
                (tmp_path / name).read_bytes()
                for name in ("half.svg", "ratios-0.999.svg", "half.png")
            ]
        )
    assert drawn[0] == drawn[1]


def test_the_axis_ends_where_all_but_the_slowest_are_done() -> None:
    curves = {"half": {**seven(100), OURS: runs_to(40, 50, 60), "gain (auto)": runs_to(1, 2, 3)}}
    report = make_report(curves, targets=[0.999], about={})
    assert furthest(curves["half"], report.standings, report.ours) == pytest.approx(110)
