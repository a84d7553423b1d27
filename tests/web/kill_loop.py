"""Kill a server with SIGKILL while answers arrive, again and again: what was acknowledged is there, once.

As a program: python -m tests.web.kill_loop URL [rounds], on a place for a new campaign (a path, or postgresql://...).
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.logic.ontology import Ontology

from ..forked import start

ONTO = "\n".join(
    [
        "Thing > Animal, Plant, Place",
        "Animal > Bird, Fish, Mammal",
        "Plant > Tree, Herb",
        "exclusive: Animal, Plant, Place",
        "exclusive: Bird, Fish, Mammal",
        "exclusive: Tree, Herb",
    ]
)
PEOPLE = ("Ana", "Ben", "Chen", "Dora")


@dataclass
class Outcome:
    """What the people of all rounds know: what was acknowledged, and what they sent without hearing back."""

    told: dict[str, dict] = field(default_factory=dict)  # by key: the answer and its seq
    unheard: dict[str, tuple[str, dict]] = field(default_factory=dict)  # by key: who, the answer
    repeated: int = 0
    errors: list[str] = field(default_factory=list)


class Served:
    """A server in a process of its own."""

    def __init__(self, url: str, *more: str):
        command = [Path(__file__).with_name("process.py"), url, *more]
        self.process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.process.wait(10)
            raise RuntimeError("the server did not start:\n" + "".join(self.log))
        self.address = line.split()[1]

    def _read(self) -> None:
        for line in self.process.stderr:
            self.log.append(line)

    def end(self, how: int = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(30)
        self._reading.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def make_campaign(url: str, *, items: int = 3000) -> dict[str, str]:
    """A campaign, and a token for each person."""
    things = [Item(f"i{n}", f"thing {n} of kind {n % 7}") for n in range(items)]
    settings = {"retrain_every": 10**6, "pick": "never"}
    with Campaign.create(
        url, things, Ontology.parse(ONTO), name="Kill", settings=settings
    ) as campaign:
        return {who: campaign.invite(who, "annotator") for who in PEOPLE}


def one_round(url: str, tokens: dict[str, str], outcome: Outcome, *, seconds: float) -> None:
    """Start, answer from several people at once, kill in the middle of it."""
    served = Served(url)
    stop = threading.Event()
    people = [
        threading.Thread(target=_work, args=(served.address, who, token, outcome, stop))
        for who, token in tokens.items()
    ]
    for person in people:
        person.start()
    time.sleep(seconds)
    served.end(signal.SIGKILL)
    stop.set()
    for person in people:
        person.join()


def _work(address: str, who: str, token: str, outcome: Outcome, stop: threading.Event) -> None:
    random_state = random.Random(f"{who} {len(outcome.told)}")
    with httpx.Client(
        base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=10
    ) as client:
        try:
            for key, (whose, body) in list(outcome.unheard.items()):
                if whose == who:
                    _send(client, who, key, body, outcome)
                    outcome.repeated += 1
            while not stop.is_set():
                for question in (
                    client.post("/api/questions", json={"n": 3})
                    .raise_for_status()
                    .json()["questions"]
                ):
                    value = random_state.random() < 0.3
                    body = {
                        "item": question["item"]["id"],
                        "label": question["label"],
                        "value": value,
                    }
                    key = str(uuid.uuid4())
                    outcome.unheard[key] = (who, body)
                    _send(client, who, key, body, outcome)
        except httpx.TransportError:
            return  # killed, as planned
        except httpx.HTTPStatusError as error:
            outcome.errors.append(f"{error}: {error.response.text}")


def _send(client: httpx.Client, who: str, key: str, body: dict, outcome: Outcome) -> None:
    seq = client.post("/api/answers", json={"key": key, **body}).raise_for_status().json()["seq"]
    outcome.told[key] = {**body, "seq": seq, "who": who}
    del outcome.unheard[key]


def check(url: str, outcome: Outcome) -> int:
    """Compare the log with what was acknowledged; the number of events in it."""
    assert not outcome.errors, outcome.errors[:3]
    with Campaign.open(url) as campaign:
        events = list(campaign.state.events)
        keys = Counter(event.key for event in events)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert not [key for key, times in keys.items() if times > 1]
        by_key = {event.key: event for event in events}
        for key, told in outcome.told.items():
            event = by_key.get(key)
            assert event is not None, f"lost: {told}"
            assert (event.seq, event.who, event.item, event.label, event.value) == (
                told["seq"], told["who"], told["item"], told["label"], told["value"]
            )  # fmt: skip
        assert keys.keys() <= outcome.told.keys() | outcome.unheard.keys()
        assert campaign.verify() == []
    return len(events)


def run(url: str, *, rounds: int, seconds: tuple[float, float] = (0.3, 1.0)) -> Outcome:
    """All rounds, each checked."""
    tokens, outcome, random_state = make_campaign(url), Outcome(), random.Random(0)
    for _ in range(rounds):
        one_round(url, tokens, outcome, seconds=random_state.uniform(*seconds))
        check(url, outcome)
    return outcome


if __name__ == "__main__":
    began = time.time()
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    found = run(sys.argv[1], rounds=number)
    print(  # noqa: T201
        f"{number} rounds in {time.time() - began:.0f} s: {len(found.told):,} answers acknowledged, all there, once; "
        f"{found.repeated} sent again after a kill"
    )
