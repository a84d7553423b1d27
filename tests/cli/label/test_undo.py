"""`corollary undo`."""

from __future__ import annotations

from corollary.campaign.campaign import Campaign


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
    assert (
        "nobody is called 'zoe' in this campaign; there is lead"
        in call("undo", place, "--as", "zoe").stderr
    )
