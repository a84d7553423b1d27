"""What machines said: kept to the bit in either database, with its event or not at all, and known by its hash."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.events import Event
from corollary.campaign.storage import reported as module
from corollary.campaign.storage import tables
from corollary.campaign.storage.backups import restore
from corollary.campaign.storage.databases import database_at
from corollary.campaign.storage.records import StoreError
from corollary.campaign.storage.reported import Reported, check_reported
from corollary.campaign.storage.store import Store

from ..zoo import answer

SAID = Reported(
    ("bird", "fish – 🐟"),
    np.array([0, 0, 2], np.int32),
    np.array([0, 1, 0], np.int32),
    np.float32([1, 0, 0.3]),
)


def event(said=SAID, **options):
    detail = {"by": "mara", "sha256": said.sha256, "items": 2}
    return Event(kind="report", who="old model", value=len(said.value), detail=detail, **options)


def same(one, other):
    return one.labels == other.labels and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("item", "label", "value")
    )


cells = st.lists(
    st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 3), st.floats(0, 1, width=32)), max_size=20
)


@given(st.lists(st.text(), min_size=4, max_size=4), cells)
def test_there_and_back(labels, found):
    if any("\ud800" <= sign <= "\udfff" for label in labels for sign in label):
        return
    item, label, value = zip(*found, strict=True) if found else ((), (), ())
    one = Reported(
        tuple(labels),
        np.array(item, np.int32),
        np.array(label, np.int32),
        np.array(value, np.float32),
    )
    back = Reported.from_bytes(one.to_bytes())
    assert same(one, back)
    assert back.sha256 == one.sha256


def test_some_cells():
    assert same(
        SAID.some(np.array([True, False, True])).some(np.array([False, True])),
        SAID.some(SAID.item == 2),
    )


def test_it_is_stored_with_its_event_in_parts_and_goes_into_backups(
    store, url, new_sqlite, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "PART_BYTES", 10)
    store.append_all([event(seq=1, key="k")], reported={1: SAID})[0].wait()
    assert store.append_all([event(key="k")], reported={1: SAID})[
        0
    ].again  # the same key stores nothing twice
    store.backup(tmp_path / "zoo.jsonl.gz")
    copy = new_sqlite()
    restore(tmp_path / "zoo.jsonl.gz", copy)
    with Store.open(copy) as other:
        for one in (store, other):
            assert one.reported() == {1: SAID.to_bytes()}
            found, wrong = check_reported(one.events(), one.reported())
            assert same(found[1], SAID)
            assert not wrong


def test_it_is_not_stored_where_its_event_is_not(store):
    with pytest.raises(StoreError):
        store.append_all([event(seq=1), answer(item="no such item")], reported={1: SAID})[0].wait()
    assert store.reported() == {}


def spoil(url, change):
    database = database_at(url)
    database.lock()
    with database.writer() as connection, connection.begin():
        connection.execute(change)
    database.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (sa.delete(tables.reports), "is gone from the store; bring it again"),
        (sa.update(tables.reports).values(data=b"no zip"), "is gone from the store"),
        (sa.update(tables.reports).values(data=zlib.compress(b"else")), "differs from storage"),
    ],
)
def test_what_is_gone_or_altered_is_told(store, url, new_sqlite, tmp_path, change, words):
    store.append_all([event(seq=1)], reported={1: SAID})[0].wait()
    store.close()
    spoil(url, change)
    with Store.open(url) as again:
        found, wrong = check_reported(again.events(), again.reported())
        assert not found
        assert len(wrong) == 1
        assert wrong[0].startswith("what 'old model' reported of 3 cells (event 1) ")
        assert words in wrong[0]
        again.backup(tmp_path / "bad.jsonl.gz")
    copy = new_sqlite()
    with pytest.raises(StoreError, match="the backup is damaged: what 'old model' reported"):
        restore(tmp_path / "bad.jsonl.gz", copy)
    with pytest.raises(StoreError):
        Store.open(copy)
