"""HTTP as it comes in, with a bound on what is kept of it before a request is understood."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import error_response

#: Bytes of the address and the headers together. Browsers and proxies send a few thousand.
HEAD_LIMIT = 64 << 10


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's, which would keep a header of any length in memory and copy it with every piece that arrives.

    Counted are the bytes of which nothing came: neither a whole head nor a piece of a body. So the same bound holds for
    the fields after a body and for what is written between its pieces.
    """

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._pending = 0
        self._too_long = False

    def data_received(self, data: bytes) -> None:
        """Take what arrived; too much of nothing ends the connection."""
        self._pending += len(data)
        super().data_received(data)
        if self._pending > HEAD_LIMIT and not self.transport.is_closing():
            self._too_long = True
            self.send_400_response("")

    def on_headers_complete(self) -> None:
        """A head is whole: let the request begin, unless it is too long."""
        self._pending = 0
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_LIMIT:
            self._too_long = True
            raise ValueError("too long")  # the parser stops, and has a refusal sent
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body came."""
        self._pending = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._pending = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read, in the shape of all errors; where a reply is on its way only close."""
        if self.cycle is None or self.cycle.response_complete:
            hint = "Clear this site's cookies and try again." if self._too_long else ""
            status, message = (
                (431, f"The headers have more than {HEAD_LIMIT:,} bytes.") if self._too_long else (400, msg)
            )
            told = error_response(status, message, hint=hint, headers={"Connection": "close"})
            head = [f"HTTP/1.1 {status} Refused".encode(), *(b": ".join(one) for one in told.raw_headers), b"", b""]
            self.transport.write(b"\r\n".join(head) + bytes(told.body))
        self.transport.close()
