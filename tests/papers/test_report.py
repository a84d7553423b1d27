"""The report of the paper's reproduction: its page is what the runs give, and its verdicts follow the runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from corollary.experiment.data.known import KNOWN

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
    assert paper.between_markers(page, text) == page.read_text(
        encoding="utf-8"
    )  # else: python report.py


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


def test_claims_of_what_wins_fall_where_chance_does_as_well(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    assert told(paper, results, checks)[2:5] == ["holds partly", "holds partly", "holds"]
    give(results, of="RANDOM", to=("PROBABILITY-CP", "LOG-CP", "LINEAR-CP"))
    assert told(paper, results, checks)[2:5] == ["does not hold"] * 3


def test_propagation_is_no_gain_where_both_forms_are_the_same(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    assert told(paper, results, checks)[5] == "holds"
    results.curves("iris", "ENTROPY").update(results.curves("iris", "ENTROPY-CP"))
    assert told(paper, results, checks)[5] == "holds partly"
    for method in ("RANDOM", "ENTROPY"):
        give(results, of=f"{method}-CP", to=(method,))
    assert told(paper, results, checks)[5] == "does not hold"


def test_scores_behave_alike_where_they_are_the_same(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    assert told(paper, results, checks)[6] == "holds partly"
    give(results, of="ENTROPY-CP", to=("PROBABILITY-CP", "LOG-CP", "LINEAR-CP"), balanced=False)
    assert told(paper, results, checks)[6] == "holds"


def test_each_verdict_names_our_bound(paper: Any, results: Any, checks: dict[str, Any]) -> None:
    text = paper.report(results, checks, figures="results")
    assert "The bounds are ours" in text
    for one in paper.verdicts(results, checks):
        assert one.bound.startswith("our bound: ")
        assert f"* ({one.bound}). " in text


def test_a_claim_about_every_case_is_counted(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    said = paper.verdicts(results, checks)[2].figures
    won = sum(int(cell.split(" of ")[0]) for cell in said.split("|") if " of 10 " in cell)
    assert (
        f"it does not hold. It is so in {won} of 120 cases: 3 methods, 4 metrics, 10 data sets."
        in said
    )
    assert 0.25 < won / 120 < 1
    give(results, of="LINEAR-CP", to=("RANDOM", "ENTROPY", "RANDOM-CP", "ENTROPY-CP"))
    assert won > int(
        paper.verdicts(results, checks)[2].figures.split("It is so in ")[1].split(" of ")[0]
    )


def test_the_smallest_gain_of_propagation_is_named(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    without, with_ = (
        results.questions("iris", name, seeds=3).mean for name in ("ENTROPY", "ENTROPY-CP")
    )
    assert 1.2 < without / with_ < 1.2 * 1.01
    said = paper.verdicts(results, checks)[5].figures
    least = f"The smallest, ENTROPY on iris, is {without / with_:.3f}"
    assert f"{least} against our bound of 1.2: the claim holds by a hair's breadth." in said
    results.curves("iris", "ENTROPY").update(results.curves("iris", "RANDOM"))
    after = paper.verdicts(results, checks)[5]
    assert after.verdict == "holds"
    assert "RANDOM on iris" in after.figures
    assert "hair" not in after.figures


def test_results_that_are_alike_are_counted(
    paper: Any, results: Any, checks: dict[str, Any]
) -> None:
    near = 0
    for dataset in ("segment", "pendigits", "nell-11"):
        entropy, *proposed = (
            results.questions(dataset, method, seeds=3, balanced=False).mean
            for method in ("ENTROPY-CP", "PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
        )
        near += sum(abs(one / entropy - 1) <= 0.15 for one in proposed)
    assert near == 5
    seventh = paper.verdicts(results, checks)[6]
    assert (
        f"Without it, {near} of 9 results of the proposed scores (56 %) are within 15 %"
        in seventh.figures
    )
    assert seventh.bound.endswith("partly if at least half of them are")


def test_the_page_tells_where_it_deviates() -> None:
    page = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    iris = KNOWN["iris"]
    assert (
        f"iris is split {100 * iris.train // iris.rows} to {100 - 100 * iris.train // iris.rows}"
        in page
    )
    features = [KNOWN[name].features for name in ("nell-7", "nell-11", "nell-13")]
    assert f"{min(features):,} to {max(features):,} of them instead of" in page
    assert f"{KNOWN['nell-7'].rows:,} for nell-7 and nell-11" in page
    assert f"{KNOWN['nell-13'].rows:,} for nell-13" in page
    evidence, _, heading = re.search(r"\[without them\]\(([^)]*)\)", page)[1].partition("#")
    headings = re.findall(r"^## (.*)$", (FOLDER / evidence).read_text(encoding="utf-8"), re.M)
    assert heading in [re.sub(r"[^a-z -]", "", one.lower()).replace(" ", "-") for one in headings]


def give(results: Any, *, of: str, to: tuple[str, ...], **settings: Any) -> None:
    """Give methods the runs of another, on every data set."""
    for dataset in results.datasets:
        for method in to:
            results.curves(dataset, method, **settings).update(
                results.curves(dataset, of, **settings)
            )
