"""The reports in docs/comparison are what their runs give, and the runs are those of today's methods."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from corollary.experiment.methods import PAPER, PAPER_ROUNDS
from corollary.experiment.runs import job_key
from corollary.experiment.runs import results as runs_of
from corollary.experiment.simulation import Curve
from evidence.reports.comparison import DEFAULT, contenders, jobs_by_place, standing
from evidence.reports.ladder import CANDIDATES

from .pages import ROOT

COMPARISON = ROOT / "docs" / "comparison"
#: The folders and the targets of their runs.
TARGETS = {"": 0.999, "small-start": 0.999, "imclef07d": 0.99, "diatoms": 0.99}


def curves_in(folder: str) -> dict[str, dict[str, dict[int, Curve]]]:
    """The runs of a comparison, by data set, method and seed."""
    found: dict[str, dict[str, dict[int, Curve]]] = {}
    for job, curve in runs_of(COMPARISON / folder / "runs.jsonl.gz"):
        name = "posterior (auto)" if job["method"] == DEFAULT else job["method"]
        found.setdefault(job["dataset"], {}).setdefault(name, {})[job["seed"]] = curve
    return {
        dataset: {
            name: {seed: runs[seed] for seed in sorted(runs)} for name, runs in by_method.items()
        }
        for dataset, by_method in found.items()
    }


def rounded_off(found):
    """As JSON has it, to nine digits after the point."""
    return json.loads(json.dumps(found), parse_float=lambda digits: round(float(digits), 9))


@pytest.mark.parametrize("folder", TARGETS)
def test_reports_are_what_the_runs_give(folder):
    report = json.loads((COMPARISON / folder / "report.json").read_text(encoding="utf-8"))
    told = {one["dataset"]: one for one in report["standings"] if one["target"] == TARGETS[folder]}
    found = curves_in(folder)
    assert set(told) == set(found)
    for dataset, by_method in found.items():
        entered = {one["name"]: by_method[one["name"]] for one in told[dataset]["figures"]}
        made = standing(dataset, entered, TARGETS[folder])
        assert rounded_off(asdict(made)) == rounded_off(told[dataset])


@pytest.mark.parametrize(
    ("folder", "datasets", "how"),
    [
        ("", PAPER_ROUNDS, {}),
        ("small-start", PAPER_ROUNDS, {"start": 3}),
        (
            "imclef07d",
            ["hmc_imclef07d"],
            {"targets": [0.99], "per_round": 100, "paper": CANDIDATES},
        ),
        ("diatoms", ["hmc_diatoms"], {"targets": [0.99], "paper": ("PROBABILITY-CP", "LINEAR-CP")}),
    ],
)
def test_the_runs_can_be_reused(folder, datasets, how):
    how = {"targets": [0.999], "paper": PAPER, **how}
    entered = contenders(paper=how.pop("paper"))
    jobs = jobs_by_place([{"dataset": name} for name in datasets], entered, seeds=3, **how)
    kept = {job_key(job) for job, _ in runs_of(COMPARISON / folder / "runs.jsonl.gz")}
    assert {job_key(job) for job in jobs.values()} <= kept
