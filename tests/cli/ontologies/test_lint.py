"""`corollary lint`."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def faulty(tmp_path):
    """Warnings, and nothing worse: b and c can never be."""
    path = tmp_path / "faulty.onto"
    path.write_text("a > b\nb > c\na > c\nexclusive: a, b\n", encoding="utf-8")
    return path


@pytest.fixture
def impossible(tmp_path):
    path = tmp_path / "impossible.onto"
    path.write_text("at least one: a\nrule: ~a\n", encoding="utf-8")
    return path


def test_nothing_to_report(call, zoo):
    result = call("lint", zoo)
    assert result.exit_code == 0
    assert result.stdout == "zoo.onto: 8 labels, 6 constraints: nothing to report\n"


def test_findings_are_a_table_with_lines_and_a_summary(call, faulty, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    result = call("lint", faulty)
    assert result.exit_code == 0
    rows = [" ".join(line.split()) for line in result.stdout.splitlines() if line.strip(" ─")]
    assert rows == [
        "severity kind what line",
        "warning never true b can never be yes: b implies a; at most one of a, b 1, 4",
        "warning never true c can never be yes: c implies b; c implies a; at most one of a, b 2, 3, 4",
        "info redundant follows from the other constraints: c implies a 3",
        "faulty.onto: 3 labels, 4 constraints: 2 warnings, 1 info",
    ]


def test_a_narrow_terminal_loses_nothing(call, faulty, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    words = call("lint", faulty).stdout.split()
    assert {"severity", "redundant", "constraints:"} <= set(words)
    assert "…" not in "".join(words)


def test_strict_fails_on_warnings(call, faulty, zoo):
    assert call("lint", faulty, "--strict").exit_code == 1
    assert call("lint", zoo, "--strict").exit_code == 0


def test_an_error_fails(call, impossible):
    result = call("lint", impossible)
    assert result.exit_code == 1
    assert "unsatisfiable" in result.stdout
    assert "1 error" in result.stdout


def test_json_says_it_all(call, faulty):
    result = call("lint", faulty, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert (document["file"], document["labels"], document["constraints"]) == (str(faulty), 3, 4)
    assert [(f["severity"], f["kind"], f["labels"]) for f in document["findings"]] == [
        ("warning", "never true", ["b"]),
        ("warning", "never true", ["c"]),
        ("info", "redundant", ["a", "c"]),
    ]
    assert document["findings"][0]["constraints"] == [
        {"text": "a > b", "file": str(faulty), "line": 1},
        {"text": "exclusive: a, b", "file": str(faulty), "line": 4},
    ]
    assert document["not_expressed"] == []


def test_json_keeps_the_exit_status(call, impossible):
    result = call("lint", impossible, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["findings"][0]["kind"] == "unsatisfiable"


def test_what_a_file_does_not_express_is_counted_and_listed(call, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("child,parent,colour\nbird,animal,red\n", encoding="utf-8")
    assert "1 statement of the file not expressed" in call("lint", path).stdout
    assert json.loads(call("lint", path, "--json").stdout)["not_expressed"] == [
        "the column 'colour'"
    ]


def test_siblings_exclusive_reaches_the_reader(call, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("child,parent\nbird,animal\nfish,animal\n", encoding="utf-8")
    assert "3 labels, 2 constraints" in call("lint", path).stdout
    assert "3 labels, 3 constraints" in call("lint", path, "--siblings-exclusive").stdout


def test_format_overrules_the_name(call, tmp_path):
    path = tmp_path / "zoo.txt"
    path.write_text("animal > bird\n", encoding="utf-8")
    refused = call("lint", path)
    assert refused.exit_code == 2
    assert "pass --format" in refused.stderr
    assert call("lint", path, "--format", "notation").exit_code == 0


def test_missing_file(call, tmp_path):
    result = call("lint", tmp_path / "nowhere.onto")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_many_findings_of_a_kind_are_counted_unless_all_are_asked_for(call, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / "lone.onto"
    path.write_text("labels: " + ", ".join(f"l{k}" for k in range(30)), encoding="utf-8")
    few, every = call("lint", path).stdout, call("lint", path, "--all").stdout
    assert few.count(" unused ") == 20
    assert "and 10 more: unused; --all lists them" in few
    assert every.count(" unused ") == 30
    assert "more" not in every
