"""A home for downloads on this machine that can misbehave, and small files in LIBSVM's format to fetch from it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np


class Home:
    """The files that are served, how each misbehaves (a list: one way per request), and the requests that came."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.ways: dict[str, list[str]] = {}
        self.requests: list[str] = []
        self.url = ""


@contextmanager
def home():
    """A running server; `url` ends in a slash."""
    state = Home()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            file = self.path.lstrip("/")
            state.requests.append(file)
            ways = state.ways.get(file, [])
            way = ways.pop(0) if ways else "well"
            if way == "failing":
                return self.send_error(503)
            if file not in state.files:
                return self.send_error(404)
            body = state.files[file]
            self.send_response(200)
            if (
                way != "silently cut"
            ):  # without a length, the end of the connection is the end of the file
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if way == "well" else body[: len(body) // 2])
            self.close_connection = True
            return None

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_port}/"
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


def libsvm(X, numbers) -> bytes:
    """Rows as LIBSVM writes them: 1-based, six digits, without zeros."""
    lines = []
    for row, number in zip(X, numbers, strict=True):
        pairs = (f"{j}:{value:.6g}" for j, value in enumerate(row, 1) if value)
        lines.append(" ".join((str(number), *pairs)) + " \n")
    return "".join(lines).encode()


def made_up_iris(seed=0) -> bytes:
    """As many rows and classes as iris.scale has, with other flowers."""
    return libsvm(
        np.random.default_rng(seed).uniform(-1, 1, (150, 4)), [1 + i // 50 for i in range(150)]
    )


def made_up_vowel() -> dict[str, bytes]:
    """The two files of vowel, with classes from 0."""
    X = np.random.default_rng(1).uniform(-1, 1, (990, 10))
    return {
        "vowel.scale": libsvm(X[:528], [i % 11 for i in range(528)]),
        "vowel.scale.t": libsvm(X[528:], [i % 11 for i in range(462)]),
    }
