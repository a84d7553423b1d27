"""One answer for many items: each its own event, stored together, taken back together."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.people import NotAllowed

from ..team import TEXT


def test_each_item_is_answered_and_the_lot_is_taken_back(make):
    campaign = make(8)
    campaign.answer("ann", "i1", "fish", True)
    before = campaign.progress()
    told = campaign.answer_all("mara", ["i0", "i1", "i2", "i0"], "bird", True, key="g")
    assert [(event.item, event.label, event.value, event.who) for event in told.events] == [
        (item, "bird", True, "mara") for item in ("i0", "i1", "i2")
    ]
    assert told.group == "g"
    assert told.conflicts == ("i1",)
    assert told.settled == 2 * len(co.Ontology.parse(TEXT))
    assert told.counts["asked"] == before["asked"] + 3
    assert campaign.verify(step_by_step=True) == []
    campaign = make.again(campaign)
    assert campaign.state.known_of("i0")["animal"]
    undone = campaign.undo_all("mara", "g")
    assert [event.refers for event in undone.events] == [event.seq for event in told.events]
    assert undone.opened == told.settled
    assert undone.conflicts == ()
    after = campaign.progress()
    assert {
        name: after[name] for name in before if name not in ("seq", "training", "saved_today")
    } == {
        name: value
        for name, value in before.items()
        if name not in ("seq", "training", "saved_today")
    }
    assert campaign.verify(step_by_step=True) == []
    with pytest.raises(
        co.CorollaryError, match="all 3 events of the group 'g' are taken back already"
    ):
        campaign.undo_all("mara", "g")


def test_only_what_still_stands_of_a_group_is_taken_back(make):
    campaign = make(4)
    told = campaign.answer_all("mara", ["i0", "i1"], "bird", False)
    campaign.undo("mara", told.events[0].seq)
    assert [event.item for event in campaign.undo_all("mara", told.group).events] == ["i1"]


def test_the_same_key_again_counts_once(make):
    campaign = make(4)
    told = campaign.answer_all("mara", ["i0", "i1"], "bird", True, key="g")
    assert campaign.answer_all("mara", ["i0", "i1"], "bird", True, key="g") is told
    seq = campaign.state.seq
    campaign = make.again(campaign)
    again = campaign.answer_all("mara", ["i0", "i1"], "bird", True, key="g")
    assert [event.seq for event in again.events] == [event.seq for event in told.events]
    assert campaign.state.seq == seq
    with pytest.raises(co.CorollaryError, match="was used for something else"):
        campaign.undo_all("mara", "g", key="g")


def test_all_or_none(make):
    campaign = make(4)
    campaign.withdraw("i3", who="mara")
    seq = campaign.state.seq
    for who, items, label, value, wrong, told in (
        ("mara", ["i0", "nix"], "bird", True, co.CorollaryError, "no item 'nix'"),
        ("mara", ["i0", "i3"], "bird", True, co.CorollaryError, "was withdrawn by a lead"),
        ("mara", ["i0"], "brid", True, co.CorollaryError, "unknown label 'brid'"),
        ("mara", ["i0"], "bird", "perhaps", co.CorollaryError, "an answer must be true, false"),
        ("mara", [], "bird", True, co.CorollaryError, "answer 1 to 10,000 items"),
        ("ann", ["i0"], "bird", True, NotAllowed, "lead"),
    ):
        with pytest.raises(wrong, match=told):
            campaign.answer_all(who, items, label, value)
    with pytest.raises(co.CorollaryError, match="there is no group 'nix'"):
        campaign.undo_all("mara", "nix")
    with pytest.raises(co.CorollaryError, match="may have at most 190 characters"):
        campaign.answer_all("mara", ["i0"], "bird", True, key="k" * 191)
    assert campaign.state.seq == seq


def test_answers_of_a_group_count_towards_the_next_training(make):
    campaign = make(6, retrain_every=4)
    campaign.answer_all("mara", ["i0", "i1", "i2", "i3"], "bird", True)
    assert campaign.progress()["training"]["training"]
