"""A real HTTP server that answers as a chat model would, or in any of the ways in which servers go wrong."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple


class Call(NamedTuple):
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def item(self) -> str:
        """The item that the request is about."""
        return str(json.loads(self.body["messages"][-1]["content"])["item"])

    @property
    def labels(self) -> list[str]:
        """The labels that it asks for, from the schema."""
        return list(self.body["response_format"]["json_schema"]["schema"]["properties"])

    @property
    def yes_no(self) -> bool:
        return 'each value is "yes" or "no"' in self.body["messages"][0]["content"]


class Answer(NamedTuple):
    """What goes back: a status, headers, and the body, which may be cut, or come bit by bit."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})
    length: int | None = None
    wait: Callable[[], object] = lambda: None
    drip: float = 0.0  # seconds between two bytes


def completion(
    text: str, *, tokens: list[dict[str, Any]] | None = None, spent: int | None = 100, **more: Any
) -> Answer:
    """A chat completion with this text."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    if tokens is not None:
        choice["logprobs"] = {"content": tokens}
    body: dict[str, Any] = {"choices": [choice]}
    if spent is not None:
        body["usage"] = {"total_tokens": spent}
    return Answer(body=json.dumps(body).encode())


def said(values: dict[str, Any], **more: Any) -> Answer:
    return completion(json.dumps(values), **more)


@contextmanager
def serving(answer: Callable[[Call], Answer]) -> Iterator[tuple[str, list[Call]]]:
    """The address of a server, and the calls that it got."""
    calls: list[Call] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            call = Call(dict(self.headers), json.loads(data))
            calls.append(call)
            assert self.path == "/v1/chat/completions"
            found = answer(call)
            if not found.status:  # hung up
                self.close_connection = True
                return
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.send_header(
                "Content-Length", str(len(found.body) if found.length is None else found.length)
            )
            self.end_headers()
            found.wait()
            if not found.drip:
                self.wfile.write(found.body)
                return
            with contextlib.suppress(OSError):  # nobody listens any more
                for byte in found.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(found.drip)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", calls
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
