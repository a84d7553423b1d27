from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.experiment.methods import PAPER, PAPER_ROUNDS
from corollary.experiment.runs import job_key
from corollary.experiment.simulation import Curve
from evidence.reports.comparison import (
    Contender,
    Standing,
    contenders,
    contenders_alike,
    early_area,
    fewest,
    geometric_mean,
    jobs_by_place,
    mean_height,
    mean_if_all,
    overall,
    placed,
    ratio,
    standing,
)

from ...experiment.curves import OURS, curve, runs_to, seven

steps = st.lists(st.integers(1, 30), min_size=0, max_size=6)
aucs = st.floats(0.0, 1.0)


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    asked = np.concatenate([[0], np.cumsum(draw(steps))]).astype(int)
    return curve(asked.tolist(), draw(st.lists(aucs, min_size=len(asked), max_size=len(asked))))


@given(curves(), st.integers(1, 80))
def test_mean_height_is_a_sum_over_many_thin_slices(one: Curve, upto: int) -> None:
    def height(x: float) -> float:  # the naive twin
        for left, right, low, high in zip(
            one.asked[:-1], one.asked[1:], one.auc_test[:-1], one.auc_test[1:], strict=True
        ):
            if left <= x <= right:
                return float(low + (high - low) * (x - left) / (right - left))
        return float(one.auc_test[-1])

    slices = (
        4 * upto
    )  # all corners of the curve lie between two slices: the middles give the exact area
    expected = sum(height((n + 0.5) * upto / slices) for n in range(slices)) / slices
    assert mean_height(one.asked, one.auc_test, upto) == pytest.approx(expected, abs=1e-9)


def test_mean_height_between_the_points() -> None:
    assert mean_height([0, 10], [0.0, 1.0], 5) == pytest.approx(0.25)
    assert mean_height([0, 10], [0.0, 1.0], 7.5) == pytest.approx(0.375)
    assert mean_height([0, 10], [0.0, 1.0], 20) == pytest.approx(0.75)
    assert mean_height([0, 10], [0.4, 1.0], 0) == 0.4
    assert mean_height([0], [0.7], 10) == pytest.approx(0.7)
    assert early_area([curve([0], [0.7]), curve([0], [0.9])], 3) == pytest.approx(0.8)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8))
def test_geometric_mean(numbers: list[float]) -> None:
    assert geometric_mean(numbers) == pytest.approx(math.prod(numbers) ** (1 / len(numbers)))
    assert geometric_mean([]) is None


def test_means_and_ratios_of_what_is_there() -> None:
    assert mean_if_all([1, 2, 6]) == 3
    assert mean_if_all([1, None]) is None
    assert mean_if_all([0]) == 0
    assert ratio(3, 6) == 0.5
    assert ratio(0, 6) == 0
    assert ratio(3, 0) is None
    assert ratio(None, 3) is None
    assert ratio(3, None) is None
    assert fewest({"a": 3.0, "b": 2.0, "c": 2.0, "d": None}) == "b"
    assert fewest({"d": None}) is None


@given(st.lists(st.lists(st.integers(0, 40), min_size=3, max_size=3), min_size=8, max_size=8))
def test_standing_is_what_one_would_count(questions: list[list[int]]) -> None:
    names = (*PAPER, OURS)
    found = standing(
        "things", {name: runs_to(*some) for name, some in zip(names, questions, strict=True)}, 0.999
    )
    means = [sum(some) / 3 for some in questions]
    best = PAPER[means[:7].index(min(means[:7]))]
    assert found.best == best
    assert found.needed == min(means[:7])
    for name, some, mean in zip(names, questions, means, strict=True):
        figures = found.of(name)
        assert figures.questions == tuple(some)
        assert figures.mean == pytest.approx(mean)
        rivals = questions[PAPER.index(best)]
        assert figures.ratios == tuple(
            a / b if b else None for a, b in zip(some, rivals, strict=True)
        )
        if found.needed:
            assert figures.ratio == pytest.approx(mean / found.needed)
        else:
            assert figures.ratio is None


@pytest.fixture
def standings() -> list[Standing]:
    stuck = {seed: curve([0, 9], [0.5, 0.6]) for seed in range(3)}
    late = {seed: curve([0, 99, 100], [0.1, 0.1, 0.999]) for seed in range(3)}
    found = {
        "half": {**seven(100), OURS: runs_to(40, 50, 60)},
        "eighth": {**seven(800), OURS: runs_to(100, 100, 100)},
        "at once": {**seven(100), OURS: runs_to(0, 0, 0)},
        "nothing to ask": {**seven(0), OURS: runs_to(0, 0, 0)},
        "ours stuck": {**seven(100), OURS: stuck},
        "theirs stuck": {**dict.fromkeys(PAPER, stuck), OURS: runs_to(5, 5, 5)},
        "late": {**seven(100), OURS: late},
    }
    return [standing(dataset, by_name, 0.999) for dataset, by_name in found.items()]


