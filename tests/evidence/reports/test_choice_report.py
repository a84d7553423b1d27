"""The report of a comparison in which only the choice differs, from made-up curves."""

from __future__ import annotations

import json

import pytest

from corollary.experiment.origin import Origin
from corollary.logic.errors import CorollaryError
from evidence.reports.choice_report import (
    ALL,
    BEST,
    BEST_OTHER,
    OFFICIAL,
    RANDOM_SPLITS,
    as_json,
    as_markdown,
    interval_in_words,
    make_choice_report,
    rows_of,
)
from evidence.reports.intervals import Interval

from ...experiment.curves import curve, runs_to

STUCK = {seed: curve([0, 9], [0.5, 0.6]) for seed in range(3)}
CURVES = {
    "iris": {
        "RANDOM-CP": runs_to(30, 40, 50),
        "LOG-CP": runs_to(20, 20, 20),
        "posterior": runs_to(8, 10, 12),
        "margin:items": runs_to(5, 5, 5),
    },
    "folder/nell-7.csv": {
        "RANDOM-CP": runs_to(100, 100, 100),
        "LOG-CP": STUCK,
        "posterior": runs_to(25, 25, 25),
        "bald:cells": runs_to(50, 50, 50),
    },
}


def test_ratios_by_set_group_and_split() -> None:
    report = make_choice_report(CURVES, targets=[0.999], about={})
    assert report.datasets == ("iris", "nell-7")
    assert report.methods == ("RANDOM-CP", "LOG-CP", "posterior", "margin:items", "bald:cells")
    (one,) = report.to_targets
    ratios = one.ratios
    assert ratios[BEST]["iris"].value == pytest.approx(0.5)
    assert ratios[BEST]["nell-7"].value == pytest.approx(0.25)  # LOG-CP did not get there
    assert ratios[BEST][ALL].value == pytest.approx((0.5 * 0.25) ** 0.5)
    assert ratios[BEST]["flat"] == ratios[BEST]["iris"]
    assert ratios["LOG-CP"]["nell-7"] is None
    assert ratios["LOG-CP"][ALL].value == pytest.approx(0.5)
    assert ratios["margin:items"]["iris"].value == pytest.approx(2.0)
    assert ratios["margin:items"]["nell-7"] is None
    assert ratios[BEST_OTHER]["iris"] == ratios["margin:items"]["iris"]
    assert ratios[BEST_OTHER][ALL].value == pytest.approx(
        (2.0 * 0.5) ** 0.5
    )  # on each data set the best there
    assert "posterior" not in ratios
    assert report.together == ["flat", "NELL", ALL]  # neither has an official split
    assert json.loads(json.dumps(as_json(report)))["to_targets"][0]["questions"]["iris"][
        "posterior"
    ] == [8, 10, 12]


def test_official_splits_are_told_apart() -> None:
    curves = {"vowel": CURVES["iris"], "nell-7": CURVES["folder/nell-7.csv"]}
    report = make_choice_report(curves, targets=[0.999], about={})
    of_chance = report.to_targets[0].ratios["RANDOM-CP"]
    assert report.together == ["flat", "NELL", ALL, OFFICIAL, RANDOM_SPLITS]
    assert of_chance[OFFICIAL].value == pytest.approx(8 / 30)  # seed 0 of vowel alone
    assert of_chance[RANDOM_SPLITS].value == pytest.approx((11 / 45 * 0.25) ** 0.5)


def test_what_falls_back_counts_from_where_it_is_kept() -> None:
    falls = curve([0, 5, 6, 9], [0.5, 0.9995, 0.98, 1.0])
    stays = curve([0, 5, 6, 9], [0.5, 0.9995, 0.9995, 1.0])
    ends = curve([0, 5, 6, 9], [0.5, 0.98, 0.98, 1.0])
    curves = {"iris": {"RANDOM-CP": {0: stays, 1: stays}, "posterior": {0: falls, 1: ends}}}
    report = make_choice_report(curves, targets=[0.999], about={})
    (one,) = report.to_targets
    assert one.questions["iris"] == {"RANDOM-CP": (5, 5), "posterior": (9, 9)}
    assert one.fell_back["iris"] == {"RANDOM-CP": (0, 2), "posterior": (1, 1)}
    found = "3 runs went on after they first reached 0.999; 1 fell below it again."
    assert found in as_markdown(report)
    assert "By method: posterior 1." in as_markdown(report)
    only_ends = make_choice_report({"iris": {"posterior": {0: ends}}}, targets=[0.999], about={})
    assert "Every run ends where it first gets to 0.999; these do not tell" in as_markdown(
        only_ends
    )


