"""`corollary replay`."""

from __future__ import annotations

from corollary.campaign.campaign import Campaign


def test_replay_tells_a_difference(call, place, monkeypatch):
    monkeypatch.setattr(
        Campaign, "verify", lambda self, **_: ["the facts differ, first in item 'robin'"]
    )
    result = call("replay", place, "--verify")
    assert result.exit_code == 1
    assert "differs: the facts differ, first in item 'robin'" in result.stderr


def test_the_model_is_trained_again_on_request(call, place, monkeypatch):
    asked = []
    monkeypatch.setattr(
        Campaign, "verify", lambda self, **options: asked.append(options["train"]) or []
    )
    assert (
        call("replay", place, "--verify").exit_code
        == call("replay", place, "--verify", "--train").exit_code
        == 0
    )
    assert asked == [False, True]
    refused = call("replay", place, "--train")
    assert refused.exit_code == 2
    assert "--train needs --verify" in refused.stderr
