"""Heads of requests that are too long."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress

import httpx
import pytest


def talk(served, pieces):
    """Send bytes as they are; what comes back until the server closes."""
    address = httpx.URL(served.address)
    with socket.create_connection((address.host, address.port), timeout=20) as line:
        told = b""
        with suppress(OSError):  # closed while we were still sending; what it said before is read all the same
            for piece in pieces:
                line.sendall(piece)
        with suppress(OSError):
            while got := line.recv(65536):
                told += got
        return told


MEGABYTE = b"x" * (1 << 20)


@pytest.mark.parametrize(
    "pieces",
    [
        [b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", *[MEGABYTE] * 80],
        [b"GET /", *[MEGABYTE] * 80],
        [b"GET /health HTTP/1.1\r\n", *[b"".join(b"x%d: y\r\n" % n for n in range(60_000))] * 20],
        [b"POST /api/login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", *[MEGABYTE] * 80],
    ],
    ids=["a header", "an address", "many headers", "a field after the body"],
)
def test_a_head_without_end_stops_nobody(served, pieces):
    """The attack: one header of 80 MB, and /health stood still for 11 s."""
    sender = threading.Thread(target=talk, args=(served, pieces))
    sender.start()
    slowest = 0.0
    while sender.is_alive():
        began = time.monotonic()
        assert httpx.get(served.address + "health", timeout=20).status_code == 200
        slowest = max(slowest, time.monotonic() - began)
    sender.join()
    assert slowest < 5


def test_a_long_head_is_refused_in_words(served):
    for n in (70_000, 300_000):
        told = talk(served, [b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * n + b"\r\n\r\n"])
        head, _, body = told.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 431 ")
        assert json.loads(body)["error"]["message"] == "The headers have more than 65,536 bytes."
    fine = talk(
        served, [b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: " + b"x" * 60_000 + b"\r\n\r\n"]
    )
    assert fine.startswith(b"HTTP/1.1 200 ")
    assert talk(served, [b"nonsense\r\n\r\n"]).startswith(b"HTTP/1.1 400 ")


def test_a_long_body_is_no_long_head(served):
    pieces = [b"POST /api/login HTTP/1.1\r\nConnection: close\r\nContent-Length: 500000\r\n\r\n", *[b" " * 1000] * 500]
    assert talk(served, pieces).startswith(b"HTTP/1.1 403 ")
