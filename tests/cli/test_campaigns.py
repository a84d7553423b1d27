"""Campaigns that are not there, and those that a server has."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign


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
        for reading in (
            ("status",),
            ("export", tmp_path / "x.csv"),
            ("backup", tmp_path / "x.sqlite"),
            ("replay",),
        ):
            assert call(reading[0], place, *reading[1:]).exit_code == 0


@pytest.mark.parametrize("command", ["status", "ask", "undo", "replay", "serve", "backup"])
def test_no_campaign(call, tmp_path, command):
    result = call(command, tmp_path / "none.sqlite")
    assert result.exit_code == 2
    assert "there is no campaign at" in result.stderr
    other = tmp_path / "text.sqlite"
    other.write_text("not a database, but long enough to be read as one " * 30, encoding="utf-8")
    assert call(command, other).exit_code == 2
