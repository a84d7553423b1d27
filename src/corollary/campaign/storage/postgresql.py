"""A campaign in PostgreSQL: connections, lock and durability."""

from __future__ import annotations

import selectors
import time
import warnings
from collections.abc import Generator
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ..storage import tables
from .holding import busy_message, new_holder
from .records import StoreBusy, StoreError, StoreTaken, StoreWarning

R = TypeVar("R")
#: The server counts as lost after this time without a byte.
SECONDS = 10.0
#: The same limit for libpq, for connecting and for a network that loses packets.
TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": int(1000 * SECONDS),
}


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection with a time limit for every exchange with the server."""

    def wait(self, gen: Generator[Any, Any, R], *_: Any, **__: Any) -> R:
        """Wait for an exchange, as psycopg does, but at most SECONDS without a byte."""
        try:
            wanted = next(gen)
            with selectors.DefaultSelector() as selector:
                number = self.pgconn.socket
                while True:
                    selector.register(number, wanted)
                    ready = selector.select(SECONDS)
                    selector.unregister(number)
                    if not ready:
                        self.pgconn.finish()
                        raise psycopg.OperationalError(
                            f"no answer from the server for {SECONDS:g} s: connection closed"
                        )
                    wanted = gen.send(ready[0][1])
        except StopIteration as end:
            result: R = end.value
            return result


ADVISORY = 0x436F726F  # "Coro": with the schema's name, the advisory lock of a campaign
RELOCK_SECONDS = 5.0  # the server may need a moment to see that a lost connection is gone
OPEN_SECONDS = 2.0  # or that a process that had the campaign open was killed


class PostgresDatabase:
    """A campaign in a database, or a schema, of PostgreSQL; the writer's connection holds the lock."""

    may_lose_lock = True

    def __init__(self, url: sa.URL, *, readonly: bool):
        self.name = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self.holder = new_holder()
        options: dict[str, Any] = {"application_name": "corollary"}
        if readonly:
            options["options"] = (
                f"{url.query.get('options', '')} -c default_transaction_read_only=on"
            )
        self.engine = sa.create_engine(
            url,
            pool_pre_ping=True,
            pool_size=8,
            pool_timeout=RELOCK_SECONDS,
            connect_args=TIMEOUTS | options,
            isolation_level="AUTOCOMMIT",  # a single SELECT needs no transaction: a round trip less before and after
            hide_parameters=True,
        )

        @sa.event.listens_for(self.engine, "do_connect")
        def connect(_: Any, __: Any, args: Any, options: Any) -> ImpatientConnection:
            return ImpatientConnection.connect(*args, **options)

        self._writer: sa.Connection | None = None
        self._backend: dict[str, Any] | None = (
            None  # what served the last connection that held the lock
        )

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
        self._writer = self._locked(OPEN_SECONDS)

    def writer(self) -> sa.Connection:
        """Return the connection that holds the lock; a new one if the last was lost."""
        if self._writer is None or self._writer.closed:
            connection = self._locked(RELOCK_SECONDS)
            try:
                taken = (
                    connection.execute(sa.select(tables.campaign.c.holder)).scalar() != self.holder
                )
                if taken:
                    connection.execute(sa.update(tables.campaign).values(holder=self.holder))
                connection.commit()
            except BaseException:
                _end(connection)
                raise
            self._writer = connection
            if taken:
                raise StoreTaken(
                    f"another process had {self.name} open meanwhile; it is read again"
                )
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
            self._end_backend(connection)
            deadline = time.monotonic() + patience
            attempt = sa.text("SELECT pg_try_advisory_lock(:number, hashtext(current_schema()))")
            while not connection.execute(attempt, {"number": ADVISORY}).scalar():
                if time.monotonic() >= deadline:
                    raise StoreBusy(busy_message(self.name, self.engine))
                time.sleep(0.05)
            connection.exec_driver_sql("SET synchronous_commit = on")
            if connection.exec_driver_sql("SHOW fsync").scalar() != "on":
                message = f"the server of {self.name} runs with fsync off: answers can be lost when it fails"
                warnings.warn(message, StoreWarning, stacklevel=5)
            found = sa.text("SELECT pid, extract(epoch FROM backend_start)::text AS start FROM pg_stat_activity "
                            "WHERE pid = pg_backend_pid()")  # fmt: skip
            self._backend = dict(connection.execute(found).mappings().one())
            connection.commit()
        except BaseException:
            _end(connection)
            raise
        return connection

    def _end_backend(self, connection: sa.Connection) -> None:
        """End the server process of a lost connection, which may still hold the lock or commit."""
        if self._backend is not None:
            ending = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             "WHERE pid = :pid AND extract(epoch FROM backend_start)::text = :start")  # fmt: skip
            connection.execute(ending, self._backend)
            connection.commit()


def _end(connection: sa.Connection) -> None:
    with suppress(SQLAlchemyError):  # it may be gone already
        if not connection.closed:
            connection.invalidate()
            connection.close()
