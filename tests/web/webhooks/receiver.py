"""A real receiver of webhooks, in a thread."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "a secret of webhooks, long enough"


class Receiver(ThreadingHTTPServer):
    """Keeps what it gets; `refuse` are statuses that the next requests get, `hang` makes it wait before it answers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.got, self.refuse = [], []
        self.hang = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/labels?team=1"

    @property
    def taken(self):
        """Ids of what was taken, in order."""
        return [one["id"] for one in self.contents if one["status"] == 200]

    @property
    def contents(self):
        return [{**json.loads(body), "status": status} for _, body, status in list(self.got)]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        while self.server.hang.is_set():
            time.sleep(0.01)
        status = self.server.refuse.pop(0) if self.server.refuse else 200
        self.server.got.append((dict(self.headers), body, status))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", self.server.url)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def receiving():
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield receiver
        finally:
            receiver.hang.clear()
            receiver.shutdown()
            thread.join()


def until(true, seconds=20.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.01)
