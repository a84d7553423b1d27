"""The log and memory in step: keys that come twice, and a write that fails."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.campaign.storage.errors import StoreError
from corollary.campaign.storage.writer import Writer


def test_the_same_key_counts_once(make):
    campaign = make()
    first = campaign.answer("ann", "i0", "bird", True, key="k")
    again = campaign.answer("ann", "i0", "bird", True, key="k")
    assert again is first
    assert campaign.state.seq == 1
    with pytest.raises(co.CorollaryError, match="was used for something else"):
        campaign.undo("ann", key="k")
    campaign = make.again(campaign)
    assert campaign.answer("ann", "i0", "bird", True, key="k").seq == 1
    assert campaign.state.seq == 1


def test_a_failed_write_leaves_memory_as_the_log_is(make, monkeypatch):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    facts = campaign.state.facts.copy()
    (asking,) = campaign.next("ben")
    transact = Writer._transact

    def fail(self, change):
        raise OSError("the disk is full")

    monkeypatch.setattr(Writer, "_transact", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        campaign.answer("ben", asking.item.id, asking.label, True, key="lost")
    monkeypatch.setattr(Writer, "_transact", transact)
    np.testing.assert_array_equal(campaign.state.facts, facts)
    assert campaign.next("ben")[0].label == asking.label
    reply = campaign.answer("ben", asking.item.id, asking.label, True, key="lost")
    assert reply.seq == 2
    assert reply.settled
    assert campaign.verify() == []
