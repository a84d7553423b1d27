"""Who has a campaign open for writing: one process at a time, known by a name that is never given twice."""

from __future__ import annotations

import os
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


def told_busy(name: str, engine: sa.Engine) -> str:
    """What someone is told who comes second."""
    try:
        with engine.connect() as connection:
            who = connection.execute(sa.select(tables.campaign.c.holder)).scalar()
    except SQLAlchemyError:
        who = None
    return (
        f"{name} is already open in {who or 'another process'}; one server serves a campaign: stop that one, or open "
        "it with readonly=True"
    )
