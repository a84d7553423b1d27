"""The report of a comparison: rows, Markdown, JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import corollary as co
from corollary.experiment.methods import PAPER
from corollary.experiment.origin import Origin
from evidence.reports.report import (
    ROUNDS,
    Report,
    as_json,
    as_markdown,
    make_report,
    rows_of,
    title,
)

from ...experiment.curves import OURS, curve, runs_to, seven


@pytest.fixture
def report() -> Report:
    found = {
        "folder/half.csv": {**seven(100), OURS: runs_to(40, 50, 60)},
        "free": {**seven(0), OURS: runs_to(0, 0, 0)},
    }
    return make_report(found, targets=[0.99, 0.999], about={"seeds": 3})


def test_report_as_rows(report: Report) -> None:
    rows = rows_of(report)
    assert len(rows) == 2 * 8 + 1
    assert rows[5][:4] == ["half", "LOG-CP", "100 *", "1.00"]
    # half way from 0.5 up to 0.999 for 50 questions in the mean, then level
    early = np.mean([((0.5 + 0.999) / 2 * n + 0.999 * (100 - n)) / 100 for n in (40, 50, 60)])
    assert rows[7] == ["half", OURS, *["50 (40–60)", "0.50", f"{early:.4f}"] * 2]
    assert rows[15] == ["free", OURS, *["0", "–", "0.9990"] * 2]
    assert rows[16] == ["geometric mean", OURS, *["", "0.50", ""] * 2]


def test_report_as_markdown(report: Report) -> None:
    text = as_markdown(report, figures=["half.png"])
    lines = text.splitlines()
    assert "## Questions to AUC 0.99" in lines
    assert "## Questions to AUC 0.999" in lines
    assert "| half | 200 | 200 | 200 | 200 | 200 | **100** | 200 | **50 (40–60)** |" in lines
    assert any(
        line.startswith("| half | LOG-CP | 100 | 0.7495 | 0.50 (0.40–0.60) | ") for line in lines
    )
    assert "| geometric mean |  |  |  | **0.50** |  |" in lines
    told = f"{OURS}: geometric mean 0.50 over 1 of the data sets; "
    assert told + "no question needed by it or by the paper's best, not averaged: free." in lines
    assert "- seeds: 3" in lines
    assert lines[-1] == "![half](half.png)"
    for start, line in enumerate(lines):
        if line.startswith("| ---"):  # every row is as long as its head
            rows = [lines[start - 1], *lines[start:]]
            width = rows[0].count("|")
            body = rows[
                : next((n for n, row in enumerate(rows) if not row.startswith("|")), len(rows))
            ]
            assert {row.count("|") for row in body} == {width}


@pytest.mark.parametrize(
    ("between", "told"),
    [
        (100, "- Between two trainings all are asked 100 questions."),
        (1, "- Between two trainings all are asked one question."),
        ("auto", "- Between two trainings all are asked a tenth of what was"),
        (
            "the paper's for its methods, else growing",
            "its number of questions\n  between two trainings. On data",
        ),
        (None, "its number of questions\n  between two trainings. On data"),
    ],
)
def test_the_rounds_that_a_report_tells_of_are_those_of_its_runs(
    report: Report, between: object, told: str
) -> None:
    text = as_markdown(replace(report, about={**report.about, ROUNDS: between}))
    assert told in text
    assert ("rounds that grow" in text) == (not isinstance(between, int) and between != "auto")
    assert "at least one question for each 5,000 cells" in text or isinstance(between, int)


def test_report_as_json(report: Report) -> None:
    again = json.loads(json.dumps(as_json(report)))
    assert again["targets"] == [0.99, 0.999]
    half = next(
        one for one in again["standings"] if one["dataset"] == "half" and one["target"] == 0.999
    )
    assert half["best"] == "LOG-CP"
    assert half["figures"][-1]["questions"] == [40, 50, 60]
    assert half["figures"][-1]["ratio"] == 0.5
    assert again["overall"][0]["no_question"] == ["free"]


def test_runs_that_do_not_get_there_are_told() -> None:
    stuck = {seed: curve([0, 9], [0.5, 0.6]) for seed in range(3)}
    found = make_report({"things": {**seven(100), OURS: stuck}}, targets=[0.999], about={})
    text = as_markdown(found)
    assert "| 0 of 3 runs get there |" in text
    assert (
        "a run did not get there, not averaged: things; early AUC below that of the paper's best: things."
        in text
    )
    nobody = make_report(
        {"things": {**dict.fromkeys(PAPER, stuck), OURS: stuck}}, targets=[0.999], about={}
    )
    assert "| things | none gets there | – | – | – | – |" in as_markdown(nobody)


def test_a_report_says_what_made_the_runs_and_refuses_a_mixture() -> None:
    found = {"half": {**seven(100), OURS: runs_to(40, 50, 60)}}
    first = Origin("1" * 40, None, {"corollary": "0.1.0", "Python": "3.12.3"})
    report = make_report(found, targets=[0.999], about={"seeds": 3}, origins=[first] * 24)
    lines = as_markdown(report).splitlines()
    place = lines.index("- seeds: 3")
    assert lines[place + 1 : place + 3] == [
        "- made by: commit 111111111111",
        "- made with: corollary 0.1.0, Python 3.12.3",
    ]
    origins = [first] * 20 + [Origin()] * 4
    with pytest.raises(co.CorollaryError, match="not all of one commit"):
        make_report(found, targets=[0.999], about={}, origins=origins)
    mixed = make_report(found, targets=[0.999], about={}, origins=origins, mixed=True)
    text = as_markdown(mixed)
    assert (
        "- made by: commit 111111111111 (20 runs)\n- made by: commit not recorded (4 runs)\n"
        in text
    )
    assert "**The runs are not all of one commit**" in text
    assert json.loads(json.dumps(as_json(mixed)))["made_by"] == {
        "commit 111111111111": 20,
        "commit not recorded": 4,
    }


def test_titles() -> None:
    assert [title(name) for name in ("nell-7", "a/b/things.csv.gz")] == ["nell-7", "things"]
