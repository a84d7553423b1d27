"""Generated pages are what their generators print; pages that quote figures name the results they were written from."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from .pages import PAGES, ROOT

RESULTS = ROOT / "benchmarks" / "results"
COMPARISON = ROOT / "docs" / "comparison"
#: What a page may quote besides the suites of the benchmarks: a name, and the file that holds the figures.
OTHERS = {
    "evidence": ROOT / "evidence" / "results" / "runs.jsonl.gz",
    "comparison": COMPARISON / "report.json",
    **{f"comparison/{path.parent.name}": path for path in COMPARISON.glob("*/report.json")},
    "reproduction": ROOT
    / "papers"
    / "active-learning-amidst-logical-knowledge"
    / "results"
    / "run.json",
}
#: A comment in a page: the results that it quotes, each with a digest of what they were.
QUOTED = re.compile(r"^<!-- figures from: (.*) -->$", re.M)
QUOTING = {
    page: found[1] for page in PAGES if (found := QUOTED.search(page.read_text(encoding="utf-8")))
}


def digest(name: str) -> str:
    """A few digits of what results say; when and where they were measured does not count."""
    if name in OTHERS:
        content = OTHERS[name].read_bytes()
    else:
        told = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        content = json.dumps(told.get("cases", told), sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()[:6]


def test_the_page_of_all_figures_is_what_the_results_give(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.page import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page()  # else: python -m benchmarks.page


@pytest.mark.parametrize("page", QUOTING, ids=lambda path: str(path.relative_to(ROOT)))
def test_figures_are_quoted_from_the_results_of_today(page):
    names = [one.split()[0] for one in QUOTING[page].split(", ")]
    today = ", ".join(f"{name} {digest(name)}" for name in names)
    what = f"{page.name}: results have changed. Compare figures with them, then write: <!-- figures from: {today} -->"
    assert QUOTING[page] == today, what


def test_every_result_is_quoted_by_a_page():
    quoted = {one.split()[0] for line in QUOTING.values() for one in line.split(", ")}
    suites = {
        path.stem
        for path in RESULTS.glob("*.json")
        if "cases" in json.loads(path.read_text(encoding="utf-8"))
    }
    assert suites - quoted == {"package"}  # told on no page
