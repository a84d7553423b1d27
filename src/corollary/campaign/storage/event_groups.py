"""Groups of events, each stored whole or not at all, and the message about a failed write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from . import tables

UNKNOWN = "while committing"  # noted on an error after which nobody knows


@dataclass(frozen=True, slots=True)
class Receipt:
    """The place of an event in the log, known at once; `again` where its key was there before."""

    seq: int
    again: bool
    future: Future[int]

    def wait(self, timeout: float | None = None) -> int:
        """The place of the event, once it is safe on disk; raises StoreError if it could not be stored."""
        return self.future.result(timeout)

    @property
    def failed(self) -> bool:
        """Whether it is known already that the event was not stored, or that nobody knows."""
        return self.future.done() and self.future.exception() is not None


@dataclass(frozen=True, slots=True)
class Group:
    """Events that are stored together or not at all, with what must be there before them."""

    rows: list[dict[str, Any]]
    before: Callable[[sa.Connection], None] | None
    future: Future[int]


def insert(connection: sa.Connection, groups: Sequence[Group]) -> None:
    """Write groups, with what must be there before them; in one transaction."""
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
    """The promise of an event that is stored already."""
    future = promise()
    future.set_result(seq)
    return future


def told(error: Exception) -> str:
    """Describe a failed write: a commit with an unknown outcome may have been stored."""
    if UNKNOWN in getattr(error, "__notes__", ()):
        return "it is not known whether this was stored; repeat it with the same key"
    return "not stored, try again"


def brief(error: Exception) -> str:
    """The database's own words, without the statement and its parameters: these may hold what people wrote."""
    return str(getattr(error, "orig", None) or error).strip()
