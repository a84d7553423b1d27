from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from corollary.experiment.methods import PAPER
from evidence.commands.running import places_of

pytestmark = pytest.mark.slow

Call = Callable[..., Result]


@pytest.fixture
def arguments(things: tuple[Path, Path]) -> tuple[object, ...]:
    """The cheapest comparison there is."""
    table, ontology = things
    options = ("--ignore", "name", "--learner", "logistic", "--seeds", 1, "--processes", 1)
    return ("compare", table, "--ontology", ontology, *options)


def test_a_report_that_goes_on_from_where_it_was(
    call: Call, arguments: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    result = call(*arguments, "--out", out)
    assert result.exit_code == 0, result.output
    names = [*PAPER, "posterior (logistic)"]
    rows = [line for line in result.stdout.splitlines() if line.startswith(" things")]
    assert [
        " ".join(row.split()[1:]).startswith(name) for row, name in zip(rows, names, strict=True)
    ] == [True] * 8
    cells = [re.split(" {2,}", row.strip()) for row in rows]
    marked = [[row[1] for row in cells if row[column].endswith(" *")] for column in (2, 5)]
    assert "8 of 8: things.csv, " in result.stderr
    text = (out / "report.md").read_text(encoding="utf-8")
    assert "| geometric mean |" in text
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert found["targets"] == [0.99, 0.999]
    assert marked == [
        [one["best"]] for one in found["standings"]
    ]  # the paper's best to either target
    for standing in found["standings"]:
        means = {figures["name"]: figures["mean"] for figures in standing["figures"]}
        assert list(means) == names
        assert means[standing["best"]] == min(means[name] for name in PAPER)
    again = call(*arguments, "--out", out)  # everything is there
    assert again.stdout == result.stdout
    assert again.stderr == ""
    # another folder takes all runs over, and needs no matplotlib
    packed = tmp_path / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress((out / "runs.jsonl").read_bytes()))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    other = call(*arguments, "--out", tmp_path / "other", "--reuse", packed)
    assert other.exit_code == 0, other.output
    assert other.stderr == f"8 runs taken from {packed}\n"
    assert other.stdout.splitlines()[:-1] == result.stdout.splitlines()[:-1]
    assert "no figures, they need matplotlib: pip install 'corollary[plots]'" in other.stdout
    assert not list((tmp_path / "other").glob("*.png"))


