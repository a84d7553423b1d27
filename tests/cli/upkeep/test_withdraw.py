"""`corollary withdraw`."""

from __future__ import annotations

import json


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
    assert call("withdraw", place, "--from", table).stdout.startswith(
        "1 item withdrawn, 1 were withdrawn before: "
    )
    shown = call("export", place, "-", "--format", "jsonl").stdout
    assert [json.loads(line)["item"] for line in shown.splitlines()] == ["Rome"]
    assert (
        call("export", place, tmp_path / "gone.csv", "--withdrawn").stdout
        == f"{tmp_path / 'gone.csv'}: 3 items\n"
    )
    assert "robin,small and red-breasted,bird,given" in (tmp_path / "gone.csv").read_text(
        encoding="utf-8"
    )
    assert call("replay", place, "--verify").exit_code == 0
    assert call("withdraw", place, "--undo", "--from", table).stdout.startswith(
        "2 items brought back: "
    )
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
