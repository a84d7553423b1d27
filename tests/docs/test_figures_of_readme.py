"""Figures of the README that are told in no other table in the same words."""

from __future__ import annotations

import json
import re

import pytest

from .figures import REPRODUCTION, cells, results, row, times_of_the_best, words, written
from .pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Figures\n")[1].split("\n## ")[0]
#: How a row of the table begins, the case of the suite, and all that the row's second cell says.
ROWS = {
    "tree of 10,000": ("compile-tree", "{seconds:.2f} s, {megabytes:.0f} MB"),
    "posterior and gain of 10,000": ("posterior-tree", "{seconds:.2f} s"),
    "propagation of 1,000,000": (
        "propagation",
        "{seconds:.2f} s, {times faster than SAT:.0f} times faster than one SAT call an item",
    ),
    "NELL": (
        "nell",
        "{compile seconds:.2f} s; {posterior and gain of 10,000 items, seconds:.2f} s; {lint seconds:.2f} s",
    ),
    "ImageNet-21k": (
        "imagenet-21k",
        "{compile seconds:.2f} s, {compile megabytes:.0f} MB; {posterior, items a second:.0f} items a second",
    ),
    "Gene Ontology": (
        "gene-ontology",
        "{share of items certified:.1%} of {items:,} items, {posterior, items a second:.0f} items a second",
    ),
    "all WordNet nouns": (
        "wordnet-nouns",
        "{read seconds:.1f} s; {first propagation, seconds:.1f} s; {next propagation, milliseconds:.0f} ms",
    ),
}


@pytest.mark.parametrize(("start", "case", "said"), [(start, *rest) for start, rest in ROWS.items()])
def test_a_row_of_logic(start, case, said):
    assert cells(start, README) == [written(said, results("logic")["cases"][case])]


def test_every_row_of_logic_is_held():
    lines = [line for line in README.splitlines() if line.startswith("| ")][2:]  # after the head and the line below
    assert [next((start for start in ROWS if line.startswith(f"| {start}")), line) for line in lines] == list(ROWS)


def test_labels_of_the_ontologies():
    cases = results("logic")["cases"]
    for start in ("NELL", "ImageNet-21k", "Gene Ontology"):
        found = re.findall(r"([\d,]+) labels", cases[ROWS[start][0]]["engines"])
        labels = sum(int(some.replace(",", "")) for some in found)
        assert row(start, README).startswith(f"| {start} ({labels:,} labels")
    assert row("all WordNet", README).startswith(f"| all WordNet nouns ({cases['wordnet-nouns']['labels']:,} labels)")


def test_training():
    letter, nell = (results("training")["cases"][name] for name in ("letter", "nell-13"))
    told = "logistic regression {:.1f} times (letter) and {:.1f} times (nell-13, sparse) faster than a loop of SGD"
    assert told.format(letter["times faster"], nell["times faster"]) in " ".join(README.split())
    assert "at a lower training loss" in " ".join(README.split())
    assert max(case["log loss of the two, ratio"] for case in (letter, nell)) < 1


def test_the_reproduction():
    runs = json.loads((REPRODUCTION / "results" / "run.json").read_text(encoding="utf-8"))["runs"]
    told = words(ROOT / "README.md")
    assert f"(`make paper`: {runs:,} runs, the paper's own learner)" in told
    assert (
        f"`posterior` needs {times_of_the_best('posterior')} of the questions of the best of the paper's seven" in told
    )
