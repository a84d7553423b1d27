"""Who has a campaign open for writing: one process at a time, known by a name that is never given twice."""

from __future__ import annotations

import os
import re
import secrets
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from . import tables


class Closable(Protocol):
    """A database, or a connection to one."""

    def close(self) -> None:
        """Let go of everything."""


class Closing(ABC):
    """What is closed at the end of a with statement."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def closing_on_error(database: Closable) -> Iterator[None]:
    """Let go of a database if the block fails."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def new_holder() -> str:
    """This process and this opening, for the message that another one reads when it comes second."""
    return f"process {os.getpid()} on {socket.gethostname()} ({secrets.token_hex(4)})"


def holder_of(engine: sa.Engine) -> str | None:
    """The process that has, or last had, a campaign open for writing; None where that cannot be told."""
    try:
        with engine.connect() as connection:
            return connection.execute(sa.select(tables.campaign.c.holder)).scalar()
    except SQLAlchemyError:
        return None


def is_running(holder: str | None) -> bool:
    """Whether a process goes on, as far as can be told: of those on other machines, and on Windows, it is believed."""
    found = re.match(r"process (\d+) on (.*) \(", holder or "")
    if found is None:
        return False
    if found[2] != socket.gethostname() or os.name == "nt":
        return True
    try:
        os.kill(int(found[1]), 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def told_busy(name: str, engine: sa.Engine) -> str:
    """What someone is told who comes second."""
    who = holder_of(engine) or "another process"
    return f"{name} is already open in {who}; one server a campaign: stop that one, or open it with readonly=True"
