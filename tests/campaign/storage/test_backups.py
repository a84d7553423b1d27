"""Backups while answers come in, and campaigns made of them in either database."""

from __future__ import annotations

import gzip
import threading

import numpy as np
import pytest

from corollary.campaign.events import Event
from corollary.campaign.storage.backups import restore
from corollary.campaign.storage.records import Annotator, Model, StoreError
from corollary.campaign.storage.store import Store

from ..zoo import answer, make


def fill(store):
    store.append_all([answer(key=f"k{i}", seconds=0.1 * i) for i in range(1500)])[-1].wait()
    store.append(Event(kind="undo", who="ann", refers=3, detail={"note": "\0 ü 🐟\n"})).wait()
    store.add_ontology("bird\n", who="lead")
    store.put_annotator(Annotator(name="Ann", token_hash="1"))
    store.put_encodings({"static": {"a1": b"\0\1", "b2": b"\2\3"}, "other": {"a1": b"\4\5"}})
    store.put_model(Model(version=1, upto=5, beliefs=np.eye(3) / 3))


def content(store):
    model = store.model()
    return (
        (store.name, store.about, store.settings, store.made_at),
        list(store.items(images=True)), list(store.events()), store.ontologies(), store.annotators(),
        (model.version, model.upto, model.sha256), store.encodings(),
    )  # fmt: skip


def test_a_portable_backup_goes_to_either_database(store, postgres, new_sqlite, tmp_path):
    fill(store)
    path = tmp_path / "zoo.jsonl.gz"
    store.backup(path)
    store.append(answer(key="after the backup")).wait()
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(StoreError, match="exists already"):
        store.backup(path)
    for target in (new_sqlite(), postgres.new_database()):
        restore(path, target)
        with Store.open(target) as copy:
            assert content(copy)[2] == list(store.events())[:-1]
            assert content(copy)[:2] + content(copy)[3:] == content(store)[:2] + content(store)[3:]
            assert copy.append(answer(key="goes on")).wait() == 1502
        with pytest.raises(StoreError, match="already"):
            restore(path, target)


def test_a_backup_is_one_moment_while_answers_come_in(store, new_sqlite, tmp_path):
    stop = threading.Event()

    def label():
        while not stop.is_set():
            store.append(answer()).wait()

    thread = threading.Thread(target=label)
    thread.start()
    try:
        for number in range(3):
            before = store.last
            path = tmp_path / f"{number}.jsonl.gz"
            store.backup(path)
            target = new_sqlite()
            restore(path, target)
            with Store.open(target) as copy:
                places = [event.seq for event in copy.events()]
            assert places == list(range(1, len(places) + 1))
            assert before - 1 <= len(places) <= store.last
    finally:
        stop.set()
        thread.join()


def test_a_damaged_backup_restores_nothing(store, url, new_url, tmp_path):
    fill(store)
    good = tmp_path / "zoo.jsonl.gz"
    store.backup(good)
    bad = tmp_path / "bad.jsonl.gz"
    bad.write_bytes(good.read_bytes()[:-200])
    target = new_url()
    with pytest.raises(StoreError, match="damaged"):
        restore(bad, target)
    bad.write_bytes(b"hello")
    with pytest.raises(StoreError, match="damaged or not a backup"):
        restore(bad, target)
    with pytest.raises(StoreError, match="no backup at"):
        restore(tmp_path / "gone.jsonl.gz", target)
    with pytest.raises(StoreError, match="cannot write the backup"):
        store.backup(tmp_path / "no folder" / "x.jsonl.gz")
    restore(good, target)
    with Store.open(target) as copy:
        assert content(copy) == content(store)


HEAD = '{"format": "corollary campaign", "version": 1}'
CAMPAIGN = '{"table": "campaign", "row": {"id": 1, "name": "x", "about": "", "settings": "{}", "at": "2026"}}'


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [HEAD],
        [HEAD, '{"rows": 0}'],
        [HEAD, CAMPAIGN, '{"rows": 1}'],
        [HEAD, CAMPAIGN.replace('"{}"', '"[]"'), '{"rows": 1}'],
        [HEAD, CAMPAIGN.replace('"id": 1', '"id": {"base64": 5}'), '{"rows": 1}'],
        [HEAD, CAMPAIGN.replace('"id": 1', f'"id": {10**30}'), '{"rows": 1}'],
        [HEAD, CAMPAIGN.replace('"x"', '"\\\\ud800"'.replace("\\\\", "\\")), '{"rows": 1}'],
        [HEAD, CAMPAIGN.replace('"name"', '"nom"'), '{"rows": 1}'],
        [HEAD, '{"table": "gone", "row": {}}', '{"rows": 1}'],
        [HEAD, '{"table": ["campaign"], "row": {}}', '{"rows": 1}'],
        [HEAD, '{"table": "campaign", "row": 5}', '{"rows": 1}'],
        [HEAD, '{"table": "campaign"}', '{"rows": 1}'],
        [HEAD, "5"],
        [HEAD, "[" * 100_000],
        [HEAD, '{"rows": "0"}'],
        [HEAD.replace("1", '"1"')],
        [HEAD.replace("1", "0"), '{"rows": 0}'],
        [HEAD.replace("1", "99"), '{"rows": 0}'],
    ],
)
def test_what_is_no_campaign_restores_nothing(rows, tmp_path):
    path, target = tmp_path / "x.jsonl.gz", tmp_path / "x.sqlite"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    with pytest.raises(StoreError):
        restore(path, target)
    assert [file.name for file in tmp_path.iterdir()] == ["x.jsonl.gz"]


@pytest.mark.parametrize(("old", "new"), [('"seq":1,', ""), ('"seq":1,', '"seq":1,"more":2,')])
def test_a_row_without_its_columns_is_told(old, new, store, new_sqlite, tmp_path):
    """Also one without its key, of which the database alone would only warn."""
    fill(store)
    path = tmp_path / "zoo.jsonl.gz"
    store.backup(path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert text.count(old) == 1
    path.write_bytes(gzip.compress(text.replace(old, new).encode()))
    with pytest.raises(
        StoreError, match="a row of the table events has .* where it must have seq, "
    ):
        restore(path, new_sqlite())


def test_a_backup_that_cannot_be_unpacked_restores_nothing(tmp_path):
    whole = gzip.compress(HEAD.encode() * 1000)
    (tmp_path / "x.jsonl.gz").write_bytes(whole[:20] + b"\xff\xff\xff" + whole[23:])
    with pytest.raises(StoreError, match="damaged"):
        restore(tmp_path / "x.jsonl.gz", tmp_path / "x.sqlite")
    assert not (tmp_path / "x.sqlite").exists()


def test_a_backup_as_a_file_of_sqlite(new_sqlite, postgres, tmp_path):
    with make(new_sqlite()) as store:
        fill(store)
        path = tmp_path / "copy.sqlite"
        store.backup(path)
        assert [file.name for file in tmp_path.glob("copy*")] == ["copy.sqlite"]
        for target in (new_sqlite(), postgres.new_database()):
            restore(path, target)
            with Store.open(target) as copy:
                assert content(copy) == content(store)
        with Store.open(path, readonly=True) as copy:
            assert content(copy) == content(store)
    with (
        make(postgres.new_database()) as store,
        pytest.raises(StoreError, match=r"end in \.jsonl\.gz"),
    ):
        store.backup(tmp_path / "x.sqlite")
