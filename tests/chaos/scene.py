"""A campaign with its service and twenty people; rounds in which something goes wrong, and what must hold then."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import httpx

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.storage.store import Store
from corollary.logic.ontology import Ontology

from ..campaign.servers import Server, memory
from .faults import POSTGRESQL, SQLITE, Fault
from .people import Person
from .proxy import Proxy

ONTO = """
Thing > exclusive: Animal, Plant, Place
Animal > exclusive: Bird, Fish, Mammal
Plant > exclusive: Tree, Herb
"""
PEOPLE = 20
STUCK_SECONDS = 60.0  # an outbox that is not empty so long after all is well again
SMALL_DISK = 64 * 2**20


class Scene:
    """A new campaign in SQLite, or in PostgreSQL behind a proxy; people may be wrong in one that is `fallible`."""

    def __init__(
        self,
        kind: str,
        *,
        items: int = 400,
        people: int = PEOPLE,
        database: Server | None = None,
        fallible: bool = False,
    ):
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix="corollary-chaos-", dir=memory()))
        self.small_disk: Path | None = None
        self.others: dict[str, int] = {}  # what another server wrote, by key
        self.proxy: Any = None
        self.database: Any = database
        if kind == "sqlite":
            self.small_disk = _mount(self.folder / "disk")
            self.direct = str((self.small_disk or self.folder) / "campaign.sqlite")
            url = self.direct
        else:
            self.direct = self.database.new_database()
            self.proxy = Proxy(self.database.port)
            url = self.direct.replace(f":{self.database.port}/", f":{self.proxy.port}/")
        self.url = url
        things = [Item(f"i{n}", text=f"thing {n} of kind {n % 7}") for n in range(items)]
        settings = {
            "retrain_every": 60,
            "learner": "logistic",
            "overlap": 0.1,
            "lease_seconds": 30,
            "pick": "never",
        }
        settings |= {"fallible": fallible}
        with Campaign.create(
            self.direct, things, Ontology.parse(ONTO), name="Chaos", settings=settings
        ) as campaign:
            tokens = {f"p{n}": campaign.invite(f"p{n}") for n in range(people)}
        self.faults = SQLITE if kind == "sqlite" else POSTGRESQL
        self.people: list[Person] = []
        self.start()
        self.people = [Person(name, token, self.address) for name, token in tokens.items()]
        self._threads = [threading.Thread(target=one.run, daemon=True) for one in self.people]
        for thread in self._threads:
            thread.start()

    # -- the service -------------------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """Start the service; where the last one was killed its lock may need a moment."""
        for _ in range(100):
            self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the scene)
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("server.py")), self.url],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
            )
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if line.startswith("ready "):
                self.address = line.split()[1]
                for person in self.people:
                    person.address = self.address
                return
            self._process.wait(30)
            told = self.log()
            self._let_go()
            if "already open" not in told:
                break
            time.sleep(0.1)
        raise AssertionError(f"the service did not start:\n{told}")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._let_go()

    def _let_go(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what could not be written any more
                    pipe.close()

    def order(self, words: str) -> Any:
        """Let the service do something only tests may; its reply."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-20_000:]

    # -- rounds ------------------------------------------------------------------------------------------------------

    def round(self, fault: Fault, dice: Random, *, seconds: float = 0.5) -> None:
        """People answer while something goes wrong; then all is well again, and everything must be in order."""
        for person in self.people:
            person.working.set()
        time.sleep(dice.uniform(0, 0.2))
        end = fault(self, dice)
        time.sleep(dice.uniform(0.2, 2) * seconds)
        end()
        for person in self.people:
            person.working.clear()
            person.resting.clear()  # after this, it is set by one who has seen that the work is over
        self._wait_for_outboxes(fault.__name__)
        self._check(fault.__name__)

    def _wait_for_outboxes(self, what: str) -> None:
        deadline = time.monotonic() + STUCK_SECONDS
        while stuck := [person for person in self.people if not person.resting.is_set()]:
            if time.monotonic() > deadline:
                told = f"after {what}: {len(stuck)} people are stuck, {stuck[0].name} among them: {stuck[0].last}"
                os.kill(self.pid, signal.SIGUSR1)
                time.sleep(1)
                raise AssertionError(f"{told}\n{self.log()}")
            time.sleep(0.01)

    def _check(self, what: str) -> None:
        refused = [why for person in self.people for why in person.refused]
        assert not refused, f"after {what}: answers were refused, so dropped: {refused[:3]}"
        self._wait_for_health(what)
        differs = self.order("verify")
        assert differs == [], (
            f"after {what}: memory is not what the log gives: {differs}\n{self.log()}"
        )
        with Store.open(self.direct, readonly=True) as store:
            events = list(store.events())
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        found = {event.key: event for event in events}
        twice = [key for key, times in Counter(event.key for event in events).items() if times > 1]
        assert not twice, f"after {what}: twice in the log: {twice}"
        for person in self.people:
            for key, told in person.told.items():
                event = found.get(key)
                assert event is not None, f"after {what}: lost: {told}"
                said = (event.seq, event.who, event.item, event.label, event.value)
                assert said == (
                    told["seq"],
                    told["who"],
                    told["item"],
                    told["label"],
                    told["value"],
                )
        answers = {event.key for event in events if event.kind == "answer"}
        known = {key for person in self.people for key in person.told} | self.others.keys()
        assert answers == known, f"after {what}: in the log, but nobody's: {answers - known}"

    def _wait_for_health(self, what: str) -> None:
        """A service that finds memory and log to differ says so, and reads again."""
        deadline = time.monotonic() + STUCK_SECONDS
        while not (ready := httpx.get(self.address + "health", timeout=30)).json()["ready"]:
            assert time.monotonic() < deadline, (
                f"after {what}: /health says {ready.text}\n{self.log()}"
            )
            time.sleep(0.1)

    @property
    def acknowledged(self) -> int:
        return sum(len(person.told) for person in self.people)

    @property
    def resent(self) -> int:
        return sum(person.resent for person in self.people)

    def close(self) -> None:
        """End everything and leave nothing behind."""
        for person in self.people:
            person.leaving.set()
        if self._process.poll() is None:
            os.kill(self.pid, signal.SIGCONT)
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for thread in self._threads:
            thread.join(30)
        self._let_go()
        if self.proxy is not None:
            self.proxy.close()
        if self.small_disk is not None:
            subprocess.run(["umount", str(self.small_disk)], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def _mount(folder: Path) -> Path | None:
    """A small file system in memory, where we may make one; the quota does it elsewhere."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return None
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "chaos", str(folder)]
    return (
        folder
        if subprocess.run(command, check=False, capture_output=True).returncode == 0
        else None
    )