def test_runs_of_another_commit_are_refused_unless_told(
    call: Call, arguments: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--paper", "LOG-CP", "--target", 0.9, "--out", tmp_path / "out")
    monkeypatch.setattr("evidence.commands.compare.can_draw", lambda: False)
    assert call(*arguments, *options).exit_code == 0
    path = tmp_path / "out" / "runs.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {"commit", "changed", "versions"} == records[0]["origin"].keys()
    records[0]["origin"] |= {"commit": "2" * 40, "changed": None}
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    refused = call(*arguments, *options)
    assert refused.exit_code == 2
    assert "commit 222222222222: 1" in refused.output
    assert "--mix-commits" in refused.output
    told = call(*arguments, *options, "--mix-commits")
    assert told.exit_code == 0, told.output
    assert "runs of several commits: " in told.stderr
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "**The runs are not all of one commit**" in text
    # runs of before, without any origin, are one of their kind
    for one in records:
        del one["origin"]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    assert call(*arguments, *options).exit_code == 0
    assert "- made by: commit not recorded\n" in (tmp_path / "out" / "report.md").read_text(
        encoding="utf-8"
    )


def test_a_small_start_and_one_target(
    call: Call, arguments: tuple[object, ...], tmp_path: Path
) -> None:
    options = (
        "--start",
        2,
        "--target",
        0.9,
        "--per-round",
        5,
        "--reliability",
        "--out",
        tmp_path / "out",
    )
    options += ("--paper", "LOG-CP", "--paper", "RANDOM")
    result = call(*arguments, *options)
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "out" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    for line in lines:
        settings = json.loads(line)["curve"]["settings"]
        assert (settings["start"], settings["per_round"], settings["until"]) == (2, 5, 0.9)
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "- known at the start: 2 items of each label" in text
    assert "- of the paper's methods: LOG-CP, RANDOM" in text
    assert "AUC 0.999" not in text
    assert "![reliability-things](reliability-things.png)" in text
    assert (tmp_path / "out" / "reliability-things.png").exists()


def test_known_data_and_files_together(things: tuple[Path, Path]) -> None:
    table, ontology = map(str, things)
    places = places_of(["Iris", table], {"ontology": ontology})
    assert places == [{"dataset": "iris"}, {"dataset": table, "files": {"ontology": ontology}}]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["irsi"], "'irsi' is neither a file nor a known data set; did you mean 'iris'?"),
        (["iris", "iris"], "two of the data sets have one name"),
        (["iris", "--method", "LOGCP"], "no method 'LOGCP'; did you mean 'LOG-CP'?"),
        (["iris", "--paper", "LOGCP"], "--paper names one of"),
        (["iris", "--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["iris", "--train", "0.5"], "iris is a known data set; --train is for files of your own"),
        (["iris", "--processes", "0"], "--processes must be at least 1, got 0"),
        (["iris", "--per-round", "0"], "per_round must be a whole number from 1, or 'auto', got 0"),
        (["iris", "--per-round", "few"], "'few' is neither a whole number nor auto"),
        (["iris", "--start", "-1"], "start must be a whole number from 0, got -1"),
        (["iris", "--target", "2"], "until must be an AUC above 0 and up to 1"),
        (["iris", "--learner", "oracle"], "no learner 'oracle'"),
        (["iris", "--same-learner", "oracle"], "no learner 'oracle'"),
        (["iris", "--same-learner", "crf", "--learner", "crf"], "leave out --learner"),
        (["iris", "--propagation", "off"], "it needs --same-learner"),
        (["iris", "--same-learner", "crf", "--reliability"], "not with --same-learner"),
        (["iris", "--same-learner", "crf", "--method", "margin:cells"], "no method 'margin:cells'"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_work_is_told(
    call: Call, arguments: list[str], told: str, tmp_path: Path
) -> None:
    result = call("compare", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_bad_data_are_told_before_anything_runs(
    call: Call,
    things: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*args: Any, **options: Any) -> None:
        raise AssertionError("nothing must run")

    monkeypatch.setattr("evidence.commands.running.run_all", never)
    result = call("compare", things[0], "--ontology", things[1], "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "'name'" in result.output  # the names are no numbers


def test_compare_is_listed_and_tells_where_methods_and_the_start_are(call: Call) -> None:
    assert "compare" in call("--help").output
    told = " ".join(call("compare", "--help").output.split())
    assert (
        "all of them have that learner, the same start (--start), the same rounds and the same predictor"
        in told
    )
    assert "`corollary simulate --help` lists the methods." in told


def test_only_the_choice_differs(call: Call, things: tuple[Path, Path], tmp_path: Path) -> None:
    table, ontology = things
    options = (
        "--ignore",
        "name",
        "--seeds",
        2,
        "--processes",
        1,
        "--same-learner",
        "logistic",
        "--distinct",
    )
    options += (
        "--paper",
        "RANDOM",
        "--paper",
        "LOG-CP",
        "--method",
        "LOG-CP:marginals",
        "--method",
        "margin:items",
    )
    arguments = (
        "compare",
        table,
        "--ontology",
        ontology,
        *options,
        "--propagation",
        "on",
        "--out",
        tmp_path / "out",
    )
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    names = ["RANDOM", "LOG-CP", "posterior", "contrast", "LOG-CP:marginals", "margin:items"]
    printed = [line.split() for line in result.stdout.splitlines()]
    for target, told in (("0.99", printed[:8]), ("0.999", printed[8:16])):
        assert told[0] == ["to", target, "things", "contrast", "over", "it"]
        assert told[1][:3] == ["the", "paper's", "best"]
        assert [line[0] for line in told[2:]] == names
    lines = (tmp_path / "out" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    settings = [json.loads(line)["curve"]["settings"] for line in lines]
    for one in settings:
        assert (one["learner"], one["per_round"], one["predict"]) == (
            "logistic",
            "auto",
            "posterior",
        )
        assert (one["propagate"], one["balanced"], one["distinct"]) == (True, False, True)
    assert [one["method"] for one in settings] == names * 2
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "- learner of all: logistic\n- consequences of answers: on\n" in text
    assert "- items that occur in both parts: left out of training\n" in text
    assert text.endswith("\n\n![things](things.png)\n")
    assert (tmp_path / "out" / "things.png").exists()
    assert result.stdout.endswith("report.json, 1 figures\n")
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert list(found["to_targets"][0]["ratios"]) == [
        "the paper's best",
        *(n for n in names if n != "contrast"),
    ]
    again = call(*arguments)
    assert (again.stdout, again.stderr) == (result.stdout, "")


def test_the_report_tells_of_the_settings_it_was_made_with(
    call: Call,
    things: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, ontology = things
    monkeypatch.setattr("evidence.commands.compare.can_draw", lambda: False)
    options = (
        "--ignore",
        "name",
        "--seeds",
        1,
        "--processes",
        1,
        "--same-learner",
        "logistic",
        "--target",
        0.9,
    )
    options += ("--paper", "LOG-CP", "--per-round", 5, "--propagation", "off", "--out", tmp_path)
    result = call("compare", table, "--ontology", ontology, *options)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "the same rounds (5 questions)" in text
    assert "- No method draws the consequences of answers: " in text
    assert "tenth" not in text
    assert "- consequences of answers: off\n" in text
    assert "- items that occur in both parts: kept\n" in text
    assert "things.png" not in text
    assert "no figures, they need matplotlib" in result.stdout
    assert "- questions between two trainings: 5\n" in text
