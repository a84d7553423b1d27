"""A campaign in a file of SQLite: connections, lock and durability."""

from __future__ import annotations

import os
import sqlite3
import warnings
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy as sa

from .holding import busy_message, closing_on_error, new_holder
from .records import StoreBusy, StoreError, StoreWarning

BUSY_SECONDS = 30.0
NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "afs",
    "ceph",
    "lustre",
    "glusterfs",
    "fuse.sshfs",
    "fuse.gluster",
    "9p",
)


class SqliteFile:
    """A campaign in one file, and a lock file beside it.

    Only SQLite opens these files once they are made. When a process closes any handle of its own on a
    file, POSIX drops all its locks on it. Then other processes could open the campaign too.
    """

    may_lose_lock = False

    def __init__(self, path: Path, *, readonly: bool):
        self.path = path.absolute().resolve()
        self.name = str(path)
        self.readonly = readonly
        self.holder = new_holder()
        self.engine = sa.create_engine(
            "sqlite://",
            creator=self._connect,
            poolclass=sa.QueuePool,
            pool_size=8,
            hide_parameters=True,
        )
        sa.event.listen(self.engine, "begin", _begin)
        self._lock: sqlite3.Connection | None = None
        self._writer: sa.Connection | None = None

    def prepare(self) -> None:
        if not self.path.parent.is_dir():
            raise StoreError(
                f"there is no folder {self.path.parent} for the campaign {self.name}; make it first"
            )
        try:  # readable by its owner only; the log and index files of SQLite follow
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise StoreError(
                f"{self.name} exists already; open it, or choose another name"
            ) from None
        except OSError as error:
            raise StoreError(
                f"cannot make {self.name}: {error.strerror}; choose a place that you can write"
            ) from None

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
            lock = sqlite3.connect(
                f"{self.path}.lock", timeout=0, isolation_level=None, check_same_thread=False
            )
            with closing_on_error(lock):
                lock.execute("BEGIN EXCLUSIVE")
                with suppress(OSError):  # as the campaign's own file, where the lock is ours
                    Path(f"{self.path}.lock").chmod(self.path.stat().st_mode & 0o777)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreBusy(busy_message(self.name, self.engine)) from None
            raise StoreError(
                f"cannot lock {self.name} ({error}); its folder must be one that you can write"
            ) from None
        self._lock = lock

    def writer(self) -> sa.Connection:
        if self._writer is None or self._writer.closed:
            with closing(
                self._connect()
            ) as connection:  # outside of any transaction; the file remembers it
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
        if not _may_write(self.path):
            raise StoreError(
                f"cannot write {self.name}: Permission denied; move it to a place that you can write, or read it with "
                "readonly=True"
            )
        try:
            with closing(
                self._connect()
            ) as connection:  # before a lock file is made beside another program's database
                connection.execute("PRAGMA schema_version")
        except sqlite3.DatabaseError as error:
            if "not a database" in str(error):
                raise StoreError(f"{self.name} is not a campaign: file is not a database") from None
            # Any other error, such as a folder that cannot be written, is raised by the next steps.

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
            if (
                not _may_write(self.path.parent)
                and not self.path.with_name(self.path.name + "-wal").exists()
            ):
                options += (
                    "&immutable=1"  # where SQLite cannot make its index file and nobody is writing
                )
        connection = sqlite3.connect(
            self.path.as_uri() + options,
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        with closing_on_error(connection):
            for pragma in (
                "synchronous = FULL",
                "fullfsync = ON",
                "checkpoint_fullfsync = ON",
                "foreign_keys = ON",
            ):
                connection.execute(f"PRAGMA {pragma}")
        return connection


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _begin(connection: sa.Connection) -> None:
    """Begin an immediate transaction for writers; Python's driver begins none itself."""
    if begin := connection.get_execution_options().get("begin"):
        connection.exec_driver_sql(begin)


def file_system(path: Path, mounts: str) -> str:
    """Return the file system of a path, by the lines of /proc/mounts."""
    best = ""
    kind = ""
    for line in mounts.splitlines():
        place, found = line.split(" ")[1:3]
        place = place.replace("\\040", " ")
        if len(place) >= len(best) and path.is_relative_to(place):
            best = place
            kind = found
    return kind


def _warn_on_network(path: Path) -> None:
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return
    kind = file_system(path, mounts.read_text(encoding="utf-8", errors="replace"))
    if kind.startswith(NETWORK):
        message = f"{path} lies on a network file system ({kind}); SQLite is not safe there: use a local disk"
        warnings.warn(message, StoreWarning, stacklevel=4)