def test_what_is_unfavourable_stands_beside_the_rest() -> None:
    text = as_markdown(
        make_choice_report(CURVES, targets=[0.99, 0.999], about={"learner of all": "auto"})
    )
    assert "- learner of all: auto\n" in text
    assert "| margin:items | **5** | – |" in text  # the fewest
    assert "| LOG-CP | 20 | 0 of 3 runs get there |" in text
    assert "| margin:items | **2.00 (" in text  # the default needs more
    told = "Fewer questions than posterior needs (bold above), the fewest first: iris: margin:items (2.00)."
    assert text.count(told) == 2
    favourable = {"iris": {name: CURVES["iris"][name] for name in ("LOG-CP", "posterior")}}
    report = make_choice_report(favourable, targets=[0.999], about={})
    assert (
        "No other method needs fewer questions than posterior on any data set of the table."
        in as_markdown(report)
    )
    assert list(report.to_targets[0].ratios) == ["LOG-CP"]  # of one alone there is no best
    assert rows_of(report, report.to_targets[0]) == [
        ["LOG-CP", "20", "0.50 (0.40–0.60)"],
        ["posterior", "10 (8–12)", "–"],
    ]


def test_the_bests_have_rows_on_a_terminal() -> None:
    stuck = {"RANDOM-CP": STUCK, "LOG-CP": STUCK, "posterior": runs_to(7, 7, 7)}
    report = make_choice_report({**CURVES, "vowel": stuck}, targets=[0.9, 0.999], about={})
    for one in report.to_targets:
        best, best_other, *rows = rows_of(report, one)
        assert best == [BEST, "20", "100", "–", interval_in_words(one.ratios[BEST][ALL])]
        assert best_other == [
            BEST_OTHER,
            "5",
            "50",
            "–",
            interval_in_words(one.ratios[BEST_OTHER][ALL]),
        ]
        assert best[-1].endswith(", 2 of 3")
        assert [row[0] for row in rows] == list(report.methods)
        assert rows[1] == [
            "LOG-CP",
            "20",
            "0 of 3 runs get there",
            "0 of 3 runs get there",
            "0.50 (0.40–0.60), 1 of 3",
        ]
        assert rows[3] == ["margin:items", "5", "–", "–", "2.00 (1.60–2.40), 1 of 3"]


def test_a_mean_over_fewer_data_sets_says_so() -> None:
    report = make_choice_report(CURVES, targets=[0.999], about={})
    text = as_markdown(report)
    assert "| LOG-CP | 0.50 (0.40–0.60) | – | 0.50 (0.40–0.60), 1 of 2 |\n" in text
    assert "| LOG-CP | 0.50 (0.40–0.60) | – |\n" in text  # of one data set there is nothing to tell
    assert text.count("\n`2 of 3`: over two of three data sets; ") == 1
    assert (report.to_targets[0].ratios["LOG-CP"][ALL].datasets, len(report.datasets)) == (1, 2)
    whole = {"iris": CURVES["iris"]}
    assert "`2 of 3`" not in as_markdown(make_choice_report(whole, targets=[0.999], about={}))
    assert interval_in_words(Interval(0.2, 0.12, 0.34, 8, 10)) == "0.20 (0.12–0.34), 8 of 10"
    assert interval_in_words(Interval(0.2, 0.12, 0.34, 10, 10)) == "0.20 (0.12–0.34)"


def test_a_target_counts_once_it_is_kept() -> None:
    falls = {0: curve([0, 5, 6, 9], [0.5, 0.99, 0.9, 0.999])}
    report = make_choice_report(
        {"d": {"posterior": falls, "LOG-CP": falls}}, targets=[0.99], about={}
    )
    assert report.to_targets[0].questions["d"]["posterior"] == (9,)
    assert report.to_targets[0].ratios["LOG-CP"]["others"].value == 1.0
    assert report.together == [ALL]  # one seed: no splits apart


def test_runs_of_one_commit_and_seconds() -> None:
    origins = [Origin("1" * 40), Origin("2" * 40)]
    with pytest.raises(CorollaryError, match="not all of one commit"):
        make_choice_report(CURVES, targets=[0.99], about={}, origins=origins)
    report = make_choice_report(CURVES, targets=[0.99], about={}, origins=origins, mixed=True)
    assert "**The runs are not all of one commit**" in as_markdown(report)
    assert report.seconds["iris"]["LOG-CP"] == (0.0, 0.0)
    assert interval_in_words(None) == "–"
    assert interval_in_words(Interval(0.5, 0.5, 0.5)) == "0.50"
