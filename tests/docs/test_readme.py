"""README is short, and each of its figures is what a command in the repository printed."""

from __future__ import annotations

import json
import re
import shlex
import textwrap

from click.testing import CliRunner

from corollary.cli import main
from corollary.experiment.data.known import KNOWN

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
    queries = KNOWN["clinc150"]
    asked = queries.rows - queries.train
    assert (
        f"Of {asked:,} customer queries with {queries.labels} labels, {100 * share:.0f} % get every label"
        in WORDS
    )


def test_fewer_questions():
    page = (ROOT / "docs" / "evidence.md").read_text(
        encoding="utf-8"
    )  # which tests/evidence holds to the runs
    row = next(
        line for line in page.splitlines() if line.startswith("| six sets of flat classes |")
    )
    paper, low, high, *_ = ratios(row.split("|")[3])
    assert high < 1
    assert (
        f"it asks {100 * paper:.0f} % of the questions of the best strategy in the paper" in WORDS
    )
    others, low, high = ratios(row.split("|")[5])
    assert low < 1 < high  # a tie
    assert f"best strategy of other tools on each data set, it asks {100 * others:.0f} %." in WORDS


def ratios(cell: str) -> list[float]:
    return [float(found) for found in re.findall(r"\d\.\d\d", cell)]


def test_the_commands_for_ones_own_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    onto = re.search(r'parse\("""\n(.*?)"""\)', README, re.S)
    (tmp_path / "birds.onto").write_text(textwrap.dedent(onto[1]), encoding="utf-8")
    (tmp_path / "birds.csv").write_text(
        "id,text\n1,a robin builds its nest\n2,Basel lies on the Rhine\n"
    )
    lines = re.findall(r"^corollary .*|(?<=`)corollary check [^`]*", README, re.M)
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    assert [command[0] for command in commands] == ["new", "serve", "export", "check"]
    for command in commands:
        if command[0] != "serve":
            assert CliRunner().invoke(main, command).exit_code == 0, command
    header = (tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()[0]
    assert {"id", "labels", "origin"} <= set(header.split(","))


def test_exact_on_a_large_ontology():
    engines = suite("logic")["imagenet-21k"]["engines"]
    labels = sum(int(found.replace(",", "")) for found in re.findall(r"([\d,]+) labels", engines))
    assert f"ImageNet's {labels:,} labels" in WORDS
    assert "exact" in engines
