from __future__ import annotations

import json
from itertools import pairwise

import pytest

import corollary as co
from corollary.experiment.methods import method_named
from corollary.experiment.origin import Origin
from corollary.experiment.runs import job_key
from corollary.learning.learners.learner import make_learner
from corollary.learning.session.arguments import how_to_stay
from corollary.logic.errors import CorollaryError
from evidence.reports.comparison import contenders, contenders_alike, jobs_by_place
from evidence.reports.ladder import (
    CANDIDATES,
    FIRST,
    RUNGS,
    as_json,
    as_markdown,
    best_of,
    climb,
    first_contenders,
    make_ladder,
    rungs,
)
from evidence.simulation import split

from ...experiment.curves import curve, runs_to


def test_each_rung_changes_one_thing_and_the_ends_are_those_of_a_comparison() -> None:
    how = {"seeds": 1, "targets": [0.999], "start": 3}
    first = jobs_by_place([{"dataset": "vowel"}], first_contenders(), **how)
    job = first["vowel", "LINEAR-CP", 0]
    ladder = rungs("LINEAR-CP", job)
    assert tuple(ladder) == RUNGS
    jobs = list(ladder.values())
    compared = jobs_by_place([{"dataset": "vowel"}], contenders(), **how)
    assert job_key(jobs[0]) == job_key(compared["vowel", "LINEAR-CP", 0])
    alike = jobs_by_place([{"dataset": "vowel"}], contenders_alike(["LINEAR-CP:marginals"]), **how)
    assert job_key(jobs[-3]) == job_key(alike["vowel", "LINEAR-CP:marginals", 0])
    assert job_key(jobs[-1]) == job_key(alike["vowel", "posterior", 0])
    usual = {"balanced": True}
    for one, other in pairwise(jobs):
        # what `simulate` makes of each: settings with its defaults, the method by what it does
        told = []
        for each in (one, other):
            name, predict = each["method"], each["settings"].get("predict")
            form = ""
            score: object
            if ":" in name:
                score, form = split(name)
                predict = predict or "posterior"
            else:
                method = method_named(name, predict=predict)
                score, predict = method.score, method.predict
            choice = ("entropy", "marginals") if score == "posterior" else (score, form)
            learner = make_learner(each["settings"]["learner"], onto=co.Ontology(["any"]))
            stay = how_to_stay(
                each["settings"].get("stay", "auto"), learner, score=score, fallible=False
            )
            rest = {
                **usual,
                **each["settings"],
                "predict": predict,
                "choice": choice,
                "stay": stay,
            }
            told.append(rest)
        assert sum(told[0][name] != told[1][name] for name in told[0]) == 1
    assert job == first["vowel", "LINEAR-CP", 0]


def test_the_papers_best_has_the_fewest_questions() -> None:
    runs = {name: runs_to(9, 9) for name in CANDIDATES} | {"LOG-CP": runs_to(4, 6)}
    assert best_of(runs, 0.999) == "LOG-CP"
    assert best_of({"LOG-CP": {0: curve([0], [0.1])}}, 0.999) is None
    assert "RANDOM-CP" not in CANDIDATES
    first = jobs_by_place([{"dataset": "iris"}], first_contenders(), seeds=2, targets=[0.999])
    best, jobs = climb(first, {"iris": runs}, 0.999)
    assert best == {"iris": "LOG-CP"}
    assert list(jobs) == [("iris", rung, seed) for seed in range(2) for rung in RUNGS]
    assert jobs["iris", FIRST, 1] == first["iris", "LOG-CP", 1]
    with pytest.raises(CorollaryError, match="on iris none of the paper's methods gets to 0.9999"):
        climb(first, {"iris": runs}, 0.9999)


def test_what_each_change_saves() -> None:
    counts = (800, 400, 400, 200, 200, 240, 120, 100, 100)
    curves = {
        "iris": {rung: runs_to(n, n) for rung, n in zip(RUNGS, counts, strict=True)},
        "nell-7": {rung: runs_to(2 * n, 2 * n) for rung, n in zip(RUNGS, counts, strict=True)},
        "stuck": {rung: {0: curve([0], [0.1]), 1: curve([0], [0.1])} for rung in RUNGS},
    }
    ladder = make_ladder(
        curves, {"iris": "LOG-CP", "nell-7": "LINEAR-CP", "stuck": "LOG-CP"}, targets=[0.999]
    )
    (one,) = ladder.climbed
    assert [found["iris"].value for found in one.steps.values()] == pytest.approx(
        [0.5, 1, 0.5, 1, 1.2, 0.5, 5 / 6, 1]
    )
    assert one.steps[RUNGS[1]]["stuck"] is None
    assert one.so_far[RUNGS[-1]].value == pytest.approx(1 / 8)
    text = as_markdown(ladder)
    assert "The paper's best: LOG-CP on iris, LINEAR-CP on nell-7, LOG-CP on stuck." in text
    # a change that costs is told as such, and that a data set is missing
    assert f"| {RUNGS[5]} | **1.20** | **1.20** | – | **1.20, 2 of 3** | 0.30, 2 of 3 |" in text
    assert text.count("\n`2 of 3`: over two of three data sets; ") == 1
    assert f"| {FIRST} | 800 | 1,600 | 0 of 2 runs get there |" in text
    assert json.loads(json.dumps(as_json(ladder)))["best"]["nell-7"] == "LINEAR-CP"
    with pytest.raises(CorollaryError, match="not all of one commit"):
        make_ladder(curves, {}, origins=[Origin("1" * 40), Origin("2" * 40)])
