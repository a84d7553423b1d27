"""Stores of earlier versions are brought forward, and version 1 stays what it was."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from corollary.campaign.storage import migrations
from corollary.campaign.storage.databases import database_at

from ..zoo import make


def test_migrations_run_forward_from_version_1(url):
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

    steps = [migrations.make_tables, add_colour, fill_colour]
    database = database_at(url)
    database.lock()
    connection = database.writer()
    with pytest.raises(RuntimeError, match="no taste"), connection.begin():
        migrations.migrate(connection, version=1, steps=[*steps, fails])
    assert migrations.version_of(connection) == 1
    assert "colour" not in [column["name"] for column in sa.inspect(connection).get_columns("annotators")]
    connection.rollback()
    seen.clear()
    with connection.begin():
        migrations.migrate(connection, version=1, steps=steps)
        migrations.migrate(connection, version=3, steps=steps)
    assert seen == ["colour", "fill"]
    assert migrations.version_of(connection) == 3
    assert "colour" in [column["name"] for column in sa.inspect(connection).get_columns("annotators")]
    database.close()


def test_version_1_is_frozen(new_sqlite):
    """A change of the tables without a migration would leave campaigns of today behind."""
    url = new_sqlite()
    make(url).close()
    with closing(sqlite3.connect(url)) as connection:
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name").fetchall()
    text = "\n".join(re.sub(r"\s+", " ", sql) for (sql,) in found) + "\n"
    assert text == (Path(__file__).parent / "tables_1.sql").read_text(encoding="utf-8")
