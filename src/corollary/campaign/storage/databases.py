"""The database of a campaign: a file of SQLite, or PostgreSQL, behind one interface."""

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
    """The interface of both databases; `tests/campaign/storage/test_store.py` runs on both."""

    name: str  # for messages: without a password
    holder: str  # the unique name of this opening
    engine: sa.Engine
    may_lose_lock: bool  # whether a broken connection loses the lock

    def prepare(self) -> None:
        """Prepare the place of a new campaign; raise StoreError if it is taken."""

    def discard(self) -> None:
        """Undo `prepare`."""

    def lock(self) -> None:
        """Keep other processes from writing until `close`, or raise StoreBusy."""

    def writer(self) -> sa.Connection:
        """Return a connection whose commits are on disk when they return, with the lock held.

        A lost lock is taken again; raise StoreTaken if another process had it meanwhile.
        """

    def snapshot(self) -> sa.Connection:
        """Open a connection that sees one moment of the campaign."""

    def close(self) -> None:
        """Close it."""


def database_at(url: str | os.PathLike[str], *, readonly: bool = False) -> Database:
    """Return the database of a path, or of a `sqlite:///` or `postgresql://` URL."""
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
    """Open the transaction that makes a campaign; if the block fails, nothing is left behind."""
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
