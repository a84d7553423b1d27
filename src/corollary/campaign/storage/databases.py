"""Where a campaign lives: a file of SQLite or a database of PostgreSQL, behind one contract."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from .holding import closing_on_error
from .records import StoreError
from .sqlite import SqliteFile


class Database(Protocol):
    """One contract, two databases; `tests/campaign/storage/test_store.py` runs on both."""

    name: str  # for messages: without a password
    holder: str  # under which this opening is known
    engine: sa.Engine
    may_lose_lock: bool  # without this process's doing: when a connection breaks

    def prepare(self) -> None:
        """Make room for a new campaign, or say why there is none."""

    def discard(self) -> None:
        """Take back what `prepare` made."""

    def lock(self) -> None:
        """Keep other processes from writing until `close`, or raise StoreBusy."""

    def writer(self) -> sa.Connection:
        """A connection whose commits are on disk when they return, while no other process can write.

        Where the lock was lost it is taken again; StoreTaken if another process had it meanwhile.
        """

    def snapshot(self) -> sa.Connection:
        """A connection that sees one moment of the campaign."""

    def close(self) -> None:
        """Let go of everything."""


def database_at(url: str | os.PathLike[str], *, readonly: bool = False) -> Database:
    """The database that a path, a `sqlite:///` or a `postgresql://` URL names."""
    text = os.fspath(url)
    if "://" not in text:
        return SqliteFile(Path(text), readonly=readonly)
    try:
        parsed = sa.make_url(text)
    except (ArgumentError, ValueError):
        raise StoreError(
            "this is not a URL of a database; write postgresql://user:password@host/name"
        ) from None
    kind = parsed.drivername.partition("+")[0]
    if kind == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise StoreError(
                f"{text!r} names no file; a campaign lives in one: sqlite:///birds.sqlite"
            )
        return SqliteFile(Path(parsed.database), readonly=readonly)
    if kind in ("postgresql", "postgres"):
        try:
            from .postgresql import PostgresDatabase
        except ModuleNotFoundError:
            raise StoreError(
                "PostgreSQL needs the package psycopg: pip install 'corollary[postgres]'"
            ) from None
        return PostgresDatabase(parsed.set(drivername="postgresql+psycopg"), readonly=readonly)
    raise StoreError(
        f"campaigns live in SQLite or PostgreSQL, not in {kind!r}; give a path or a postgresql:// URL"
    )


@contextmanager
def making(database: Database) -> Iterator[sa.Connection]:
    """The transaction that makes a campaign, all of it or nothing: if the block fails, nothing is left behind."""
    with closing_on_error(database):
        database.prepare()
    try:
        database.lock()
        connection = database.writer()
        with connection.begin():
            yield connection
    except BaseException:
        database.discard()
        raise
