"""Heads of requests that are too long."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress

import httpx
import pytest
import uvicorn

from corollary.web.access import header_limits
from corollary.web.access.header_limits import BoundedProtocol, most_connections


def talk(served, pieces):
    """Send bytes as they are; what comes back until the server closes."""
    address = httpx.URL(served.address)
    with socket.create_connection((address.host, address.port), timeout=20) as line:
        told = b""
        with suppress(
            OSError
        ):  # closed while we were still sending; what it said before is read all the same
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
        [
            b"POST /api/login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
            *[MEGABYTE] * 80,
        ],
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
        told = talk(
            served, [b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * n + b"\r\n\r\n"]
        )
        head, _, body = told.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 431 ")
        assert json.loads(body)["error"]["message"] == "The headers have more than 65,536 bytes."
    fine = talk(
        served,
        [
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
            + b"x" * 60_000
            + b"\r\n\r\n"
        ],
    )
    assert fine.startswith(b"HTTP/1.1 200 ")
    assert talk(served, [b"nonsense\r\n\r\n"]).startswith(b"HTTP/1.1 400 ")


def test_a_long_body_is_no_long_head(served):
    pieces = [
        b"POST /api/login HTTP/1.1\r\nConnection: close\r\nContent-Length: 500000\r\n\r\n",
        *[b" " * 1000] * 500,
    ]
    assert talk(served, pieces).startswith(b"HTTP/1.1 403 ")


async def hello(scope, receive, send):
    """Reads the whole request, then says so."""
    while (await receive()).get("more_body"):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def server(monkeypatch):
    """Serves `hello` in a thread; the address of its socket."""
    monkeypatch.setattr(header_limits, "_quiet_until", {})
    config = uvicorn.Config(hello, http=BoundedProtocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


def read_all(line):
    """All that comes until the server closes."""
    told = b""
    with suppress(ConnectionError):
        while got := line.recv(65536):
            told += got
    return told


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"", b""),
        (b"GET /", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-", b"HTTP/1.1 408 "),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1", b""),
    ],
    ids=["nothing", "half a line", "half a head", "half a body"],
)
def test_a_request_that_never_comes_to_its_end_is_closed(server, monkeypatch, caplog, sent, told):
    """The attack: 1,001 of 1,100 connections with half a head were open after 75 s."""
    monkeypatch.setattr(header_limits, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(header_limits, "BODY_SECONDS", 0.2)
    with socket.create_connection(server, timeout=20) as line:
        line.sendall(sent)
        assert read_all(line).startswith(told)
    assert "not sent in time" in caplog.text


def test_blank_lines_are_no_request(server, monkeypatch, caplog):
    monkeypatch.setattr(header_limits, "HEAD_SECONDS", 0.2)
    with socket.create_connection(server, timeout=20) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
        line.sendall(b"\r\n")  # which once ended all waiting for the next request
        read_all(line)
    assert "not sent in time" in caplog.text


def test_a_head_that_drips_is_late_all_the_same(server, monkeypatch):
    monkeypatch.setattr(header_limits, "HEAD_SECONDS", 0.3)
    with socket.create_connection(server, timeout=20) as line:
        stop = threading.Event()

        def drip():
            with suppress(OSError):
                line.sendall(b"GET / HTTP/1.1\r\nX: ")
                while not stop.wait(0.05):
                    line.sendall(b"x")

        dripping = threading.Thread(target=drip)
        dripping.start()
        assert b" 408 " in read_all(line)
        stop.set()
        dripping.join()


def test_of_too_many_connections_the_one_that_waited_longest_goes(server, monkeypatch, caplog):
    monkeypatch.setattr(header_limits, "CONNECTIONS", 20)
    half = []
    for _ in range(60):
        half.append(socket.create_connection(server, timeout=20))
        half[-1].sendall(b"GET / HTTP/1.1\r\nX: ")
    address = f"http://{server[0]}:{server[1]}/"
    with httpx.Client() as client:
        assert [client.get(address).text for _ in range(3)] == ["ok"] * 3
    assert caplog.text.count("too many connections") == 1  # an attack does not fill the log
    for line in half[:40]:
        assert read_all(line) == b""
    for line in half:
        line.close()


def test_half_of_the_files_that_may_be_open_are_for_connections():
    resource = pytest.importorskip("resource")
    assert (
        0
        < most_connections()
        <= max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], header_limits.CONNECTIONS) / 2
    )
