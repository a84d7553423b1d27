"""Reading a campaign: what was read is not looked through for garbage until the campaign is closed."""

from __future__ import annotations

import gc

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.live.live import collecting_later


@pytest.fixture(autouse=True)
def as_before():
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.enable()


def test_what_is_there_is_left_alone_and_the_search_goes_on():
    with collecting_later():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    later: list[object] = []
    later.append(later)  # refers to itself: only a search finds that nobody else does
    del later
    assert gc.collect() > 0


def test_a_search_that_was_off_stays_off():
    gc.disable()
    with collecting_later():
        pass
    assert not gc.isenabled()


def test_a_campaign_that_is_closed_leaves_nothing_behind(tmp_path):
    onto = co.Ontology.parse("animal > bird")
    with Campaign.create(tmp_path / "birds.sqlite", [Item("robin", "a robin")], onto, name="Birds"):
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0
