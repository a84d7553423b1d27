"""Who takes part: tokens, roles and pauses."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.people import NotAllowed


def test_tokens_and_roles(make):
    campaign = make()
    token = campaign.invite("ann")
    assert campaign.authenticate(token).name == "ann"
    assert campaign.authenticate("guess") is None
    again = make.again(campaign)
    assert again.authenticate(token).name == "ann"
    again.revoke("ann")
    assert again.authenticate(token) is None
    with pytest.raises(co.CorollaryError, match="the only lead"):
        again.revoke("mara")
    again.invite("rita", "reader")
    with pytest.raises(NotAllowed, match="may read"):
        again.answer("rita", "i0", "bird", True)


def test_paused_people_are_asked_nothing(make):
    campaign = make()
    campaign.pause("ann", who="mara")
    assert campaign.next("ann") == []
    assert campaign.situation("ann")["state"] == "paused"
    assert campaign.next("ben")
    campaign.pause(who="mara")
    assert campaign.next("ben") == []
    campaign.answer("ann", "i0", "bird", True)  # what was on its way is taken
    campaign = make.again(campaign)
    campaign.resume(who="mara")
    assert campaign.next("ben")
    assert campaign.next("ann") == []


def test_a_pause_says_since_when(make):
    campaign = make(people=("ann", "ben"))
    assert campaign.progress()["paused_since"] is None
    first = campaign.pause("ann", who="mara")
    campaign.pause("ann", who="mara")  # once more changes nothing
    assert campaign.state.paused_since("ann") == first.at
    assert campaign.state.paused_since("ben") is None
    everybody = campaign.pause(who="mara")
    assert campaign.progress()["paused_since"] == campaign.state.paused_since("ben") == everybody.at
    assert campaign.state.paused_since("ann") == first.at
    assert campaign.next("ben") == []
    campaign.resume(who="mara")
    assert campaign.progress()["paused_since"] is None
    assert campaign.next("ben")
