"""`corollary replay`."""

from __future__ import annotations

from corollary.campaign.campaign import Campaign


def test_replay_tells_a_difference(call, place, monkeypatch):
    monkeypatch.setattr(Campaign, "verify", lambda self, **_: ["the facts differ, first in item 'robin'"])
    result = call("replay", place, "--verify")
    assert result.exit_code == 1
    assert "differs: the facts differ, first in item 'robin'" in result.stderr
