"""Groups of events, each stored whole or not at all, and the message about a failed write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from . import tables

UNKNOWN = "while committing"  # noted on an error after which the outcome is unknown


@dataclass(frozen=True, slots=True)
class Receipt:
    """The number of an event in the log, known at once; `again` if its key was there before."""

    seq: int
    again: bool
    future: Future[int]

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the event is on disk and return its number; raise StoreError if it was not stored."""
        return self.future.result(timeout)

    @property
    def failed(self) -> bool:
        """Whether the write has failed, or its outcome is unknown."""
        return self.future.done() and self.future.exception() is not None


@dataclass(frozen=True, slots=True)
class Group:
    """Events that are stored together or not at all, with the change that must come before them."""

    rows: list[dict[str, Any]]
    before: Callable[[sa.Connection], None] | None
    future: Future[int]


def insert(connection: sa.Connection, groups: Sequence[Group]) -> None:
    """Write groups with the changes before them, in one transaction."""
    rows: list[dict[str, Any]] = []
    for group in groups:
        if group.before is not None:
            group.before(connection)
        rows += group.rows
    connection.execute(sa.insert(tables.events), rows)


def promise() -> Future[Any]:
    """Return a future that cannot be cancelled.

    Its events are written even if nobody waits for it.
    """
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future


def kept(seq: int) -> Future[int]:
    """Return the future of an event that is stored already."""
    future = promise()
    future.set_result(seq)
    return future


def describe(error: Exception) -> str:
    """Describe a failed write: a commit with an unknown outcome may have been stored."""
    if UNKNOWN in getattr(error, "__notes__", ()):
        return "it is not known whether this was stored; repeat it with the same key"
    return "not stored, try again"


def brief(error: Exception) -> str:
    """Return the database's message, without the statement and its parameters, which may be private."""
    return str(getattr(error, "orig", None) or error).strip()
