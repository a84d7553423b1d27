"""The process that has a campaign open for writing: one at a time, under a unique name."""

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
        """Close it."""


class Closing(ABC):
    """An object that is closed at the end of a with statement."""

    @abstractmethod
    def close(self) -> None:
        """Close the object; the end of a with statement does it too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def closing_on_error(database: Closable) -> Iterator[None]:
    """Close a database if the block fails."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def new_holder() -> str:
    """Return a unique name of this process and opening, for the message to a second process."""
    return f"process {os.getpid()} on {socket.gethostname()} ({secrets.token_hex(4)})"


def holder_of(engine: sa.Engine) -> str | None:
    """Return the process that has, or last had, a campaign open for writing; None if unknown."""
    try:
        with engine.connect() as connection:
            return connection.execute(sa.select(tables.campaign.c.holder)).scalar()
    except SQLAlchemyError:
        return None


def is_running(holder: str | None) -> bool:
    """Whether a process is running; True if it is on another machine or on Windows."""
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


def busy_message(name: str, engine: sa.Engine) -> str:
    """Return the message for a process that comes second."""
    who = holder_of(engine) or "another process"
    return f"{name} is already open in {who}: stop that server, or open the campaign with readonly=True"
