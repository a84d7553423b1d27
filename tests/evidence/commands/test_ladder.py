from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from evidence.reports.ladder import CANDIDATES, CHANGES, RUNGS

pytestmark = pytest.mark.slow

Call = Callable[..., Result]


def test_a_ladder_that_goes_on_from_where_it_was(
    call: Call,
    things: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, ontology = things
    # the pool is slow to train, and what is tested here is the climbing
    monkeypatch.setattr(
        "evidence.reports.ladder.CHANGES",
        tuple(
            (
                words,
                {
                    name: "crf" if value == "auto" and name == "learner" else value
                    for name, value in change.items()
                },
            )
            for words, change in CHANGES
        ),
    )
    out = tmp_path / "out"
    arguments = (
        "ladder",
        table,
        "--ontology",
        ontology,
        "--ignore",
        "name",
        "--seeds",
        1,
        "--processes",
        1,
    )
    arguments += ("--target", 0.99, "--out", out)
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == f"{out / 'report.md'}, report.json"
    rows = [line.split(" | ")[0].removeprefix("| ") for line in result.stdout.splitlines()]
    assert rows[2:-1] == list(RUNGS[1:])
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert found["best"]["things"] in CANDIDATES
    questions = found["climbed"][0]["questions"]["things"]
    assert list(questions) == list(RUNGS)
    published = [
        json.loads(line) for line in (out / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [one["job"]["method"] for one in published[:4]] == list(CANDIDATES)
    again = call(*arguments)
    assert (again.stdout, again.stderr) == (result.stdout, "")


def test_what_cannot_work_is_told(call: Call, tmp_path: Path) -> None:
    for arguments, told in (
        (["irsi"], "did you mean 'iris'?"),
        (["iris", "--seeds", "0"], "--seeds must be at least 1"),
        (["iris", "--target", "2"], "until must be an AUC above 0 and up to 1"),
    ):
        result = call("ladder", *arguments, "--out", tmp_path / "out")
        assert result.exit_code == 2
        assert told in " ".join(result.output.split())
        assert not (tmp_path / "out").exists()
