"""The results on stopping are what the suite makes of the runs that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def suite():
    """The module of the suite."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks import stopping

        yield stopping


def test_the_results_are_what_the_code_makes_of_the_runs(suite):
    kept = json.loads(
        (ROOT / "benchmarks" / "results" / "stopping.json").read_text(encoding="utf-8")
    )["cases"]
    assert kept == json.loads(json.dumps(suite.of_file()))


def test_a_case_is_made_of_its_runs(suite, monkeypatch):
    kept, kind = suite.stored(), "wrong answers"
    monkeypatch.setattr(
        suite, "outcomes", lambda kind: [(run, kept[run]) for run in suite.KINDS[kind]]
    )
    cases = json.loads(json.dumps(suite.of_file()))
    assert list(suite.CASES) == list(cases)
    assert json.loads(json.dumps(suite.CASES[kind]())) == cases[kind]
