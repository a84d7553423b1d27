"""A TCP proxy that misbehaves on demand, to stand between a service and its database."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

BEGIN, COMMIT = b"BEGIN", b"COMMIT"
WRITTEN = 150  # bytes in a transaction that writes something; one that only looks whether we are there is shorter


class Proxy:
    """Passes on what it gets, until `mode` says otherwise.

    pass: as it comes · refuse: nobody gets in, all are cut · silent: takes everything, passes on nothing · slow: each
    piece after `delay` seconds · commit: the next COMMIT is passed on and carried out, then its connection is cut
    before the client hears of it; then back to pass.
    """

    def __init__(self, port: int):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.mode = "pass"
        self.delay = 0.0
        self.cut_commits = 0
        self._lock = threading.Lock()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections there are."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for one in pair:
                _break(one)

    def set(self, mode: str, delay: float = 0.0) -> None:
        self.delay = delay
        self.mode = mode
        if mode == "refuse":
            self.cut()

    def heal(self) -> None:
        """Pass on again; connections that were kept silent have lost bytes and are cut."""
        silent = self.mode == "silent"
        self.set("pass")
        if silent:
            self.cut()

    def close(self) -> None:
        self._closed = True
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                if self.mode == "refuse":
                    raise ConnectionRefusedError
                server = socket.create_connection(self._target, timeout=5)
                server.settimeout(None)
            except OSError:
                _break(client)
                continue
            with self._lock:
                self._pairs.add((client, server))
            for source, goal, commits in ((client, server, True), (server, client, False)):
                threading.Thread(
                    target=self._pump, args=(source, goal, (client, server), commits), daemon=True
                ).start()

    def _pump(
        self,
        source: socket.socket,
        goal: socket.socket,
        pair: tuple[socket.socket, socket.socket],
        commits: bool,
    ) -> None:
        sent = 0
        try:
            while data := source.recv(65536):
                sent = len(data) if BEGIN in data else sent + len(data)
                if self.mode == "silent":
                    continue
                if self.mode == "slow":
                    time.sleep(self.delay)
                if commits and self.mode == "commit" and COMMIT in data and sent > WRITTEN:
                    self._let_commit(data, goal, pair)
                    return
                goal.sendall(data)
        except OSError:
            pass
        if self.mode == "silent" and commits:
            return  # the end is not passed on either: the server goes on waiting for a client that is gone
        with self._lock:
            self._pairs.discard(pair)
        for one in pair:
            _break(one)

    def _let_commit(
        self, data: bytes, server: socket.socket, pair: tuple[socket.socket, socket.socket]
    ) -> None:
        with self._lock:
            self._pairs.discard(pair)
        self.mode = "pass"
        self.cut_commits += 1
        _break(pair[0])  # the client hears nothing any more
        server.sendall(data)
        time.sleep(0.05)  # time to carry it out, though nobody listens
        _break(server)


def _break(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
