"""Connections to PostgreSQL that give up: a server that does not answer must not keep people waiting for ever.

The time-outs of TCP notice a machine that is gone, but not a proxy or a stopped server that still takes what is sent.
So whoever waits for an answer waits only so long; then the connection is closed, and what was sent on it is unknown.
"""

from __future__ import annotations

import selectors
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

R = TypeVar("R")
#: So long without a single byte means that the server is gone.
SECONDS = 10.0
#: What libpq is told: the same for connecting, and for a network that loses what we send.
TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": int(1000 * SECONDS),
}


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection whose every exchange with the server has an end."""

    def wait(self, gen: Generator[Any, Any, R], *_: Any, **__: Any) -> R:
        """Drive an exchange, as psycopg does, but not beyond SECONDS of silence."""
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
