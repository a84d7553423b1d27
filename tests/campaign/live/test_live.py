"""Reading a campaign: the garbage collector of the process is left as it was."""

from __future__ import annotations

import gc

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.live.live import collecting_later


@pytest.fixture(autouse=True)
def as_before():
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_the_collector_is_off_while_reading_and_then_as_it_was(on):
    (gc.enable if on else gc.disable)()
    with pytest.raises(OSError, match="gone"), collecting_later():
        assert not gc.isenabled()
        raise OSError("gone")
    assert gc.isenabled() == on


def test_what_the_process_has_frozen_stays_so_and_nothing_is_added(tmp_path):
    gc.freeze()
    frozen = gc.get_freeze_count()
    onto = co.Ontology.parse("animal > bird")
    with Campaign.create(tmp_path / "birds.sqlite", [Item("robin", "a robin")], onto, name="Birds"):
        assert gc.get_freeze_count() <= frozen
    assert gc.get_freeze_count() > 0.9 * frozen  # frozen objects still die one by one
