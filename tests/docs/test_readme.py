"""README is short, and each of its figures is what a command in the repository printed."""

from __future__ import annotations

import json
import re

from .pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = " ".join(README.split())
RESULTS = ROOT / "benchmarks" / "results"


def suite(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def test_it_fits_a_few_screens():
    assert len(README.splitlines()) <= 120


def test_code_and_commands_come_within_the_first_screen():
    first = README.splitlines()[:50]
    for line in ("make demo", "corollary new birds.sqlite", "import corollary as co"):
        assert any(one.startswith(line) for one in first)


def test_reading_before_the_first_answer():
    share = suite("meaning")["clinc150, static"]["0 questions: right"]
    assert f"{100 * share:.0f} % get every label right" in WORDS


def test_fewer_questions():
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")  # which tests/evidence holds to the runs
    row = next(line for line in page.splitlines() if line.startswith("| six sets of flat classes |"))
    published, others = (re.findall(r"\d\.\d\d", cell)[0] for cell in (row.split("|")[3], row.split("|")[5]))
    assert f"it asks {published} times as many questions as the best published score on six data sets" in WORDS
    assert f"other tools' strategies it ties ({others})" in WORDS


def test_exact_on_a_large_ontology():
    engines = suite("logic")["imagenet-21k"]["engines"]
    labels = sum(int(found.replace(",", "")) for found in re.findall(r"([\d,]+) labels", engines))
    assert f"ImageNet's {labels:,} labels" in WORDS
    assert "exact" in engines