def test_overall_averages_what_can_be_averaged(standings: list[Standing]) -> None:
    found = overall(standings, OURS)
    assert found.averaged == ("half", "eighth", "late")
    assert found.ratio == pytest.approx((0.5 * 0.125 * 1.0) ** (1 / 3))
    assert found.no_question == ("at once", "nothing to ask")
    assert found.not_reached == ("ours stuck", "theirs stuck")
    assert found.behind_early == ("ours stuck", "late")
    assert found.target == 0.999
    of_best = overall(standings[:2], "LOG-CP")
    assert of_best.ratio == 1.0
    assert of_best.behind_early == ()


def test_a_run_that_does_not_get_there_spoils_the_mean_only() -> None:
    runs = {**runs_to(10, 20), 2: curve([0, 9], [0.5, 0.6])}
    found = standing("things", {**seven(40), OURS: runs}, 0.999).of(OURS)
    assert found.questions == (10, 20, None)
    assert found.mean is None
    assert found.ratio is None
    assert found.ratios == (0.25, 0.5, None)


# -- what runs -------------------------------------------------------------------------------------------------------


def test_contenders() -> None:
    entered = contenders(["gain", "posterior"], learners=["auto", "logistic"])
    assert [one.name for one in entered] == [
        *PAPER,
        "posterior (auto)",
        "gain (auto)",
        "posterior (logistic)",
        "gain (logistic)",
    ]
    assert [one.name for one in contenders()] == [*PAPER, OURS]
    assert {one.learner for one in entered if one.of_paper} == {"logistic"}


def test_the_papers_jobs_are_those_of_the_reproduction() -> None:
    jobs = jobs_by_place([{"dataset": "iris"}], contenders(), seeds=2, targets=[0.99, 0.999])
    assert len(jobs) == 16
    assert jobs["iris", "LOG-CP", 1] == {
        "dataset": "iris",
        "method": "LOG-CP",
        "seed": 1,
        "settings": {"per_round": 1, "learner": "logistic"},
    }
    assert jobs["iris", OURS, 0]["settings"] == {
        "per_round": "auto",
        "learner": "auto",
        "balanced": False,
    }


def test_settings_asked_for() -> None:
    own = {"dataset": "things.csv", "files": {"ontology": "things.onto"}}
    jobs = jobs_by_place([own], contenders(), seeds=1, targets=[0.9, 0.95], start=3, per_round=7)
    for job in jobs.values():
        assert job["files"] == own["files"]
        assert job["settings"]["start"] == 3
        assert job["settings"]["per_round"] == 7
        assert job["settings"]["until"] == 0.95
    paper = Contender("RANDOM", "logistic", of_paper=True)
    assert paper.settings("letter")["per_round"] == PAPER_ROUNDS["letter"] == 1000
    assert paper.settings("things.csv")["per_round"] == "auto"


def test_curves_find_their_place() -> None:
    jobs = jobs_by_place([{"dataset": "iris"}], contenders(), seeds=2, targets=[0.999])
    made = {job_key(job): curve([0, n], [0.5, 1.0]) for n, job in enumerate(jobs.values(), 1)}
    found = [(json.loads(key), one) for key, one in reversed(made.items())]
    curves = placed(jobs, [*found, ({"dataset": "other"}, curve([0], [1.0]))])
    assert list(curves) == ["iris"]
    assert list(curves["iris"]) == [*PAPER, OURS]
    for place, job in jobs.items():
        dataset, name, seed = place
        assert curves[dataset][name][seed] is made[job_key(job)]


def test_alike_only_the_choice_differs() -> None:
    entered = contenders_alike(
        ["badge:items", "posterior"], learner="crf", paper=["LOG-CP", "RANDOM"]
    )
    assert [one.name for one in entered] == [
        "RANDOM",
        "LOG-CP",
        "posterior",
        "contrast",
        "badge:items",
    ]
    with_default = contenders_alike(["badge:items"], learner="auto", paper=["LOG-CP"])
    assert [one.name for one in with_default] == ["LOG-CP", "posterior", "badge:items"]
    jobs = jobs_by_place(
        [{"dataset": "letter"}],
        entered,
        seeds=1,
        targets=[0.999],
        start=3,
        propagate=False,
        distinct=None,
    )
    settings = [job["settings"] for job in jobs.values()]
    assert (
        settings
        == [
            {
                "per_round": "auto",
                "learner": "crf",
                "balanced": False,
                "predict": "posterior",
                "start": 3,
                "propagate": False,
            }
        ]
        * 5
    )
    assert {job["method"] for job in jobs.values()} == {
        "RANDOM",
        "LOG-CP",
        "posterior",
        "contrast",
        "badge:items",
    }
    assert entered[0].settings("letter", per_round=50)["per_round"] == 50
