"""Where a campaign lives: a file of SQLite or a database of PostgreSQL; how each is reached, locked and made safe."""

from __future__ import annotations

import os
import socket
import sqlite3
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from . import tables
from .errors import StoreBusy, StoreError, StoreWarning

BUSY_SECONDS = 30.0
NETWORK = ("nfs", "cifs", "smb", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs", "fuse.gluster", "9p")
MAGIC = b"SQLite format 3\0"  # with which a file of SQLite begins, unless it is empty
ADVISORY = 0x436F726F  # "Coro": with the schema's name, the advisory lock of a campaign in PostgreSQL


class Database(Protocol):
    """One contract, two databases; `tests/campaign/test_store.py` runs on both."""

    name: str  # for messages: without a password
    engine: sa.Engine

    def prepare(self) -> None:
        """Make room for a new campaign, or say why there is none."""

    def discard(self) -> None:
        """Take back what `prepare` made."""

    def lock(self) -> None:
        """Keep other processes from writing until `close`, or raise StoreBusy."""

    def writer(self) -> sa.Connection:
        """A connection whose commits are on disk when they return."""

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
        raise StoreError("this is not a URL of a database; write postgresql://user:password@host/name") from None
    kind = parsed.drivername.partition("+")[0]
    if kind == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise StoreError(f"{text!r} names no file; a campaign lives in one: sqlite:///birds.sqlite")
        return SqliteFile(Path(parsed.database), readonly=readonly)
    if kind in ("postgresql", "postgres"):
        return PostgresDatabase(parsed.set(drivername="postgresql+psycopg"), readonly=readonly)
    raise StoreError(f"campaigns live in SQLite or PostgreSQL, not in {kind!r}; give a path or a postgresql:// URL")


@contextmanager
def closing_on_error(database: Database | sqlite3.Connection) -> Iterator[None]:
    """Let go of a database if the block fails."""
    try:
        yield
    except BaseException:
        database.close()
        raise


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


class SqliteFile:
    """A campaign in one file, and a lock file beside it."""

    def __init__(self, path: Path, *, readonly: bool):
        self.path = path.absolute().resolve()
        self.name = str(path)
        self.readonly = readonly
        self.engine = sa.create_engine(
            "sqlite://", creator=self._connect, poolclass=sa.QueuePool, pool_size=8, hide_parameters=True
        )
        sa.event.listen(self.engine, "begin", _begin)
        self._lock: sqlite3.Connection | None = None
        self._writer: sa.Connection | None = None

    def prepare(self) -> None:
        if not self.path.parent.is_dir():
            raise StoreError(f"there is no folder {self.path.parent} for the campaign {self.name}; make it first")
        try:  # readable by its owner only; the log and index files of SQLite follow
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise StoreError(f"{self.name} exists already; open it, or choose another name") from None
        except OSError as error:
            raise StoreError(f"cannot make {self.name}: {error.strerror}; choose a place that you can write") from None

    def discard(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm", "-journal", ".lock"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def lock(self) -> None:
        self._check_writable()
        _warn_on_network(self.path)
        # An exclusive transaction on an empty database: the system lets go of it when the process ends, however it
        # does, and it works on every system that SQLite works on.
        try:
            lock = sqlite3.connect(f"{self.path}.lock", timeout=0, isolation_level=None, check_same_thread=False)
            with closing_on_error(lock):
                lock.execute("BEGIN EXCLUSIVE")
                with suppress(OSError):  # as the campaign's own file, where the lock is ours
                    Path(f"{self.path}.lock").chmod(self.path.stat().st_mode & 0o777)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreBusy(_busy(self.name, self.engine)) from None
            raise StoreError(f"cannot lock {self.name} ({error}); its folder must be one that you can write") from None
        self._lock = lock

    def writer(self) -> sa.Connection:
        if self._writer is None or self._writer.closed:
            with closing(self._connect()) as connection:  # outside of any transaction; the file remembers it
                connection.execute("PRAGMA journal_mode = WAL")
            self._writer = self.engine.connect().execution_options(begin="BEGIN IMMEDIATE")
        return self._writer

    def snapshot(self) -> sa.Connection:
        return self.engine.connect().execution_options(begin="BEGIN")

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self.engine.dispose()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _check_writable(self) -> None:
        self._check_there()
        try:
            with self.path.open("r+b") as file:
                beginning = file.read(len(MAGIC))
        except OSError as error:
            raise StoreError(
                f"cannot write {self.name}: {error.strerror}; move it to a place that you can write, or read it with "
                "readonly=True"
            ) from None
        if beginning and beginning != MAGIC:  # before a lock is left beside somebody's table
            raise StoreError(f"{self.name} is not a campaign: file is not a database")

    def _check_there(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.name} is a folder; give the file of a campaign")
        if not self.path.exists():
            raise StoreError(f"there is no campaign at {self.name}; check the path, or create one")

    def _connect(self) -> sqlite3.Connection:
        self._check_there()
        options = "?mode=rw"
        if self.readonly:
            options = "?mode=ro"
            if not _may_write(self.path.parent) and not self.path.with_name(self.path.name + "-wal").exists():
                options += "&immutable=1"  # where SQLite cannot make its index file and nobody is writing
        connection = sqlite3.connect(
            self.path.as_uri() + options, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with closing_on_error(connection):
            for pragma in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
        return connection


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _begin(connection: sa.Connection) -> None:
    """Python's driver begins nothing itself here: a single SELECT needs no transaction, a writer an immediate one."""
    if begin := connection.get_execution_options().get("begin"):
        connection.exec_driver_sql(begin)


class PostgresDatabase:
    """A campaign in a database, or a schema, of PostgreSQL; the writer's connection holds the lock."""

    def __init__(self, url: sa.URL, *, readonly: bool):
        self.name = url.set(drivername="postgresql").render_as_string(hide_password=True)
        options: dict[str, Any] = {"connect_timeout": 10, "application_name": "corollary"}
        if readonly:
            options["options"] = f"{url.query.get('options', '')} -c default_transaction_read_only=on"
        try:  # a single SELECT needs no transaction: one round trip less before and after
            self.engine = sa.create_engine(
                url,
                pool_pre_ping=True,
                pool_size=8,
                connect_args=options,
                isolation_level="AUTOCOMMIT",
                hide_parameters=True,
            )
        except ModuleNotFoundError:
            raise StoreError("PostgreSQL needs the package psycopg: pip install 'corollary[postgres]'") from None
        self._writer: sa.Connection | None = None

    def prepare(self) -> None:
        with self.engine.connect() as connection:
            found = sa.inspect(connection).get_table_names()
            if taken := sorted(tables.metadata.tables.keys() & set(found)):
                raise StoreError(
                    f"{self.name} has a table {taken[0]!r} already: a campaign, or something else; "
                    "open it, or give an empty database"
                )

    def discard(self) -> None:
        self.close()  # the tables went with the transaction that was to make them

    def lock(self) -> None:
        self._writer = self._locked(0.0)

    def writer(self) -> sa.Connection:
        """The connection that holds the lock; a new one, locked again, after the last was lost."""
        if self._writer is None or self._writer.closed:
            self._writer = self._locked(5.0)  # the server may need a moment to see that the last one is gone
        return self._writer

    def snapshot(self) -> sa.Connection:
        return self.engine.connect().execution_options(isolation_level="REPEATABLE READ")

    def close(self) -> None:
        if self._writer is not None:
            _end(self._writer)  # and the lock with it; the pool would keep both
            self._writer = None
        self.engine.dispose()

    def _locked(self, patience: float) -> sa.Connection:
        connection = self.engine.connect().execution_options(isolation_level="READ COMMITTED")
        try:
            deadline = time.monotonic() + patience
            attempt = sa.text("SELECT pg_try_advisory_lock(:number, hashtext(current_schema()))")
            while not connection.execute(attempt, {"number": ADVISORY}).scalar():
                if time.monotonic() >= deadline:
                    raise StoreBusy(_busy(self.name, self.engine))
                time.sleep(0.05)
            connection.exec_driver_sql("SET synchronous_commit = on")
            if connection.exec_driver_sql("SHOW fsync").scalar() != "on":
                message = f"the server of {self.name} runs with fsync off: answers can be lost when it fails"
                warnings.warn(message, StoreWarning, stacklevel=5)
            connection.commit()
        except BaseException:
            _end(connection)
            raise
        return connection


def _end(connection: sa.Connection) -> None:
    if not connection.closed:
        connection.invalidate()
        connection.close()


def holder() -> str:
    """This process, for the message that another one reads when it comes second."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def _busy(name: str, engine: sa.Engine) -> str:
    try:
        with engine.connect() as connection:
            who = connection.execute(sa.select(tables.campaign.c.holder)).scalar()
    except SQLAlchemyError:
        who = None
    return (
        f"{name} is already open in {who or 'another process'}; one server serves a campaign: stop that one, or open "
        "it with readonly=True"
    )


def file_system(path: Path, mounts: str) -> str:
    """The kind of file system that a path lies on, by the lines of /proc/mounts."""
    best, kind = "", ""
    for line in mounts.splitlines():
        place, found = line.split(" ")[1:3]
        place = place.replace("\\040", " ")
        if len(place) >= len(best) and path.is_relative_to(place):
            best, kind = place, found
    return kind


def _warn_on_network(path: Path) -> None:
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return
    kind = file_system(path, mounts.read_text(encoding="utf-8", errors="replace"))
    if kind.startswith(NETWORK):
        message = f"{path} lies on a network file system ({kind}); SQLite is not safe there: use a local disk"
        warnings.warn(message, StoreWarning, stacklevel=4)
