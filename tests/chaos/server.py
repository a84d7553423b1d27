"""A service in a process of its own that takes orders on its standard input, and tells its memory against the log.

python server.py URL: prints `ready ADDRESS`; then one line of JSON for each order:
verify · clock SECONDS (ahead) · disk fine|full|ioerr|readonly|unheard · trainer (its process number)
"""

from __future__ import annotations

import faulthandler
import json
import logging
import signal
import sqlite3
import sys
import threading
import time
from typing import Any

from corollary.campaign.campaign import Campaign
from corollary.campaign.storage import sqlite as sqlite_module
from corollary.web.server import serve

ERRORS = {
    "full": "database or disk is full",
    "ioerr": "disk I/O error",
    "readonly": "attempt to write a readonly database",
    "unheard": "disk I/O error",
}


class World:
    """What is wrong with it just now."""

    ahead = 0.0
    disk = "fine"


class FaultyConnection(sqlite3.Connection):
    """SQLite on a disk that fails: before a commit, or just after it, so that nobody hears that it came through."""

    def commit(self) -> None:
        if World.disk == "unheard":
            super().commit()
        if World.disk != "fine":
            raise sqlite3.OperationalError(ERRORS[World.disk])
        super().commit()


def connect(*args: Any, **options: Any) -> sqlite3.Connection:
    return sqlite3.connect(*args, **options | {"factory": FaultyConnection})


class FaultySqlite:
    """The module, with connections that may fail."""

    connect = staticmethod(connect)

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite3, name)


def obey(campaign: Campaign) -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        order, _, detail = line.strip().partition(" ")
        told: Any = None
        try:
            match order:
                case "verify":
                    campaign.keep_up()
                    told = campaign.verify()
                case "clock":
                    World.ahead = float(detail)
                case "disk":
                    World.disk = detail
                case "trainer":
                    told = campaign._live.models.trainer.pid
        except Exception as error:
            told = [f"{type(error).__name__}: {error}"]
        print(json.dumps(told), flush=True)  # noqa: T201


def main(url: str) -> None:
    faulthandler.register(signal.SIGUSR1)  # what every thread is doing, for whoever is stuck
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    sqlite_module.sqlite3 = FaultySqlite()  # type: ignore[attr-defined]
    with Campaign.open(url, clock=lambda: time.time() + World.ahead) as campaign:
        threading.Thread(target=obey, args=(campaign,), daemon=True).start()
        serve(
            campaign,
            port=0,
            mode="team",
            ready=lambda address: print(f"ready {address}", flush=True),  # noqa: T201
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
