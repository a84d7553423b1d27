"""Appending: order, keys, threads, failures, and that what was acknowledged survives a kill."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from corollary import CorollaryError
from corollary.campaign.events import Event
from corollary.campaign.items import Item, Picture
from corollary.campaign.storage.records import StoreBusy, StoreError
from corollary.campaign.storage.store import Store

from ..zoo import ITEMS, PNG, answer, keys, make


def test_events_keep_their_order_and_content(store):
    events = [
        answer(key="a", seconds=1.25, ontology=1, model=7),
        Event(kind="answer", who="Ben", item="pike", value=["fish", "día"], key="b"),
        Event(kind="undo", who="ann", refers=1, key="c"),
        Event(
            kind="flag",
            who="ann",
            item="pike",
            detail={"reason": "text", "note": "läuft 🐟 \0"},
            key="d",
        ),
        Event(kind="settings", who="lead", detail={"overlap": 0.1}, key="e"),
    ]
    receipts = [store.append(event) for event in events]
    assert [receipt.seq for receipt in receipts] == [1, 2, 3, 4, 5]
    assert [receipt.wait() for receipt in receipts] == [1, 2, 3, 4, 5]
    assert not any(receipt.again for receipt in receipts)
    assert list(store.events()) == [event.placed(seq) for seq, event in enumerate(events, start=1)]
    assert list(store.events(after=3)) == [
        event.placed(seq) for seq, event in enumerate(events[3:], start=4)
    ]
    assert store.find("b") == events[1].placed(2)
    assert store.find("nothing") is None
    assert store.last == 5


def test_events_are_read_in_chunks(store):
    receipts = store.append_all([answer(key=f"k{i}") for i in range(4100)])
    assert receipts[-1].wait() == 4100
    assert keys(store) == [f"k{i}" for i in range(4100)]
    assert keys(store, after=100) == [f"k{i}" for i in range(100, 4100)]


def test_a_key_counts_once(store, url):
    first = store.append(answer(key="k"))
    waiting = store.append(answer(key="k", value=False))
    assert (waiting.seq, waiting.again, waiting.wait()) == (1, True, 1)
    first.wait()
    again = store.append(answer(key="k", value=False))
    assert (again.seq, again.again, again.wait()) == (1, True, 1)
    both = store.append_all([answer(key="k"), answer(key="n"), answer(key="n")])
    assert [(one.seq, one.again) for one in both] == [(1, True), (2, False), (2, True)]
    both[1].wait()
    store.close()
    with Store.open(url) as reopened:
        assert reopened.append(answer(key="n")).again
        assert [(event.seq, event.key, event.value) for event in reopened.events()] == [
            (1, "k", True),
            (2, "n", True),
        ]


def test_a_caller_that_knows_its_place_is_held_to_it(store):
    store.append(answer(seq=1)).wait()
    with pytest.raises(StoreError, match="event 3 is out of step: the next one is 2"):
        store.append(answer(seq=3))
    with pytest.raises(StoreError, match="out of step"):
        store.append(answer(seq=1))
    assert store.append(answer(seq=2)).wait() == 2


def test_many_threads_lose_nothing_and_leave_no_gaps(store):
    """Each thread also repeats every key of its neighbour."""
    each, threads = 60, 8

    def work(number):
        found = {}
        for i in range(each):
            for owner in (number, (number + 1) % threads):
                key = f"{owner}-{i}"
                found[key] = store.append(answer(key=key)).wait()
        return found

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(work, range(threads)))
    stored = {event.key: event.seq for event in store.events()}
    assert sorted(stored.values()) == list(range(1, each * threads + 1))
    assert stored.keys() == {f"{number}-{i}" for number in range(threads) for i in range(each)}
    for one in found:
        assert one.items() <= stored.items()


def test_threads_share_transactions(store):
    """Group commit: while one transaction is written, all that comes waits for the next one."""
    sizes = []
    write = store._writer._write
    store._writer._write = lambda groups: (
        sizes.append(len(groups)),
        time.sleep(0.02),
        write(groups),
    )
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: store.append(answer()).wait(), range(96)))
    assert sum(sizes) == 96
    assert len(sizes) <= 24


def test_a_failed_transaction_refuses_its_events_and_the_store_goes_on(store):
    store.append(answer(key="before")).wait()
    gate = threading.Event()
    block = store._writer.change(lambda connection: gate.wait(10))
    time.sleep(0.05)
    doomed = [store.append(answer(key="good")), store.append(answer(item="unknown", key="bad"))]
    gate.set()
    assert block.result()
    for receipt in doomed:
        with pytest.raises(StoreError, match=r"not stored, try again: .*(?i:foreign key)"):
            receipt.wait(10)
    assert keys(store) == ["before"]
    again = store.append(answer(key="good"))
    assert (again.seq, again.again, again.wait()) == (2, False, 2)
    assert keys(store) == ["before", "good"]


def test_events_behind_a_failed_transaction_have_lost_their_places(store):
    """Whoever handed them in counted on the events before them."""
    write, started, gate = store._writer._write, threading.Event(), threading.Event()

    def slow(groups):
        started.set()
        gate.wait(10)
        write(groups)

    store._writer._write = slow
    bad = store.append(answer(item="unknown", key="bad"))
    started.wait(10)
    behind = store.append(answer(key="behind"))
    assert behind.seq == 2
    gate.set()
    for receipt in (bad, behind):
        with pytest.raises(StoreError, match="not stored"):
            receipt.wait(10)
    with pytest.raises(StoreError, match="event 3 is out of step: the next one is 1"):
        store.append(answer(seq=3))
    assert store.append(answer(key="behind")).wait() == 1


def test_a_group_is_stored_whole_or_not_at_all(store):
    new = [Item("eagle"), Item("carp", image=Picture("c.png", "image/png", PNG))]
    told = Event(kind="items", who="lead", value=2)
    bad = store.append_all([told, answer("eagle"), answer("missing")], items=new)
    with pytest.raises(StoreError):
        bad[-1].wait()
    assert store.count_items() == 3
    receipts = store.append_all([told, answer("eagle")], items=new)
    assert [receipt.wait() for receipt in receipts] == [2, 2]
    assert [receipt.seq for receipt in receipts] == [1, 2]
    assert list(store.items(images=True)) == ITEMS + new
    told = Event(kind="items", who="lead", value=2)
    with pytest.raises(
        StoreError, match="item 'eagle' is in the campaign already; none of the 2 was added"
    ):
        store.append_all([told], items=[Item("new"), Item("eagle")])
    with pytest.raises(StoreError, match="'x' is there twice"):
        store.append_all([told], items=[Item("x"), Item("x")])
    with pytest.raises(StoreError, match='an event of the kind "items"'):
        store.append_all([], items=[Item("x")])
    assert store.count_items() == 5


def test_a_repeated_import_adds_nothing(store):
    told = Event(kind="items", who="lead", value=1)
    store.append_all([told], items=[Item("eagle")])[0].wait()
    again = store.append_all([told], items=[Item("eagle")])[0]
    assert (again.seq, again.again, again.wait()) == (1, True, 1)
    assert store.count_items() == 4
    both = [
        store.append_all([Event(kind="items", who="lead", value=1, key="k")], items=[Item("owl")])[
            0
        ]
        for _ in "ab"
    ]
    assert [(one.wait(), one.again) for one in both] == [(2, False), (2, True)]
    assert store.count_items() == 5


def test_a_value_that_is_not_json_is_refused_at_once(store):
    with pytest.raises(CorollaryError, match="JSON"):
        store.append(Event(kind="settings", who="lead", detail={"x": float("nan")}))
    assert store.append(answer()).wait() == 1


def test_a_caller_that_no_longer_waits_does_not_stop_the_writer(store):
    receipt = store.append(answer(key="left"))
    assert not receipt.future.cancel()
    assert store.append(answer(key="next")).wait() == 2
    assert keys(store) == ["left", "next"]


def test_what_people_wrote_stays_out_of_the_programs_log(store, caplog):
    secret = Event(
        kind="flag", who="ann", item="unknown", detail={"reason": "other", "note": "my secret"}
    )
    with pytest.raises(StoreError) as error:
        store.append(secret).wait()
    assert "1 groups of events were not stored" in caplog.text
    assert "my secret" not in caplog.text + str(error.value) + str(error.value.__cause__)


# Nothing is lost

CHILD = """
import sys, threading
from corollary.campaign.storage.store import Store
from corollary.campaign.events import Event
store = Store.open(sys.argv[1])
lock = threading.Lock()
def work(name):
    i = 0
    while True:
        key = f"{sys.argv[2]}-{name}-{i}"
        seq = store.append(Event(kind="answer", who="ann", item="robin", label="bird", value=True, key=key)).wait()
        with lock:
            sys.stdout.write(f"{seq} {key}\\n"); sys.stdout.flush()
        i += 1
for name in range(4):
    threading.Thread(target=work, args=(name,), daemon=True).start()
threading.Event().wait()
"""


def test_what_was_acknowledged_survives_kill_9(url):
    make(url).close()
    acknowledged = {}
    for number in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, url, str(number)], stdout=subprocess.PIPE, text=True
        )
        lines = [child.stdout.readline() for _ in range(40)]
        time.sleep(0.02 * number)
        child.send_signal(signal.SIGKILL)
        lines += child.communicate()[0].splitlines(keepends=True)
        for line in lines:
            assert re.fullmatch(r"\d+ \S+\n", line), line
            seq, key = line.split()
            acknowledged[key] = int(seq)
        with patiently_open(url) as store:
            stored = {event.key: event.seq for event in store.events()}
            assert acknowledged.items() <= stored.items()
            assert sorted(stored.values()) == list(range(1, len(stored) + 1))
    assert len(acknowledged) >= 200


def patiently_open(url):
    """PostgreSQL may need a moment to see that a client is gone."""
    for _ in range(100):
        try:
            return Store.open(url)
        except StoreBusy:
            time.sleep(0.05)
    return Store.open(url)
