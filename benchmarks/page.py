"""All figures of the suites on one page, made of their files alone: `python -m benchmarks.page`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import RESULTS

PAGE = RESULTS.parents[1] / "docs" / "benchmarks-figures.md"
INTRO = """\
# All figures of the benchmarks

Every figure that `make bench` measured and kept in `benchmarks/results`, suite by suite. `make bench SUITE=logic`
measures those of one suite again; `python -m benchmarks.page` writes this page. Targets that were missed say so. What
the figures mean is on the page of [benchmarks](benchmarks.md).
"""


def page(folder: Path = RESULTS) -> str:
    """The page; files without cases, such as those of `make fuzz`, have none here."""
    parts = [INTRO.rstrip()]
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        if "cases" in told:
            parts += [f"## {path.stem}", made_by(told), table(told["cases"])]
    return "\n\n".join(part for part in parts if part) + "\n"


def made_by(told: dict[str, Any]) -> str:
    """The machine and the commit of a suite, as far as they are kept."""
    commit = told.get("origin", {}).get("commit")
    known = [told.get("machine"), f"commit {commit[:12]}" if commit else None]
    return "; ".join(one for one in known if one)


def table(cases: dict[str, Any]) -> str:
    """A row for each figure of each case."""
    lines = ["| case | figure | value | target |", "| --- | --- | ---: | --- |"]
    for case, figures in cases.items():
        targets = figures.get("targets", {})
        for name, value in flat({key: one for key, one in figures.items() if key != "targets"}):
            lines.append(
                "| "
                + " | ".join(
                    map(cell, (case, name, shown(value), verdict(targets.get(name), value)))
                )
                + " |"
            )
    return "\n".join(lines)


def flat(figures: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Figures by name; those inside others by the names of both."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", value


def verdict(target: Any, value: Any) -> str:
    """What was wanted of a figure, and whether it was missed."""
    if not target:
        return ""
    bound, limit = target
    reached = value is not None and (value <= limit if bound == "at most" else value >= limit)
    return f"{bound} {shown(limit)}" + ("" if reached else ", missed")


def shown(value: Any) -> str:
    """A value in four digits or fewer; whole numbers in full."""
    if isinstance(value, list):
        return "; ".join(map(shown, value))
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return "–" if value is None else f"{value:,}" if type(value) is int else str(value)


def cell(text: str) -> str:
    """Text that ends no cell."""
    return text.replace("|", r"\|").replace("\n", " ")


def write() -> None:
    """Write the page anew."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
    print(PAGE)
