"""Figures and the pages that quote them: the results in the repository, and lines, cells and words of a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .pages import ROOT

DOCS = ROOT / "docs"
RESULTS = ROOT / "benchmarks" / "results"
REPRODUCTION = ROOT / "papers" / "active-learning-amidst-logical-knowledge"
PAGE = (DOCS / "benchmarks.md").read_text(encoding="utf-8")


def results(name: str) -> Any:
    """What a suite of the benchmarks found."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def comparison(folder: str) -> Any:
    """The report of a comparison; that of whole training parts has no folder of its own."""
    return json.loads((DOCS / "comparison" / folder / "report.json").read_text(encoding="utf-8"))


def default_of(report: Any, dataset: str, target: float) -> tuple[Any, Any]:
    """The best of the paper's methods on a data set and the default, by their figures."""
    one = next(one for one in report["standings"] if (one["dataset"], one["target"]) == (dataset, target))
    best, default = ({f["name"]: f for f in one["figures"]}[name] for name in (one["best"], "posterior (auto)"))
    return best, default


def of_reproduction(pattern: str) -> str:
    """A figure of the paper's reproduction, from its page, which `tests/papers` holds to the runs."""
    found = re.search(pattern, (REPRODUCTION / "README.md").read_text(encoding="utf-8"), re.M)
    assert found is not None
    return found[1]


def times_of_the_best(method: str) -> str:
    """A method's questions over those of the best of the paper's seven, all with the paper's own learner."""
    return of_reproduction(rf"geometric mean over the test part: .*\b{method} ([\d.]+\d)")


def row(start: str, page: str = PAGE) -> str:
    """The line of a table that begins so."""
    return next(line for line in page.splitlines() if line.startswith(f"| {start}"))


def cells(start: str, page: str = PAGE) -> list[str]:
    """The cells of that line, without the first."""
    return [cell.strip() for cell in row(start, page).strip("|").split("|")][1:]


def part(page: str, heading: str) -> str:
    """What the documentation says under a heading."""
    return (DOCS / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]


def words(path: Path) -> str:
    """All of a page in one line."""
    return " ".join(path.read_text(encoding="utf-8").split())


def written(pattern: str, figures: dict) -> str:
    """The pattern with its keys, which may hold any signs, replaced by figures in their formats."""

    def figure(found: re.Match[str]) -> str:
        key, form = found[1].rsplit(":", 1)
        return format(figures[key], form).replace("%", " %")

    return re.sub(r"\{([^{}]*)\}", figure, pattern)
