"""The suite that chooses defaults: every setting of it runs on a few items, and leaves no constant changed."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from corollary.experiment.simulation import round_size
from corollary.learning.choosing import best_questions
from corollary.learning.learners import crf, pool

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tuning(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import tuning

    return tuning


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import tuning_runs

    return tuning_runs


def constants() -> list[object]:
    from corollary.experiment import simulation

    return [best_questions.STAY_WHILE, pool.SCARCE, crf.HALF, simulation.round_size]


def test_every_case_runs_on_a_few_items_and_leaves_constants_as_they_were(
    tuning: Any, tmp_path: Path
) -> None:
    before = constants()
    for case, settings in tuning.CHOICES.items():
        tiny = {"data": ("wine",), "seeds": (1,), "items": 8, "processes": 1}
        figures = json.loads(json.dumps(tuning.CASES[case](**tiny, path=tmp_path / "runs.jsonl")))
        assert len(figures) == len(settings) * (2 * 4 + 1)
        for name in settings:
            for target in (0.99, 0.999):
                (asked,) = figures[f"{name}, wine, to {target}"]
                low, high = figures[f"{name}, to {target}, times from to"]
                assert 0 <= asked <= 8 * 3
                assert figures[f"{name}, to {target}"] == asked
                assert low <= figures[f"{name}, to {target}, times"] <= high
            assert figures[f"{name}, seconds of training"] > 0
        default = next(iter(settings))
        assert figures[f"{default}, to 0.999, times"] == 1.0
        assert figures[f"{default}, to 0.999, times from to"] == [1.0, 1.0]
    assert constants() == before


def test_labels_never_seen(tuning: Any) -> None:
    before = constants()
    figures = tuning.never_seen(shares=(0.03,), seeds=(0,), halves=(0.5, 0.0))
    ways = [
        f"{half} of an item, {field}, bits"
        for half in ("0.5", "0")
        for field in ("linear", "Gaussian")
    ]
    assert list(figures) == ways
    assert figures["0.5 of an item, linear, bits"] < figures["0 of an item, linear, bits"]
    assert constants() == before


def test_what_is_called_the_default_is_the_default(tuning: Any, runs: Any) -> None:
    assert all(
        next(iter(settings.values())) == runs.Setting() for settings in tuning.CHOICES.values()
    )
    assert [next(iter(settings)) for settings in tuning.CHOICES.values()] == [
        "10 % more",
        f"from {Fraction(best_questions.STAY_WHILE)} of the best",
        "all",
        "all",
        "0.1",
        "gamma 0.5, 2 and 8",
        "0.03",
        "500",
        "150",
        f"found from {pool.SCARCE} items on",
        "posterior, staying",
    ]
    data = runs.load("wine", 0)
    members = dict(pool.default_members(data.onto, data.X))
    gaussian = [member for name, member in members.items() if name.endswith("gaussian")]
    assert tuple(members) == tuning.MEMBERS
    assert (members["linear"].l2, members["forest"].size) == (0.1, 150)
    assert sorted(member.gamma for member in gaussian) == [0.5, 2.0, 8.0]
    assert {(member.l2, member.landmarks) for member in gaussian} == {(0.03, 500)}
    assert tuning.HALVES[0] == crf.HALF
    sizes = [(asked, cells) for asked in (0, 9, 10, 19, 20, 101, 999) for cells in (100, 12_000)]
    for asked, cells in sizes:
        assert runs.growing(10)("auto", asked=asked, cells=cells) == round_size(
            "auto", asked=asked, cells=cells
        )


def test_splits_are_of_the_size_that_is_told(runs: Any) -> None:
    sizes = {
        name: (int(data.train.sum()), len(data))
        for name in runs.DATA
        for data in [runs.load(name, 0)]
    }
    assert set(sizes.values()) == {(1497, 1797), (60, 178), (269, 569)}
    assert sizes[runs.WHOLE] == (1497, 1797)
    assert (runs.load("digits in a tree", 1).train != runs.load("digits in a tree", 2).train).any()


def test_the_members_of_the_default_passed_one_by_one_ask_the_same(tuning: Any, runs: Any) -> None:
    run = runs.Run("breast cancer", 1, items=25)
    passed = runs.Setting(members=tuning.MEMBERS)
    assert runs.learner_of(run.setting, runs.load("wine", 0), 0) == "auto"
    assert runs.outcome_of(replace(run, setting=passed)).questions == runs.outcome_of(run).questions


def test_changes_reach_the_members_they_name(runs: Any) -> None:
    data = runs.load("wine", 0)
    changed = runs.learner_of(
        runs.Setting(changes=(("gaussian", "*gamma", 0.5), ("linear", "l2", 3.0))), data, 7
    )
    members = dict(changed.members)
    assert [members[f"{name}gaussian"].gamma for name in ("wide ", "", "narrow ")] == [
        0.25,
        1.0,
        4.0,
    ]
    assert (members["linear"].l2, members["gaussian"].l2) == (3.0, 0.03)
    assert changed.random_state == members["forest"].random_state == 7
    with pytest.raises(AssertionError, match="no member lineal"):
        runs.learner_of(runs.Setting(changes=(("lineal", "l2", 3.0),)), data, 7)


def test_constants_are_as_they_were_after_an_error(runs: Any) -> None:
    before = constants()
    other = runs.Setting(
        percent=40, constants=(("learning.choosing.best_questions.STAY_WHILE", 0.0),)
    )
    with pytest.raises(ZeroDivisionError), runs.as_set(other):
        assert best_questions.STAY_WHILE == 0.0
        assert constants()[-1] is not before[-1]
        raise ZeroDivisionError
    assert constants() == before


def test_runs_that_are_there_are_not_run_again(
    runs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.jsonl"
    wanted = [runs.Run("wine", seed, items=8) for seed in range(3)]
    found = runs.outcomes(wanted, processes=2, path=path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) == 3
    other = json.dumps({**json.loads(lines[0]), "code": "other", "questions": [99, 99]}) + "\n"
    path.write_text(
        "".join([*lines[:2], other, lines[2][:20]]), encoding="utf-8"
    )  # killed while writing
    ran = []
    real = runs.outcome_of
    monkeypatch.setattr(runs, "outcome_of", lambda run: ran.append(run) or real(run))
    again = runs.outcomes(wanted, processes=1, path=path)
    assert [json.loads(lines[2])["run"]["seed"]] == [run.seed for run in ran]
    assert {run: one.questions for run, one in again.items()} == {
        run: one.questions for run, one in found.items()
    }
    assert runs.outcomes(wanted, processes=1, path=path) == again
    assert len(ran) == 1
