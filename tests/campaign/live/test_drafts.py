"""What people say is checked before it is an event."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.campaign.people import NotAllowed


def test_undo_takes_back_what_followed(make):
    campaign = make()
    before = campaign.state.facts.copy()
    reply = campaign.answer("ann", "i3", "bird", True)
    undone = campaign.undo("ann")
    assert undone.undone.seq == reply.seq
    assert {label for label, _ in undone.opened} == {s.label for s in reply.settled}
    np.testing.assert_array_equal(campaign.state.facts, before)
    with pytest.raises(co.CorollaryError, match="nothing to undo"):
        campaign.undo("ann")
    with pytest.raises(co.CorollaryError, match="taken back already"):
        campaign.undo("ann", reply.seq)
    theirs = campaign.answer("ben", "i3", "bird", True)
    with pytest.raises(NotAllowed, match="not yours"):
        campaign.undo("ann", theirs.seq)
    campaign.undo("mara", theirs.seq)
    assert [one.stands for one in campaign.history("ann")] == [False]
    np.testing.assert_array_equal(campaign.state.facts, before)


def test_bad_answers_are_refused_and_leave_no_trace(make):
    campaign = make()
    for item, label, value in (
        ("x", "bird", True),
        ("i0", "brid", True),
        ("i0", "bird", 3),
        ("i0", None, True),
    ):
        with pytest.raises(co.CorollaryError):
            campaign.answer("ann", item, label, value)
    with pytest.raises(co.CorollaryError, match="nobody is called 'zoe'"):
        campaign.answer("zoe", "i0", "bird", True)
    campaign.revoke("ben")
    with pytest.raises(NotAllowed, match="no longer takes part"):
        campaign.next("ben")
    assert campaign.state.seq == 0
    assert campaign.verify() == []
