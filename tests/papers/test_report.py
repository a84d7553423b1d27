"""The report of the paper's reproduction: its page is what the runs give, and its verdicts follow the runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "papers" / "active-learning-amidst-logical-knowledge"
MODULES = ("report", "claims", "curves")


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module `report`, which imports the others from beside it; nothing of them stays behind."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import report

    yield report
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def results(paper: Any) -> Any:
    return paper.Results(FOLDER / "results")


@pytest.fixture
def checks() -> dict[str, Any]:
    return json.loads((FOLDER / "results" / "checks.json").read_text(encoding="utf-8"))


def told(paper: Any, results: Any, checks: dict[str, Any]) -> list[str]:
    return [one.verdict for one in paper.verdicts(results, checks)]


def test_the_page_is_what_the_runs_give(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    page = FOLDER / "README.md"
    text = paper.report(results, checks, figures="results")
    assert paper.between_markers(page, text) == page.read_text(encoding="utf-8")  # else: python report.py


def test_verdicts_follow_the_checks(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    before = told(paper, results, checks)
    assert before[:2] == ["holds", "holds partly"]
    checks["theorem"]["agree"] = 0.99
    next(iter(checks["beliefs"].values()))["pick_alike_on_posterior"] = 0.5
    for by_size in checks["costs"].values():
        sizes = list(by_size)
        by_size[sizes[-1]] = 64 * by_size[sizes[0]]
    after = told(paper, results, checks)
    assert (after[0], after[1], after[7]) == ("holds partly", "does not hold", "holds")
    assert after[2:7] == before[2:7]


def test_claims_of_what_wins_fall_where_chance_does_as_well(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    assert told(paper, results, checks)[2:5] == ["holds partly", "holds partly", "holds"]
    give(results, of="RANDOM", to=("PROBABILITY-CP", "LOG-CP", "LINEAR-CP"))
    assert told(paper, results, checks)[2:5] == ["does not hold"] * 3


def test_propagation_is_no_gain_where_both_forms_are_the_same(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    assert told(paper, results, checks)[5] == "holds"
    results.curves("iris", "ENTROPY").update(results.curves("iris", "ENTROPY-CP"))
    assert told(paper, results, checks)[5] == "holds partly"
    for method in ("RANDOM", "ENTROPY"):
        give(results, of=f"{method}-CP", to=(method,))
    assert told(paper, results, checks)[5] == "does not hold"


def test_scores_behave_alike_where_they_are_the_same(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    assert told(paper, results, checks)[6] == "holds partly"
    give(results, of="ENTROPY-CP", to=("PROBABILITY-CP", "LOG-CP", "LINEAR-CP"), balanced=False)
    assert told(paper, results, checks)[6] == "holds"


def give(results: Any, *, of: str, to: tuple[str, ...], **settings: Any) -> None:
    """Give methods the runs of another, on every data set."""
    for dataset in results.datasets:
        for method in to:
            results.curves(dataset, method, **settings).update(results.curves(dataset, of, **settings))
