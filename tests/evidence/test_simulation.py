"""Methods by name, other tools' strategies included, and results taken from another file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from corollary.experiment.methods import PAPER
from corollary.experiment.origin import Origin
from corollary.experiment.runs import Job, append_result, job_key, origins_of, results
from corollary.learning.session.options import Experiment
from corollary.logic.errors import CorollaryError
from evidence.simulation import adopt, check_method, run, simulate, split

from ..experiment.curves import curve
from ..experiment.made_up import made_up


def test_strategies_and_forms() -> None:
    assert split("margin:items") == ("margin", "items")
    assert split("badge:cells") == ("badge", "cells")
    assert split("LOG-CP:marginals") == split("log:marginals") == ("log", "marginals")
    for name in (*PAPER, "posterior", "LOG:marginals", "bald:cells"):
        check_method(name)
    for wrong in (
        "margin:cells",
        "MARGIN:items",
        "log:items",
        "posterior:",
        "margin:",
        "log:margins",
        "log-CP:marginals",
        "bald",
    ):
        with pytest.raises(CorollaryError, match="no method"):
            check_method(wrong)
    with pytest.raises(CorollaryError, match="did you mean 'badge:items'"):
        check_method("bagde:items")


@pytest.mark.parametrize(
    ("method", "propagate"),
    [("log:marginals", True), ("LOG-CP:marginals", True), ("LOG:marginals", False)],
)
def test_the_name_says_whether_answers_propagate(method: str, propagate: bool) -> None:
    found = simulate(made_up(n=21, n_train=9), method, learner="logistic", max_rounds=1)
    assert found.settings["method"] == method
    assert found.settings["propagate"] == propagate
    other = simulate(
        made_up(n=21, n_train=9),
        method,
        learner="logistic",
        max_rounds=1,
        asking=Experiment(propagate=not propagate),
    )
    assert other.settings["propagate"] != propagate


def test_a_job_names_its_strategy(tmp_path: Path) -> None:
    settings = {"per_round": 20, "learner": "logistic", "max_rounds": 2}
    job = {"dataset": "iris", "method": "margin:items", "seed": 1, "settings": settings}
    found = run(job)
    assert found.settings["method"] == "margin:items"
    assert found.settings["random_state"] == 1
    assert found.asked.tolist() == [0, 20, 40]


def test_results_are_taken_once_with_their_origin(tmp_path: Path) -> None:
    jobs: list[Job] = [{"dataset": "iris", "method": name, "seed": 0} for name in PAPER[:5]]
    made_by = Origin("2" * 40, None, {"corollary": "0.0.1"})
    whole, path = tmp_path / "whole.jsonl", tmp_path / "results.jsonl"
    with whole.open("ab", buffering=0) as file:
        for place, job in enumerate(jobs):
            append_result(file.fileno(), job, curve([0], [0.5]), made_by if place else Origin())
    lines = whole.read_bytes().splitlines(keepends=True)
    assert "origin" not in json.loads(lines[0])
    path.write_bytes(lines[0] + lines[1][:30])  # one is there already, another is torn
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(b"".join([*lines, lines[-1]])))
    assert adopt(jobs[:4], path, source=packed) == 3
    assert [job_key(job) for job, _ in results(path)] == list(map(job_key, jobs[:4]))
    assert adopt(jobs, path, source=whole) == 1
    assert adopt(jobs, path, source=whole) == 0
    assert path.read_bytes() == whole.read_bytes()
    assert origins_of(jobs, path) == [Origin(), *[made_by] * 4]
    other = {**jobs[0], "settings": {"start": 3}}
    assert adopt([other], tmp_path / "none.jsonl", source=whole) == 0
    with pytest.raises(CorollaryError, match="absent.jsonl does not exist"):
        adopt(jobs, path, source=tmp_path / "absent.jsonl")
