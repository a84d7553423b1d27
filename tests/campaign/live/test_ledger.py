"""The log and memory in step: keys that come twice, replies that wait for the disk, and a write that fails."""

from __future__ import annotations

import time
from threading import Event, Thread

import numpy as np
import pytest

import corollary as co
from corollary.campaign.live import ledger
from corollary.campaign.storage.records import StoreError
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


@pytest.fixture
def slow_disk(monkeypatch):
    """Nothing is stored until this is set."""
    transact, safe = Writer._transact, Event()

    def late(self, change, **options):
        assert safe.wait(60)
        return transact(self, change, **options)

    monkeypatch.setattr(Writer, "_transact", late)
    yield safe
    safe.set()


def test_nobody_is_told_before_the_event_is_safe_also_not_who_asks_again(make, slow_disk):
    slow_disk.set()
    campaign = make()
    slow_disk.clear()
    first = campaign.take_answer("ann", "i0", "bird", True, key="k")
    again = campaign.take_answer("ann", "i0", "bird", True, key="k")
    waiting = [Thread(target=wait) for wait in (first.wait, again.wait, campaign._ledger.flush)]
    for thread in waiting:
        thread.start()
    waiting[0].join(0.1)
    assert all(thread.is_alive() for thread in waiting)
    assert not any(pending.receipt.future.done() for pending in (first, again))
    slow_disk.set()
    for thread in waiting:
        thread.join(60)
    assert first.wait() is again.wait()
    assert first.receipt.wait() == 1
    campaign = make.again(campaign)
    campaign._ledger.flush()
    safe = campaign.take_answer("ann", "i0", "bird", True, key="k")
    assert safe.receipt is None
    assert safe.wait().seq == 1


def test_of_long_ago_the_event_is_told_again(make, monkeypatch):
    monkeypatch.setattr(ledger, "REPLIES", 2)
    campaign = make()
    first, second, third = (
        campaign.answer("ann", f"i{n}", "bird", True, key=f"k{n}") for n in range(3)
    )
    assert campaign.answer("ann", "i2", "bird", True, key="k2") is third
    assert campaign.answer("ann", "i1", "bird", True, key="k1") is second
    again = campaign.answer("ann", "i0", "bird", True, key="k0")
    assert again is not first
    assert again.event == first.event


def test_events_have_their_place_and_the_model_that_was_in_use(make):
    campaign = make(learner="logistic")
    assert [campaign.answer("ann", f"i{n}", "bird", n < 2).event.model for n in range(4)] == [
        0,
        0,
        0,
        0,
    ]
    campaign.retrain(wait=True)
    assert campaign.answer("ann", "i4", "bird", True).event.model == campaign.state.model.value
    assert campaign.state.model.value > 0
    assert [event.seq for event in campaign.state.events] == list(range(1, campaign.state.seq + 1))


def test_it_is_logged_when_the_campaign_is_read_again(make, caplog):
    campaign = make()
    assert "read again" not in caplog.text
    campaign._ledger.distrust()
    assert campaign.state.seq == 0
    assert "read again after a failure: 0 events" in caplog.text


@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_key_that_comes_again_after_a_commit_that_nobody_heard_of_gets_its_first_reply(
    make, monkeypatch, meanwhile
):
    """Also where that fails while the reply is made: all is read again after it, not under its hands."""
    campaign, transact = make(), Writer._transact
    live, epoch = campaign._live, campaign._live.store.epoch

    def unheard(self, change, **options):
        transact(self, change, **options)
        raise OSError("the disk is gone")

    def answered(event):
        while live.store.epoch == epoch:
            time.sleep(0.01)
        assert campaign.state.seq == 1

    monkeypatch.setattr(ledger, "PAUSE_SECONDS", 0.0)
    if meanwhile:
        monkeypatch.setattr(live, "answered", answered)
    monkeypatch.setattr(Writer, "_transact", unheard)
    with pytest.raises(StoreError):
        campaign.answer("ann", "i0", "bird", True, key="k")
    monkeypatch.setattr(Writer, "_transact", transact)
    reply = campaign.answer("ann", "i0", "bird", True, key="k")
    assert (reply.seq, campaign.state.seq) == (1, 1)
    assert len(reply.settled) == len(campaign.state.onto)


def test_while_a_reading_fails_others_are_told_at_once(make, monkeypatch):
    campaign = make()
    monkeypatch.setattr(ledger, "PAUSE_SECONDS", 60.0)
    tries = []
    load = campaign._ledger._load

    def fail():
        tries.append(1)
        raise StoreError("no answer")

    campaign._ledger._load = fail
    campaign._ledger.distrust()
    with pytest.raises(StoreError, match="no answer"):
        _ = campaign.state
    for _ in range(3):
        with pytest.raises(StoreError, match="try again in a moment"):
            _ = campaign.state
    assert len(tries) == 1
    campaign._ledger._load = load
    campaign._ledger._resting_until = 0.0
    assert campaign.state.seq == 0
