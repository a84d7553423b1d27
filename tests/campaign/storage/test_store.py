"""The contract of the store, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import time

import pytest
import sqlalchemy as sa

from corollary.campaign.items import Item
from corollary.campaign.storage import tables
from corollary.campaign.storage.databases import database_at
from corollary.campaign.storage.records import Annotator, Lease, StoreBusy, StoreError
from corollary.campaign.storage.store import Store

from ..zoo import ITEMS, answer, keys, make

# Creating and opening


def test_what_is_created_is_there_after_opening(url):
    ann = Annotator(name="Ann", role="lead", token_hash="0f")
    with make(url, about="birds and fish", annotators=[ann]) as store:
        made_at = store.made_at
        assert store.last == 0
    with Store.open(url) as store:
        assert (store.name, store.about, store.settings) == ("zoo", "birds and fish", {"seed": 3})
        assert store.made_at == made_at
        assert list(store.items(images=True)) == ITEMS
        assert store.count_items() == 3
        assert [(one.version, one.text, one.who) for one in store.ontologies()] == [
            (1, "exclusive: bird, fish\n", "system")
        ]
        assert store.annotators() == [ann]
        assert list(store.events()) == []
        assert store.leases() == []
        assert store.model() is None


def test_a_failed_creation_leaves_nothing(url):
    with pytest.raises(StoreError, match="the item id 'robin' is there twice"):
        make(url, items=[*ITEMS, Item("robin")])

    def broken():
        yield ITEMS[0]
        raise KeyError("the file ends here")

    with pytest.raises(KeyError, match="the file ends here"):
        make(url, items=broken())
    with make(url) as store:
        assert store.count_items() == 3


def test_creating_where_one_is_already(url):
    make(url).close()
    with pytest.raises(StoreError, match="already"):
        make(url)
    with Store.open(url) as store:
        assert store.name == "zoo"


def test_one_process_writes_and_others_read(store, url):
    with pytest.raises(
        StoreBusy, match=f"already open in process {os.getpid()} on .*readonly=True"
    ):
        Store.open(url)
    with Store.open(url, readonly=True) as reader:
        store.append(answer(key="k")).wait()
        assert keys(reader) == ["k"]
        assert reader.last == 1
        with pytest.raises(StoreError, match="for reading only"):
            reader.append(answer())
        with pytest.raises(StoreError, match="for reading only"):
            reader.put_annotator(Annotator(name="Ann"))
        with (
            pytest.raises(sa.exc.DBAPIError, match="read-?only"),
            reader._database.engine.begin() as connection,
        ):
            connection.execute(sa.delete(tables.events))
    store.close()
    Store.open(url).close()


def test_a_newer_version_is_refused(url):
    make(url).close()
    database = database_at(url)
    with database.engine.begin() as connection:
        connection.execute(sa.insert(tables.schema), {"version": 99, "at": "later"})
    database.close()
    for readonly in (False, True):
        with pytest.raises(StoreError, match="version 99 of the tables.*install a newer version"):
            Store.open(url, readonly=readonly)


def test_a_database_that_is_no_campaign(url):
    database = database_at(url)
    database.prepare()
    with database.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE schema (n INTEGER)"))
    database.close()
    with pytest.raises(StoreError, match="is not a campaign"):
        Store.open(url)
    with pytest.raises(StoreError, match="already"):
        make(url)


def test_a_closed_store_says_so(url):
    store = make(url)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append(answer())


# Everything else that is kept


def test_ontologies_are_numbered(store):
    assert store.add_ontology("bird\n", who="lead") == 2
    assert store.add_ontology("fish\n", who="lead") == 3
    assert [(one.version, one.text) for one in store.ontologies()][1:] == [
        (2, "bird\n"),
        (3, "fish\n"),
    ]
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        store.append(answer(ontology=4)).wait()
    assert store.append(answer(ontology=3)).wait() == 1


def test_people_are_added_and_changed(store):
    ann, ben = (
        Annotator(name="Ann", token_hash="1"),
        Annotator(name="Ben", role="reader", password_hash="argon"),
    )
    store.put_annotator(ben)
    store.put_annotator(ann)
    assert store.annotators() == [ann, ben]
    gone = Annotator(name="Ann", state="revoked", made_at=ann.made_at)
    store.put_annotator(gone)
    assert store.annotators() == [gone, ben]
    store.put_annotator(Annotator(name="Eve", token_hash="2"))
    with pytest.raises(StoreError, match=r"(?i)unique"):
        store.put_annotator(Annotator(name="Mallory", token_hash="2"))
    assert store.append(answer()).wait() == 1
    assert "argon" not in repr(ben)


def lease(id, who="ann"):
    return Lease(id=id, item="robin", label=None, who=who, expires="2030-01-01T00:00:00+00:00")


def test_leases_are_mirrored(store, url):
    store.mirror_leases([lease("a"), lease("b"), lease("c")])
    store.mirror_leases([lease("a", who="ben")], released=["b"])
    store.mirror_leases(released=["never there"])
    for _ in range(100):
        if store.leases():
            break
        time.sleep(0.05)
    assert store.leases() == [lease("a", who="ben"), lease("c")]
    store.mirror_leases([lease("d")], released=["a"])
    store.close()  # writes what waits
    with Store.open(url) as reopened:
        assert reopened.leases() == [lease("c"), lease("d")]


def test_what_encoders_made_is_kept_once_and_can_be_emptied(store, url):
    assert store.encodings() == {}
    many = {f"{n:064x}": bytes([n % 256, 1]) for n in range(1200)}
    store.put_encodings({"static": many, "other": {"0": b"ab"}})
    store.put_encodings({"static": {f"{0:064x}": b"no", "new": b"cd"}, "none": {}})
    expected = {"static": many | {"new": b"cd"}, "other": {"0": b"ab"}}
    assert store.encodings() == expected, "what was there stays"
    with Store.open(url, readonly=True) as reader:
        assert reader.encodings() == expected
        with pytest.raises(StoreError, match="for reading only"):
            reader.put_encodings({"static": {"x": b"ab"}})
    store.forget_encodings()
    assert store.encodings() == {}
