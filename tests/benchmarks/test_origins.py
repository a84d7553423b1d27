"""Figures of benchmarks tell which commit and which versions made them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from benchmarks.until_sure import Check, Stopped
from corollary.experiment.origin import Origin, origin_here

ROOT = Path(__file__).parents[2]


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The suite `stopping` with a file of runs of its own, and those runs."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import stopping, stopping_runs

    monkeypatch.setattr(stopping_runs, "LINES", tmp_path / "runs.jsonl")
    return SimpleNamespace(suite=stopping, runs=stopping_runs)


def test_a_suite_tells_what_made_its_figures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import __main__ as bench

    def case() -> None:
        """A case that measures nothing."""

    suite = ModuleType("benchmarks.made_up")
    suite.CASES = {"one": case}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "benchmarks.made_up", suite)
    monkeypatch.setattr(bench, "RESULTS", tmp_path)
    monkeypatch.setattr(bench, "run_apart", lambda *_: (0, '{"figure": 7}', ""))
    monkeypatch.setattr(bench, "origin_here", lambda: Origin("1" * 40, None, {"corollary": "0"}))
    monkeypatch.chdir(tmp_path)
    assert bench.run_suite("made_up") == 0
    found = json.loads((tmp_path / "made_up.json").read_text(encoding="utf-8"))
    assert list(found) == ["machine", "python", "origin", "cases"]
    assert found["origin"] == {"commit": "1" * 40, "changed": None, "versions": {"corollary": "0"}}
    assert found["cases"] == {"one": {"figure": 7}}


def stopped(asked: int) -> Stopped:
    checks = (
        Check(0, 0.1, 0.5, 0.9, 0.5, 40, (10, 90)),
        Check(asked, 0.99, 1.0, 1.0, 1.0, 0, (0, 0), 0.99),
    )
    return Stopped(0.99, checks)


def test_runs_of_the_suite_stopping_tell_what_made_them(
    stopping: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = stopping.runs
    before, later = runs.Run("iris"), runs.Run("iris", seed=1)
    runs.keep(before, stopped(20), Origin())
    record = json.loads(runs.LINES.read_text(encoding="utf-8"))
    del record["origin"]  # as runs were kept before
    runs.LINES.write_text(json.dumps(record) + "\n", encoding="utf-8")
    monkeypatch.setitem(runs.KINDS, "some", [before, later])
    monkeypatch.setattr(runs, "load", lambda run: run)
    monkeypatch.setattr(runs, "label_until_sure", lambda data, **how: stopped(30))
    monkeypatch.setattr(runs, "run_campaign", lambda run, data: stopped(40))
    here = origin_here()
    assert dict(runs.outcomes("some")) == runs.stored() == {before: stopped(20), later: stopped(30)}
    assert runs.origins() == {before: Origin(), later: here}
    assert stopping.suite.of_kind("some")["made by"] == {"commit not recorded": 1, here.code: 1}
    assert len(runs.LINES.read_text(encoding="utf-8").splitlines()) == 2
    in_campaign = runs.Run("iris", campaign=True)
    monkeypatch.setitem(runs.KINDS, "some", [in_campaign])
    assert dict(runs.outcomes("some")) == {in_campaign: stopped(40)}


def test_a_suite_that_was_killed_while_it_wrote_goes_on(stopping: Any) -> None:
    runs = stopping.runs
    runs.keep(runs.Run("iris"), stopped(20), Origin())
    with runs.LINES.open("a", encoding="utf-8") as file:
        file.write('{"run": {"data": "ir')
    assert runs.stored() == {runs.Run("iris"): stopped(20)}
    runs.keep(runs.Run("iris", seed=1), stopped(30), Origin())
    assert runs.stored() == {runs.Run("iris"): stopped(20), runs.Run("iris", seed=1): stopped(30)}


def test_the_runs_that_are_kept_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import stopping_runs

    found = stopping_runs.stored()
    assert len(found) == len(stopping_runs.LINES.read_text(encoding="utf-8").splitlines()) >= 81
    assert found.keys() == stopping_runs.origins().keys()
