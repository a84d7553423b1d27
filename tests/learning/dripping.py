"""A server that never ends its headers: one comes every twentieth of a second."""

from __future__ import annotations

import contextlib
import socket
import threading
from contextlib import contextmanager


@contextmanager
def dripping():
    """The address of such a server."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve():
            with contextlib.suppress(OSError):
                line, _ = door.accept()
                with line:
                    line.sendall(b"HTTP/1.1 200 OK\r\n")
                    while not over.wait(0.05):
                        line.sendall(b"X: y\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}/v1"
        finally:
            over.set()
            thread.join(5)
