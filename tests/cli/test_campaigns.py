"""The commands on a campaign that is there: import, export, status, undo, backup, restore, replay."""

from __future__ import annotations

import csv
import json

import pytest

from corollary.campaign.campaign import Campaign


def test_import_of_items_and_labels(call, place, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("id,text,bird\nduck,quacks,yes\n", encoding="utf-8")
    assert "it would add 1 item and 1 label" in call("import", place, more, "--check").stdout
    result = call("import", place, more)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "added 1 item and 1 label" in result.stdout
    again = call("import", place, more)
    assert again.exit_code == 2
    assert "line 2: item 'duck' is in the campaign already" in again.stderr
    assert "pass --only-labels" in again.stderr
    more.write_text("item,label,value\ncarp,fish,yes\ncow,mammal,1\n", encoding="utf-8")
    assert "added 0 items and 2 labels" in call("import", place, more).stdout
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.state.ids == ("robin", "carp", "cow", "Rome", "duck")
        assert campaign.state.known_of("cow")["animal"] is True
        assert campaign.verify(step_by_step=True) == []


def test_export_formats(call, place, tmp_path):
    for name, options in (
        ("a.csv", ()),
        ("b.csv", ("--format", "csv-wide", "--spreadsheet")),
        ("c.jsonl", ()),
        ("d.parquet", ()),
    ):
        result = call("export", place, tmp_path / name, *options)
        assert (result.exit_code, result.stdout) == (0, f"{tmp_path / name}: 4 items\n")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["source"] for row in rows} == {"asked", "implied", "open"}
    shown = call("export", place, "-", "--format", "jsonl", "--no-predictions").stdout
    assert [json.loads(line)["item"] for line in shown.splitlines()] == ["robin", "carp", "cow", "Rome"]
    assert call("export", place, "-").stdout == (tmp_path / "a.csv").read_text(encoding="utf-8")
    again = call("export", place, tmp_path / "a.csv")
    assert again.exit_code == 2
    assert "pass --replace" in again.stderr
    assert call("export", place, tmp_path / "a.csv", "--replace", "--no-names").exit_code == 0


def test_status_in_words_tables_and_json(call, place):
    text = call("status", place, "--labels", "--people").stdout
    assert text.startswith("things\n")
    assert "4 items, 8 labels, 1 person" in text
    assert "2 imported" in text
    assert "no model yet" in text
    assert "red square" in text
    found = json.loads(call("status", place, "--json").stdout)
    assert (found["name"], found["items"], found["imported"]) == ("things", 4, 2)
    assert [one["label"] for one in found["by_label"]][:2] == ["animal", "bird"]


def test_undo(call, place):
    with Campaign.open(place) as campaign:
        campaign.answer("lead", "carp", "fish", True)
    result = call("undo", place)
    assert result.exit_code == 0
    assert "taken back: event 3 by lead: carp, fish: yes" in result.stdout
    assert "labels open again: animal, " in result.stdout
    assert "taken back: event 1 by import: robin, bird: yes" in call("undo", place, 1).stdout
    nothing = call("undo", place)
    assert nothing.exit_code == 2
    assert "there is nothing to undo" in nothing.stderr
    assert "nobody is called 'zoe' in this campaign; there is lead" in call("undo", place, "--as", "zoe").stderr


def test_items_are_withdrawn_listed_exported_and_brought_back(call, place, tmp_path):
    done = call("withdraw", place, "robin", "cow", "--reason", "there twice")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("2 items withdrawn: ")
    assert call("withdraw", place).stdout.splitlines() == [
        "robin: event 3 by lead, there twice",
        "cow: event 4 by lead, there twice",
    ]
    assert "2 items withdrawn, not counted" in call("status", place).stdout
    table = tmp_path / "ids.txt"
    table.write_text("cow\n\ncarp\n", encoding="utf-8")
    assert call("withdraw", place, "--from", table).stdout.startswith("1 item withdrawn, 1 were withdrawn before: ")
    shown = call("export", place, "-", "--format", "jsonl").stdout
    assert [json.loads(line)["item"] for line in shown.splitlines()] == ["Rome"]
    assert call("export", place, tmp_path / "gone.csv", "--withdrawn").stdout == f"{tmp_path / 'gone.csv'}: 3 items\n"
    assert "robin,bird,yes,asked" in (tmp_path / "gone.csv").read_text(encoding="utf-8")
    assert call("replay", place, "--verify").exit_code == 0
    assert call("withdraw", place, "--undo", "--from", table).stdout.startswith("2 items brought back: ")
    assert "taken back: event 3 by lead: robin: withdrawn" in call("undo", place, 3).stdout
    assert call("withdraw", place).stdout == ""
    assert call("replay", place, "--verify").exit_code == 0
    for wrong, told in (
        (("unicorn",), "no item 'unicorn'"),
        (("--undo",), "say which items shall come back"),
        (("--from", tmp_path / "none.txt"), "does not exist"),
    ):
        result = call("withdraw", place, *wrong)
        assert result.exit_code == 2
        assert told in result.stderr
    table.write_text("\n", encoding="utf-8")
    assert "names no items" in call("withdraw", place, "--from", table).stderr


def test_backup_restore_and_replay(call, place, tmp_path, monkeypatch):
    first = call("replay", place, "--verify")
    assert (first.exit_code, first.stderr) == (0, "")
    assert "verified" in first.stdout
    monkeypatch.chdir(tmp_path)
    named = call("backup", place).stdout.partition(":")[0]
    assert named.startswith("zoo-")
    for copy in (named, tmp_path / "copy.sqlite"):
        if copy != named:
            assert call("backup", place, copy).exit_code == 0
        made = tmp_path / f"from-{len(str(copy))}.sqlite"
        result = call("restore", copy, made)
        assert result.exit_code == 0, result.stderr
        assert "2 events" in result.stdout
        assert call("replay", made).stdout == call("replay", place).stdout
    again = call("restore", named, place)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    events = [json.loads(line) for line in call("replay", place, "--events").stdout.splitlines()]
    assert [(event["seq"], event["kind"], event["item"]) for event in events][-1] == (len(events), "fact", "Rome")


def test_replay_tells_a_difference(call, place, monkeypatch):
    monkeypatch.setattr(Campaign, "verify", lambda self, **_: ["the facts differ, first in item 'robin'"])
    result = call("replay", place, "--verify")
    assert result.exit_code == 1
    assert "differs: the facts differ, first in item 'robin'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("undo",), "POST /api/undo"),
        (("ask",), "POST /api/answers"),
        (("serve",), "its page is open already"),
    ],
)
def test_while_a_server_has_it(call, place, arguments, told, tmp_path):
    with Campaign.open(place):
        result = call(arguments[0], place, *arguments[1:])
        assert result.exit_code == 2
        assert "is already open in process" in result.stderr
        assert told in result.stderr
        for reading in (("status",), ("export", tmp_path / "x.csv"), ("backup", tmp_path / "x.sqlite"), ("replay",)):
            assert call(reading[0], place, *reading[1:]).exit_code == 0


@pytest.mark.parametrize("command", ["status", "ask", "undo", "replay", "serve", "backup"])
def test_no_campaign(call, tmp_path, command):
    result = call(command, tmp_path / "none.sqlite")
    assert result.exit_code == 2
    assert "there is no campaign at" in result.stderr
    other = tmp_path / "text.sqlite"
    other.write_text("not a database, but long enough to be read as one " * 30, encoding="utf-8")
    assert call(command, other).exit_code == 2
