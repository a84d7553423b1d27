"""Stores of earlier versions are brought forward, and version 1 stays what it was."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from corollary.campaign.storage import tables
from corollary.campaign.storage.backups import restore
from corollary.campaign.storage.databases import database_at, making
from corollary.campaign.storage.store import Store

from ..zoo import make


def test_migrations_run_forward(url):
    make(url).close()
    seen = []

    def add_colour(connection):
        seen.append("colour")
        connection.execute(sa.text("ALTER TABLE annotators ADD COLUMN colour TEXT"))

    def fill_colour(connection):
        seen.append("fill")
        connection.execute(sa.text("UPDATE annotators SET colour = 'red'"))

    def fails(connection):
        connection.execute(sa.text("ALTER TABLE annotators ADD COLUMN taste TEXT"))
        raise RuntimeError("no taste")

    now = len(tables.STEPS)
    steps = [*tables.STEPS, add_colour, fill_colour]
    database = database_at(url)
    database.lock()
    connection = database.writer()
    with pytest.raises(RuntimeError, match="no taste"), connection.begin():
        tables.migrate(connection, version=now, steps=[*steps, fails])
    assert tables.version_of(connection) == now
    assert "colour" not in [
        column["name"] for column in sa.inspect(connection).get_columns("annotators")
    ]
    connection.rollback()
    seen.clear()
    with connection.begin():
        tables.migrate(connection, version=now, steps=steps)
        tables.migrate(connection, version=now + 2, steps=steps)
    assert seen == ["colour", "fill"]
    assert tables.version_of(connection) == now + 2
    assert "colour" in [
        column["name"] for column in sa.inspect(connection).get_columns("annotators")
    ]
    database.close()


def tables_of(path, *, upto):
    """The tables of a file that a program of version `upto` made."""
    database = database_at(path)
    with making(database) as connection:
        tables.migrate(connection, version=0, upto=upto)
    database.close()
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name"
        ).fetchall()
    return [re.sub(r"\s+", " ", sql) for (sql,) in found]


def test_version_1_is_frozen(new_sqlite):
    """A change of the tables without a migration would leave campaigns of today behind."""
    lines = (Path(__file__).parent / "tables_1.sql").read_text(encoding="utf-8").splitlines()
    assert tables_of(new_sqlite(), upto=1) == lines


#: What the step to a version adds.
ADDED = {
    2: "encodings ( encoder TEXT NOT NULL, sha256 TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (encoder, sha256) )",
    3: "sources ( version INTEGER NOT NULL, places TEXT NOT NULL, PRIMARY KEY (version) )",
    4: "vectors ( item TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (item), "
    "FOREIGN KEY(item) REFERENCES items (id) )",
    5: "reports ( seq INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (seq, part) )",
}


@pytest.mark.parametrize("version", ADDED)
def test_a_version_adds_one_table(new_sqlite, version):
    before, now = (tables_of(new_sqlite(), upto=upto) for upto in (version - 1, version))
    assert [one for one in now if one not in before] == [f"CREATE TABLE {ADDED[version]}"]


def test_there_are_no_other_versions():
    assert len(tables.STEPS) == max(ADDED)


def as_of_version_1(url):
    """Make of a campaign one that a program of version 1 left behind."""
    database = database_at(url)
    database.lock()
    connection = database.writer()
    with connection.begin():
        connection.execute(sa.text("DROP TABLE encodings"))
        connection.execute(sa.text("DROP TABLE sources"))
        connection.execute(sa.text("DROP TABLE vectors"))
        connection.execute(sa.text("DROP TABLE reports"))
        connection.execute(sa.text("DELETE FROM schema WHERE version > 1"))
    database.close()


def test_a_campaign_of_version_1_is_read_as_it_is_and_brought_forward_by_who_writes(
    url, new_sqlite, tmp_path
):
    make(url).close()
    as_of_version_1(url)
    with Store.open(url, readonly=True) as store:
        assert (store.count_items(), store.encodings()) == (3, {})
        assert store.reported() == {}
        assert [one.places for one in store.ontologies()] == [()]
        assert (len(list(store.items(vectors=True))), store.vector_length()) == (3, 0)
        store.backup(tmp_path / "old.jsonl.gz")
    copy = new_sqlite()
    restore(tmp_path / "old.jsonl.gz", copy)
    for place in (url, copy):
        with Store.open(place) as store:
            store.put_encodings({"e": {"s": b"12"}})
            assert store.encodings() == {"e": {"s": b"12"}}


def test_a_copy_of_a_file_of_version_1_can_be_restored(new_sqlite):
    old, new = new_sqlite(), new_sqlite()
    make(old).close()
    as_of_version_1(old)
    restore(old, new)
    with Store.open(new) as store:
        assert (store.count_items(), store.encodings()) == (3, {})
