"""Figures of other pages, what AUC means there, and what was measured on: limits, witnesses, stopping, tutorials."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from corollary.experiment.data.things import NOTE
from corollary.learning.stopping.forecast import ABOUT, FEWEST, MOST

from .figures import DOCS, REPRODUCTION, cells, comparison, default_of, part, results, row, times_of_the_best, words
from .pages import ROOT


@pytest.mark.parametrize("name", ["index.md", "benchmarks.md", "limits.md", "meaning.md"])
def test_auc_is_explained_where_it_first_appears(name):
    told = re.sub(r"\]\([^)]*\)|\[", "", words(DOCS / name))  # without links
    meant = "area under precision-recall curves on the items being labelled, what is known counted as right"
    assert 0 < told.index(meant) - told.index("AUC") < 20


def test_the_texts_are_no_held_out_test():
    assert "written for the demo" in NOTE
    for name in ("limits.md", "meaning.md"):
        told = words(DOCS / name).lower()
        assert "the things were written for the demo, and clinc150 was used while this was developed" in told


def test_limits_tell_how_much_is_the_learner():
    told = words(DOCS / "limits.md")
    own = times_of_the_best("posterior")
    assert f"With the paper's own learner the gain is a quarter of the questions ({own}), the rest is" in told
    assert 0.2 < 1 - float(own) < 0.3
    _, nell = default_of(comparison(""), "nell-7", 0.999)
    assert f"(nell-7: {nell['ratio']:.2f})" in told


def test_limits_name_the_hierarchies():
    kept = [ROOT / "evidence" / "results", *(path.parent for path in (DOCS / "comparison").rglob("runs.jsonl.gz"))]
    found = set[str]()
    for folder in kept:
        with gzip.open(folder / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
            found.update(name for line in lines for name in re.findall(r'"dataset": ?"hmc_(\w+)"', line[:500]))
    said = re.search(r"three hierarchies \(([\w, ]*)\)", words(DOCS / "limits.md"))
    assert said is not None
    assert set(said[1].split(", ")) == found
    assert len(found) == 3


def test_benchmarks_tell_where_runs_are_kept():
    page = part("benchmarks.md", "Questions")
    made_by = [line.split("|")[3] for line in page.splitlines() if line.startswith("| ")][2:]
    commands = ("make evidence", "corollary compare", "make paper", "make bench SUITE=seconds")
    order = [next(at for at, command in enumerate(commands) if command in cell) for cell in made_by]
    assert order == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
    assert (
        "The runs of the first three are kept in `evidence/results`, those of the next three in `docs/comparison`, "
        "those of the next three in the `results` of the reproduction's folder, the figures of the last in "
        "`benchmarks/results/seconds.json`."
    ) in " ".join(page.split())


def test_the_tutorial_for_researchers():
    told = words(DOCS / "tutorials" / "researcher.md")
    runs = json.loads((REPRODUCTION / "results" / "run.json").read_text(encoding="utf-8"))["runs"]
    assert f"again: {runs:,} runs, its eight claims" in told
    whole = {one["target"]: one["ratio"] for one in comparison("")["overall"]}[0.999]
    assert (
        f"with the paper's own learner `posterior` needs {times_of_the_best('posterior')} of the questions of the "
        f"paper's best, with the default learner {whole:.2f} "
    ) in told


#: The columns of the page, in their order.
CROWD = ("majority", "one-coin Dawid-Skene", "Dawid-Skene", "GLAD", "MACE", "MMSR")
ACCURACIES = (
    "with the logic",
    "without the logic",
    "majority",
    "agreement of pairs",
    "mean probability",
    "mean probability, logic after",
)


def test_real_crowds():
    page, cases = part("witnesses.md", "Does it work?"), results("witnesses")["cases"]
    for name in ("crowd_dog", "crowd_duck"):
        found = cases[name]
        ours, *others = (found[one] for one in ("Consensus", *(f"crowd-kit {one}" for one in CROWD)))
        assert cells(name, page) == [f"**{ours:.3f}**", *(f"{other:.3f}" for other in others)]
        assert ours > max(others)
        assert f"{found['people']} people, {found['answers']:,} answers)" in row(name, page)


def test_accuracy_without_labels():
    page, found = part("witnesses.md", "Does it work?"), results("witnesses")["cases"]["accuracies"]
    names = list(dict.fromkeys(key.partition(": ")[0] for key in found if ": " in key))
    assert names == ["segment", "satimage", "pendigits", "vowel", "hmc_imclef07d", "all"]
    for name in names:
        errors = [f"{found[f'{name}: {way}']:.2f}" for way in ACCURACIES]
        assert cells(name, page) == [*errors, f"{100 * found[f'{name}: held']:.0f} %"]


def test_a_million_reports():
    cases = results("witnesses")["cases"]
    kinds = ("votes", "choices", "probabilities")
    told = ", ".join(f"{cases[f'million {kind}']['seconds']:.0f} s for {kind}" for kind in kinds)
    assert f"on 2 cores: {told} (" in part("witnesses.md", "Does it work?")


def test_how_forecasts_of_questions_are_widened():
    told = " ".join(part("stopping.md", "The forecast of questions").split())
    assert (FEWEST, ABOUT) == (0.1, 0.5)
    assert "so the forecast is half of it; the lower end is a tenth of what it takes" in told
    assert f"the upper end {MOST:g} times what it takes" in told


def test_what_it_is_worth_that_items_like_others_come_first():
    page, found = part("howto/costs.md", "Which is it?"), results("alike")["cases"]
    assert len(found) == 4
    for case, figures in found.items():
        data, learner = case.rsplit(", ", 1)
        cells = [
            "; ".join(f"{figures[f'{way}, to {target}']:,.0f}" for target in (0.99, 0.999))
            for way in ("never", "always", "at first")
        ]
        assert f"| {data}, `{learner}` | " + " | ".join(cells) + " |" in page
    times = [figures["at first, to 0.999"] / figures["always, to 0.999"] for figures in found.values()]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"[{min(times):.2f} to {max(times):.2f} of the questions](docs/howto/costs.md#which-is-it)" in changes
