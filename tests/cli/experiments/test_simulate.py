from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from corollary.cli import main
from corollary.experiment.runs import results

from ...experiment.made_up import written_things

pytestmark = pytest.mark.slow

Call = Callable[..., Result]


@pytest.fixture
def things(tmp_path: Path) -> tuple[Path, Path]:
    """A table of thirty items and its ontology."""
    return written_things(tmp_path)


def test_own_files(call: Call, things: tuple[Path, Path], tmp_path: Path) -> None:
    table, ontology = things
    out = tmp_path / "results.jsonl"
    arguments = (
        "simulate",
        table,
        "--ontology",
        ontology,
        "--ignore",
        "name",
        "--method",
        "posterior",
    )
    arguments += (
        "--method",
        "RANDOM",
        "--per-round",
        5,
        "--seeds",
        2,
        "--out",
        out,
        "--processes",
        2,
    )
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["posterior", "RANDOM"]
    assert "to 0.99" in lines[0]
    assert "to 0.999" in lines[0]
    assert "4 of 4: " in result.stderr
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted((record["job"]["method"], record["job"]["seed"]) for record in records) == [
        ("RANDOM", 0),
        ("RANDOM", 1),
        ("posterior", 0),
        ("posterior", 1),
    ]
    again = call(*arguments)  # everything is there: the same table at once
    assert again.exit_code == 0
    assert again.stdout == result.stdout
    assert again.stderr == ""


def test_the_table_tells_what_the_curves_say(
    call: Call, things: tuple[Path, Path], tmp_path: Path
) -> None:
    table, ontology = things
    out = tmp_path / "results.jsonl"
    result = call(
        "simulate", table, "--ontology", ontology, "--ignore", "name", "--out", out, "--to-the-end"
    )
    assert result.exit_code == 0, result.output
    curve = json.loads(out.read_text(encoding="utf-8"))["curve"]
    words = result.stdout.splitlines()[-1].split()
    assert words[0] == "posterior"
    assert str(curve["asked"][-1]) in words
    assert str(curve["fixed"][-1]) in words
    assert words.count("1.0000") == 2  # all is known: both AUCs are 1
    assert curve["settings"]["until"] is None


def test_a_small_start_and_growing_rounds(
    call: Call, things: tuple[Path, Path], tmp_path: Path
) -> None:
    table, ontology = things
    out = tmp_path / "results.jsonl"
    arguments = (
        "simulate",
        table,
        "--ontology",
        ontology,
        "--ignore",
        "name",
        "--learner",
        "logistic",
        "--out",
        out,
    )
    result = call(*arguments, "--start", 1, "--per-round", "auto", "--to-the-end")
    assert result.exit_code == 0, result.output
    record = json.loads(out.read_text(encoding="utf-8"))
    assert record["job"]["settings"]["start"] == record["curve"]["settings"]["start"] == 1
    assert record["curve"]["settings"]["per_round"] == "auto"
    assert record["curve"]["asked"][:5] == [0, 1, 2, 3, 4]


def test_orders_and_whole_items(call: Call, things: tuple[Path, Path], tmp_path: Path) -> None:
    table, ontology = things
    out = tmp_path / "results.jsonl"
    arguments = (
        "simulate",
        table,
        "--ontology",
        ontology,
        "--ignore",
        "name",
        "--learner",
        "crf",
        "--out",
        out,
    )
    result = call(*arguments, "--stay", "item", "--item-cost", 1.01, "--processes", 1)
    assert result.exit_code == 0, result.output
    assert "cost to" in result.stdout
    (record,) = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert (record["job"]["settings"]["stay"], record["job"]["settings"]["item_cost"]) == (
        "item",
        1.01,
    )
    asked, cost = record["curve"]["asked"][-1], record["curve"]["cost"][-1]
    assert asked < cost <= 1.01 * asked + 1e-6
    assert "cost to" not in call(*arguments, "--processes", 1).stdout


@pytest.mark.parametrize(("pick", "price"), [((), 2.0), (("--pick", "always"), 5.0)])
def test_a_cost_in_seconds(
    call: Call, things: tuple[Path, Path], tmp_path: Path, pick: tuple[str, ...], price: float
) -> None:
    table, ontology = things
    out = tmp_path / "results.jsonl"
    arguments = (
        "simulate",
        table,
        "--ontology",
        ontology,
        "--ignore",
        "name",
        "--learner",
        "crf",
        "--out",
        out,
    )
    result = call(
        *arguments, *pick, "--seconds", 2, 5, "--per-round", 1, "--start", 1, "--processes", 1
    )
    assert result.exit_code == 0, result.output
    assert "people's s to" in result.stdout
    record = json.loads(out.read_text(encoding="utf-8"))
    assert record["job"]["settings"].get("item_cost") == (2.5 if pick else None)
    (found,) = [curve for _, curve in results(out)]
    asked = found.questions_to(0.999)
    assert asked  # there is something to count
    assert result.stdout.splitlines()[-1].split()[-1] == f"{price * asked:,.0f}"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["irsi"], "'irsi' is neither a file nor a known data set; did you mean 'iris'?"),
        (["iris", "--method", "LOGCP"], "no method 'LOGCP'; did you mean 'LOG-CP'?"),
        (["iris", "--seeds", "0"], "--seeds must be at least 1, got 0"),
        (["iris", "--train", "0.5"], "iris is a known data set; --train is for files of your own"),
        (["iris", "--processes", "0"], "processes must be at least 1, got 0"),
        (["iris", "--per-round", "0"], "per_round must be a whole number from 1, or 'auto', got 0"),
        (["iris", "--per-round", "some"], "'some' is neither a whole number nor auto"),
        (["iris", "--start", "-1"], "start must be a whole number from 0, got -1"),
        (["iris", "--until", "2"], "until must be an AUC above 0 and up to 1"),
        (["iris", "--learner", "oracle"], "no learner 'oracle'"),
        (["iris", "--seconds", "2", "0"], "--seconds must be two numbers above 0, got 2 and 0"),
        (["iris", "--seconds", "2", "5", "--item-cost", "3"], "--item-cost: leave it out"),
    ],
)
def test_what_cannot_work_is_told(call: Call, arguments: list[str], told: str) -> None:
    result = call("simulate", *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_a_file_needs_an_ontology(call: Call, things: tuple[Path, Path]) -> None:
    result = call("simulate", things[0])
    assert result.exit_code == 2
    assert "needs the labels and constraints that go with it: --ontology FILE" in result.output


def test_a_bad_file_is_told_without_a_traceback(call: Call, things: tuple[Path, Path]) -> None:
    table, ontology = things
    result = call("simulate", table, "--ontology", ontology)  # the names are no numbers
    assert result.exit_code == 2
    assert "'name'" in result.output
    assert "Traceback" not in result.output


def test_simulate_is_listed(call: Call) -> None:
    assert "simulate" in call("--help").output
    assert "simulate" in main.list_commands(None)  # type: ignore[arg-type]
