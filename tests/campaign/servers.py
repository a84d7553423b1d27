"""A real PostgreSQL server for the tests: its own folder, its own port, gone afterwards."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

MISSING = (
    "the tests need PostgreSQL's programs initdb and pg_ctl, and found none on PATH or in /usr/lib/postgresql; "
    "install them: apt-get install postgresql (Debian, Ubuntu), dnf install postgresql-server, brew install postgresql"
)


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs; Debian keeps them off the PATH."""
    found = shutil.which(name)
    places = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: path.parts[-3].zfill(4)
    )
    if found is None and not places:
        pytest.fail(MISSING, pytrace=False)
    return found or str(places[-1])


def memory() -> str | None:
    """A folder in memory, if there is one with room: what is written there needs no disk to be durable in a test."""
    folder = Path("/dev/shm")
    if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 2 * 2**30:
        return str(folder)
    return None


class Server:
    """A running server; `new_database` gives the URL of an empty database."""

    def __init__(self):
        self.initdb, self.pg_ctl = program("initdb"), program("pg_ctl")
        self.folder = Path(tempfile.mkdtemp(prefix="corollary-pg-", dir=memory()))
        self.password = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.as_user: dict[str, object] = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            names = [user.pw_name for user in pwd.getpwall()]
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            self.as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        secret = self.folder / "password"
        secret.write_text(self.password)
        if self.as_user:
            os.chown(secret, self.as_user["user"], self.as_user["group"])
        self._call(
            self.initdb, "-D", self.data, "-U", "corollary", "--auth=scram-sha-256", f"--pwfile={secret}",
            "--encoding=UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        )
        self._call(
            self.pg_ctl, "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start"
        )

    def stop(self, mode: str = "fast") -> None:
        """Mode "immediate" is a crash: the next start recovers."""
        self._call(self.pg_ctl, "-D", self.data, "-w", "-m", mode, "stop")

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def new_database(self) -> str:
        name = f"campaign_{secrets.token_hex(6)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql://corollary:{self.password}@127.0.0.1:{self.port}/{database}"

    def _call(self, *command: object) -> None:
        # Output to a file: a server that keeps our pipe open would keep us waiting.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [str(word) for word in command],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                check=False,
                **self.as_user,
            )
            if done.returncode:
                output.seek(0)
                log = self.folder / "log"
                told = output.read().decode(errors="replace") + (
                    log.read_text() if log.exists() else ""
                )
                pytest.fail(f"{command[0]} failed with {done.returncode}:\n{told}", pytrace=False)
