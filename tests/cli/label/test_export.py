"""`corollary export`."""

from __future__ import annotations

import csv
import json

from corollary.campaign.campaign import Campaign


def test_a_file_of_answers_tells_how_many_answers_it_has(call, place, tmp_path):
    with Campaign.open(place) as campaign:
        lead = next(one.name for one in campaign.annotators() if one.role == "lead")
        campaign.answer(lead, "carp", "fish", True)
        campaign.answer(lead, "carp", "city", False)
    told = call("export", place, tmp_path / "a.csv", "--format", "csv-answers").stdout
    assert told == f"{tmp_path / 'a.csv'}: 2 answers\n"
    assert len((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2


def test_export_formats(call, place, tmp_path):
    for name, options in (
        ("a.csv", ()),
        ("b.csv", ("--format", "csv-wide", "--spreadsheet")),
        ("c.jsonl", ()),
        ("d.parquet", ()),
        ("e.csv", ("--format", "csv-long")),
        ("f.csv", ("--format", "csv-long", "--no-predictions")),
        ("g.csv", ("--format", "csv-long", "--no-predictions", "--open")),
    ):
        result = call("export", place, tmp_path / name, *options)
        assert (result.exit_code, result.stdout) == (0, f"{tmp_path / name}: 4 items\n")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["id"], row["labels"], row["origin"]) for row in rows] == [
        ("robin", "bird", "given"),
        ("carp", "", "open"),
        ("cow", "", "open"),
        ("Rome", "city", "given"),
    ]
    for name, sources in (("e", {"asked", "implied", "open"}), ("f", {"asked", "implied"})):
        cells = csv.DictReader((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines())
        assert {row["source"] for row in cells} == sources
    assert (tmp_path / "g.csv").read_bytes() == (tmp_path / "e.csv").read_bytes()
    shown = call("export", place, "-", "--format", "jsonl", "--no-predictions").stdout
    assert [json.loads(line)["item"] for line in shown.splitlines()] == [
        "robin",
        "carp",
        "cow",
        "Rome",
    ]
    assert call("export", place, "-").stdout == (tmp_path / "a.csv").read_text(encoding="utf-8")
    again = call("export", place, tmp_path / "a.csv")
    assert again.exit_code == 2
    assert "pass --replace" in again.stderr
    assert call("export", place, tmp_path / "a.csv", "--replace", "--no-names").exit_code == 0
