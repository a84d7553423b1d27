"""`corollary backup` and `corollary restore`."""

from __future__ import annotations

import json


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
    assert [(event["seq"], event["kind"], event["item"]) for event in events][-1] == (
        len(events),
        "fact",
        "Rome",
    )
