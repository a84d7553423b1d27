"""HTTP with limits on the bytes and the time of an unfinished request."""

from __future__ import annotations

import logging
import time
from asyncio import Transport
from asyncio.events import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import error_response

#: Bytes of the address and the headers together. Browsers and proxies send a few thousand.
HEAD_LIMIT = 64 << 10
#: Seconds in which a head must be whole, and after it the body: 64 MB at 1 Mbit/s take nine minutes.
HEAD_SECONDS = 20.0
BODY_SECONDS = 600.0
#: Connections at once, where the system allows twice as many open files.
CONNECTIONS = 2_000
LOG = logging.getLogger("corollary.web")
LOG_SECONDS = 60.0  # between two lines about the same
_quiet_until: dict[str, float] = {}


def most_connections() -> int:
    """Return the most connections at once: at most half of the files that this process may open."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ModuleNotFoundError:  # on Windows
        return CONNECTIONS
    files = getrlimit(RLIMIT_NOFILE)[0]
    return CONNECTIONS if files == RLIM_INFINITY else min(CONNECTIONS, files // 2)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits.

    It would keep headers of any length, and wait forever for the rest.

    The bytes since the last whole head or piece of a body are counted. So the same limit holds for
    the fields after a body, and for the text between its pieces. If there are too many connections,
    the one that has waited longest for its next request is closed.
    """

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._pending = 0
        self._refusal: tuple[int, str, str] | None = None
        self._in_message = False
        self._late: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Expect a head; make room if there are too many connections."""
        super().connection_made(transport)
        self._expect(HEAD_SECONDS)
        if len(self.connections) > most_connections():
            waiting = (
                one
                for one in self.connections
                if isinstance(one, BoundedProtocol) and one.is_waiting()
            )
            longest = min(waiting, key=lambda one: one.began)
            _tell(
                "there are too many connections; the one that waited longest for a request was closed"
            )
            longest.transport.abort()
            self.connections.discard(longest)

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take the received bytes; too many without a whole request end the connection."""
        self._pending += len(data)
        if self._late is None:
            self._expect(HEAD_SECONDS)
        super().data_received(data)
        if self._pending > HEAD_LIMIT and not self.transport.is_closing():
            self._refuse_long()
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Start the reading of a request."""
        self._in_message = True
        self._expect(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the request when its head is complete, unless it is too long."""
        self._pending = 0
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_LIMIT:
            self._refuse_long()
            raise ValueError("too long")  # the parser stops, and has a refusal sent
        self._expect(BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._pending = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the reading of a complete request."""
        self._pending = 0
        self._in_message = False
        self._expect(None)
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse an unreadable request in the shape of the API; if a reply has begun, only close."""
        if not self._is_replying():
            status, message, hint = self._refusal or (400, msg, "")
            answer = error_response(status, message, hint=hint, headers={"Connection": "close"})
            head = [
                f"HTTP/1.1 {status} Refused".encode(),
                *(b": ".join(one) for one in answer.raw_headers),
                b"",
                b"",
            ]
            self.transport.write(b"\r\n".join(head) + bytes(answer.body))
        self.transport.close()

    def _refuse_long(self) -> None:
        message = f"The headers have more than {HEAD_LIMIT:,} bytes."
        self._refusal = (431, message, "Clear this site's cookies and try again.")

    def _expect(self, seconds: float | None) -> None:
        """Give the client some seconds for the rest of its request; None: no limit."""
        if self._late is not None:
            self._late.cancel()
        self.began = time.monotonic()
        self._late = None if seconds is None else self.loop.call_later(seconds, self._end)

    def _end(self) -> None:
        """End the connection after its time, unless a whole request is being served."""
        self._late = None
        if self._is_replying() and not self._in_message:  # only blank lines came after it
            return
        _tell("a request was not sent in time; its connection was closed")
        if self._is_replying():
            self.transport.abort()
        elif self._in_message:
            self._refusal = (408, "The request was not sent in time.", "")
            self.send_400_response("")
        else:
            self.transport.close()

    def _is_replying(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def is_waiting(self) -> bool:
        """Whether the server has waited for the client since `began`."""
        return self._in_message or not self._is_replying()


def _tell(what: str) -> None:
    """Log a warning, at most one of a kind in a minute, so that attacks do not fill the log."""
    now = time.monotonic()
    if now >= _quiet_until.get(what, now):
        _quiet_until[what] = now + LOG_SECONDS
        LOG.warning("%s", what)
