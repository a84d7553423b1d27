"""After a commit that failed, or of which nobody heard, memory is what is stored, or nobody gets it."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.live import ledger
from corollary.campaign.storage import postgresql, writer
from corollary.campaign.storage.records import StoreError, StoreWarning
from corollary.campaign.storage.writer import Writer
from corollary.campaign.training.training_process import Trainer

from ...campaign.storage.test_writer import patiently_open
from ...chaos.proxy import Proxy

pytestmark = pytest.mark.slow

ONTO = "animal > exclusive: bird, fish"
ITEMS = [Item(f"i{n}", text=f"thing {n}") for n in range(8)]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(ledger, "PAUSE_SECONDS", 0.0)


def make(url, **settings):
    settings = {"retrain_every": 10_000, "learner": "logistic", **settings}
    campaign = Campaign.create(url, ITEMS, co.Ontology.parse(ONTO), name="zoo", settings=settings)
    campaign.invite("ann")
    return campaign


@pytest.fixture
def campaign(url):
    with make(url) as campaign:
        yield campaign


@pytest.fixture
def behind_proxy(postgres):
    """A campaign in PostgreSQL behind a proxy, the proxy, and the address without it."""
    direct = postgres.new_database()
    proxy = Proxy(postgres.port)
    campaign = make(direct.replace(f":{postgres.port}/", f":{proxy.port}/"))
    try:
        yield campaign, proxy, direct
    finally:
        proxy.heal()
        campaign.close()
        proxy.close()


@contextmanager
def failing(monkeypatch, *, after=False, times=1_000_000):
    """Transactions that fail; `after` they were committed."""
    transact, left = Writer._transact, [times]

    def fail(self, make, **options):
        if left[0] == 0:
            return transact(self, make, **options)
        left[0] -= 1
        if after:
            transact(self, make, **options)
        raise OSError("the disk is gone")

    monkeypatch.setattr(Writer, "_transact", fail)
    try:
        yield
    finally:
        monkeypatch.setattr(Writer, "_transact", transact)


def test_a_repeated_key_gets_its_first_reply_after_a_commit_that_nobody_heard_of(
    campaign, monkeypatch
):
    with failing(monkeypatch, after=True), pytest.raises(StoreError):
        campaign.answer("ann", "i0", "bird", True, key="k")
    reply = campaign.answer("ann", "i0", "bird", True, key="k")
    assert reply.seq == 1
    assert {one.label for one in reply.settled} == {"bird", "animal", "fish"}
    assert campaign.state.seq == 1
    assert campaign.verify() == []


def test_a_repeated_key_gets_its_first_reply_also_where_the_commit_failed_while_that_was_made(
    campaign, monkeypatch
):
    live, epoch = campaign._live, campaign._live.store.epoch

    def answered(event):
        while live.store.epoch == epoch:
            time.sleep(0.01)
        assert (
            campaign.state.seq == 1
        )  # as the event left it: it is read again after the reply is made
        assert not campaign.in_step

    monkeypatch.setattr(live, "answered", answered)
    with failing(monkeypatch, after=True, times=1), pytest.raises(StoreError):
        campaign.answer("ann", "i0", "bird", True, key="k")
    assert campaign.answer("ann", "i0", "bird", True, key="k").seq == 1
    assert campaign.verify() == []


def test_a_commit_cut_off_from_its_acknowledgement_is_told_as_unknown_and_healed(behind_proxy):
    campaign, proxy, _ = behind_proxy
    proxy.set("commit")
    with pytest.raises(
        StoreError, match="not known whether this was stored; repeat it with the same key"
    ):
        campaign.answer("ann", "i0", "bird", True, key="k")
    assert proxy.cut_commits == 1
    reply = campaign.answer("ann", "i0", "bird", True, key="k")
    assert (reply.seq, campaign.state.seq) == (1, 1)
    assert len(reply.settled) == 3
    assert campaign.answer("ann", "i1", "bird", True).seq == 2
    assert campaign.verify() == []


def test_an_outage_that_lasts_is_told_and_ends_with_memory_as_the_log_is(campaign, monkeypatch):
    """The reading again fails, too, several times."""
    campaign.answer("ann", "i0", "bird", True)
    events = campaign._live.store.events
    with failing(monkeypatch):
        with pytest.raises(StoreError):
            campaign.answer("ann", "i1", "bird", True, key="k")
        for _ in range(3):
            with pytest.raises(StoreError):
                _ = campaign.state
            with pytest.raises(StoreError):
                campaign.answer("ann", "i1", "bird", True, key="k")
            with pytest.raises(StoreError):
                campaign.stored()
    monkeypatch.setattr(
        campaign._live.store, "events", lambda: (_ for _ in ()).throw(ValueError("rubbish"))
    )
    with pytest.raises(StoreError, match="rubbish"):
        _ = campaign.state
    monkeypatch.setattr(campaign._live.store, "events", events)
    assert campaign.state.seq == 1
    assert campaign.answer("ann", "i1", "bird", True, key="k").seq == 2
    assert campaign.stored() == 2
    assert campaign.verify() == []


def test_items_of_an_import_that_failed_are_not_asked_about(campaign, monkeypatch):
    new = [Item("new", text="new thing")]
    with failing(monkeypatch), pytest.raises(StoreError):
        campaign.add("lead", new)
    assert "new" not in campaign.state.ids
    assert {item.id for item in campaign.items()} == {item.id for item in ITEMS}
    with pytest.raises(co.CorollaryError, match="no item 'new'"):
        campaign.answer("ann", "new", "bird", True)
    campaign.add("lead", new)
    assert campaign.answer("ann", "new", "bird", True).seq == 2
    assert campaign.verify() == []


def test_items_of_an_import_of_which_nobody_heard_are_there(campaign, monkeypatch):
    with failing(monkeypatch, after=True), pytest.raises(StoreError):
        campaign.add("lead", [Item("new", text="new thing")])
    assert campaign.item("new").values["bird"] == (None, None)
    assert campaign.answer("ann", "new", "bird", True).seq == 2
    assert campaign.verify() == []


def test_a_lease_on_an_item_that_is_gone_is_gone(campaign, monkeypatch):
    campaign.add("lead", [Item("new", text="new thing")])
    lease = campaign._live.leases.take("ann", "new", "bird", 300)
    items = campaign._live.store.items
    monkeypatch.setattr(
        campaign._live.store, "items", lambda **o: (one for one in items(**o) if one.id != "new")
    )
    monkeypatch.setattr(campaign._live.store, "events", lambda: iter(()))
    campaign._ledger.distrust()
    assert "new" not in campaign.state.ids
    assert lease not in campaign.leases()


def test_people_are_as_they_are_stored_after_a_change_of_which_nobody_heard(campaign, monkeypatch):
    token = campaign.invite("ben")
    with failing(monkeypatch, after=True), pytest.raises(StoreError):
        campaign.revoke("ben")
    assert not campaign.in_step
    campaign.keep_up()
    assert campaign.authenticate(token) is None
    with failing(monkeypatch), pytest.raises(StoreError):
        campaign.invite("cleo")
    assert [one.name for one in campaign.annotators()] == ["ann", "ben", "lead"]


def test_a_failed_change_of_settings_or_ontology_leaves_them_as_they_were(campaign, monkeypatch):
    with failing(monkeypatch):
        with pytest.raises(StoreError):
            campaign.change_settings("lead", {"overlap": 0.5})
        with pytest.raises(StoreError):
            campaign.change_ontology("lead", ONTO + "\nanimal > cat")
    assert (campaign.settings.overlap, len(campaign.state.onto)) == (0.0, 3)
    with failing(monkeypatch, after=True), pytest.raises(StoreError):
        campaign.change_settings("lead", {"overlap": 0.5})
    assert campaign.settings.overlap == 0.5
    assert campaign.verify() == []


def test_what_another_server_wrote_meanwhile_is_read(behind_proxy):
    """Its lock was lost with its connection, and another server took the campaign."""
    campaign, proxy, direct = behind_proxy
    token = campaign.invite("ben")
    campaign.answer("ann", "i0", "bird", True)
    proxy.set("refuse")
    with patiently_open(direct) as _:
        pass
    with Campaign.open(direct) as other:
        other.add("lead", [Item("theirs", text="their thing")])
        other.answer("ann", "theirs", "fish", True)
        other.revoke("ben")
        with pytest.raises(StoreError):
            campaign.answer("ann", "i1", "bird", True, key="mine")
        proxy.heal()
        with pytest.raises(StoreError, match="already open in"):
            campaign.answer("ann", "i1", "bird", True, key="mine")
    for _ in range(50):  # as clients do
        with suppress(StoreError):
            reply = campaign.answer("ann", "i1", "bird", True, key="mine")
            break
        time.sleep(0.1)
    assert reply.seq == 4
    assert campaign.authenticate(token) is None
    assert campaign.answer("ann", "theirs", "bird", False).seq == 5
    assert campaign.verify() == []


def test_what_another_server_wrote_is_noticed_without_a_write(behind_proxy):
    campaign, proxy, direct = behind_proxy
    token = campaign.invite("ben")
    proxy.set("refuse")
    with patiently_open(direct) as _:
        pass
    with Campaign.open(direct) as other:
        other.revoke("ben")
    proxy.heal()
    deadline = time.monotonic() + 20
    while campaign.in_step and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not campaign.in_step
    campaign.keep_up()
    assert campaign.authenticate(token) is None


def test_a_process_that_did_not_run_admits_nobody_from_memory(behind_proxy, monkeypatch):
    """Stopped for long it loses its lock, another server revokes someone, and then it goes on."""
    campaign, proxy, direct = behind_proxy
    token = campaign.invite("ben")
    monkeypatch.setattr(writer, "BEAT_SECONDS", 3600.0)  # it does not run
    monkeypatch.setattr(writer, "SLEPT_SECONDS", 0.1)
    campaign.answer("ann", "i0", "bird", True)  # its last sign of life
    proxy.set("refuse")
    patiently_open(direct).close()
    with Campaign.open(direct) as other:
        other.revoke("ben")
    proxy.heal()
    time.sleep(0.1)
    assert not campaign.in_step
    campaign.keep_up()  # as before every request
    assert campaign.authenticate(token) is None
    assert campaign.answer("ann", "i1", "bird", True).seq == 2


def test_a_database_that_takes_everything_and_answers_nothing_is_given_up(
    behind_proxy, monkeypatch
):
    monkeypatch.setattr(postgresql, "SECONDS", 0.5)
    campaign, proxy, _ = behind_proxy
    proxy.set("silent")
    began = time.monotonic()
    with pytest.raises(StoreError, match="no answer from the server|timeout expired"):
        campaign.answer("ann", "i0", "bird", True, key="k")
    assert time.monotonic() - began < 8
    proxy.heal()
    assert campaign.answer("ann", "i0", "bird", True, key="k").seq == 1
    assert campaign.verify() == []


def test_the_lock_of_a_connection_that_is_gone_is_not_waited_for(behind_proxy, monkeypatch):
    """What served it may not notice for hours; we end it."""
    monkeypatch.setattr(postgresql, "SECONDS", 0.5)
    campaign, proxy, direct = behind_proxy
    proxy.set("silent")
    with pytest.raises(StoreError):
        campaign.answer("ann", "i0", "bird", True, key="k")
    with pytest.raises(
        StoreError, match="already open in process"
    ):  # the server's side is still there
        Campaign.open(direct)
    proxy.mode = "pass"  # new connections work; the server's side of the old one stays
    assert campaign.answer("ann", "i0", "bird", True, key="k").seq == 1


def test_health_compares_memory_with_the_store(campaign):
    campaign.answer("ann", "i0", "bird", True)
    assert campaign.stored() == 1
    campaign.state.events.append(campaign.state.events[0])  # as a bug might
    with pytest.raises(
        StoreError, match="the store has 1 events and 8 items, memory 2 and 8; it is read again"
    ):
        campaign.stored()
    assert campaign.stored() == 1
    del campaign._live.items["i7"]
    with pytest.raises(StoreError, match="memory 1 and 7"):
        campaign.stored()
    assert campaign.stored() == 1
    assert campaign.item("i7").item.id == "i7"


# What is derived blocks nothing


def trained(url):
    campaign = make(url)
    for n in range(6):
        campaign.answer("ann", f"i{n}", "bird" if n % 2 else "fish", True)
    campaign.retrain(wait=True)
    return campaign


def test_a_campaign_opens_without_kept_beliefs_after_further_items(url):
    campaign = trained(url)
    beliefs = campaign.state.session.beliefs.copy()
    campaign.add("lead", [Item("late", text="a late thing")])
    campaign.close()  # once what is kept is kept
    with Campaign.open(url) as campaign:
        campaign._live.store.forget_models()
    with Campaign.open(url) as campaign:
        assert len(campaign.state.ids) == 9
        np.testing.assert_array_equal(campaign.state.session.beliefs[:8], beliefs)
        assert campaign.verify() == []


def test_a_campaign_opens_where_the_model_cannot_be_made_again(url, monkeypatch):
    trained(url).close()
    with Campaign.open(url) as campaign:
        campaign._live.store.forget_models()
    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "train", lambda *_: (_ for _ in ()).throw(MemoryError()))
        with pytest.warns(StoreWarning, match="could not be trained again"):
            campaign = Campaign.open(url)
    with campaign:
        assert campaign.next("ann")
        campaign.retrain(wait=True)
        assert campaign.progress()["training"]["error"] is None


def test_beliefs_are_replaced_without_a_moment_in_which_there_are_none(url, monkeypatch):
    campaign = trained(url)
    campaign._live.models._keeping.join()
    store, seen = campaign._live.store, []
    change = store._writer.change

    def watched(make, **options):
        result = change(make, **options)
        result.result()
        seen.append(store.model().version)
        return result

    monkeypatch.setattr(store._writer, "change", watched)
    campaign.answer("ann", "i6", "bird", True)
    campaign.retrain(wait=True)
    campaign._live.models._keeping.join()
    assert seen[0] == 1
    assert seen[-1] == 2
    campaign.close()


# One process that opens a file twice keeps its locks

HOLDER = """
import sys
from corollary.campaign.campaign import Campaign
from corollary.campaign.storage.records import StoreError
url = sys.argv[1]
campaign = Campaign.open(url)
try:
    Campaign.open(url)  # a second time, as in a notebook
except StoreError as error:
    print("refused", flush=True)
Campaign.open(url, readonly=True).close()
campaign.answer("ann", "i0", "bird", True, key="k")
print("answered", flush=True)
sys.stdin.read()
"""


def test_a_process_that_opens_a_campaign_twice_keeps_it_from_others(new_sqlite):
    url = new_sqlite()
    make(url).close()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert [holder.stdout.readline() for _ in range(2)] == ["refused\n", "answered\n"]
        with pytest.raises(StoreError, match="already open in process"):
            Campaign.open(url)
        with sqlite3.connect(
            url
        ) as reader:  # the last one to leave would tidy up, were it not for the holder's locks
            assert reader.execute("SELECT count(*) FROM events").fetchone() == (1,)
        reader.close()
        assert Path(url + "-wal").exists()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    with Campaign.open(url) as campaign:
        assert [event.key for event in campaign.state.events] == ["k"]
