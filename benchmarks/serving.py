"""Suite `serving`: twenty people label one campaign of 100,000 items at once, over HTTP.

    python -m benchmarks serving
    python benchmarks/serving.py [--seconds 120] [--people 20] [--items 100000] [--url postgresql://...] [--think 0]
        [--streams]

Acknowledged answers a second, how long an answer and the next questions take, errors, and whether any question was with
two people at once or answered twice. People, server and trainings share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.logic.ontology import Ontology
from corollary.web.server import serve

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sampling import Sampler

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: 26 labels: 5 groups that exclude one another, each with 4 labels under it that do so too, and one apart.
GROUPS = {LETTERS[5 * g]: LETTERS[5 * g + 1 : 5 * g + 5] for g in range(5)}


@dataclass(frozen=True)
class Load:
    """Who labels what, for how long; `think` is the mean time before an answer."""

    seconds: float = 120.0
    people: int = 20
    items: int = 100_000
    think: float = 0.0
    retrain_every: int = 1000
    url: str | None = None
    streams: bool = False  # everybody also watches progress, as an open page does
    look: bool = False  # where the server's time goes


@dataclass
class Measured:
    """What the people saw."""

    answers: list[float] = field(default_factory=list)
    questions: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    holders: dict[str, str] = field(default_factory=dict)
    shared: int = 0


class Connection:
    """One open connection that sends JSON and reads JSON: little more than the bytes, for it runs beside the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes):
        self._reader, self._writer, self._head = reader, writer, head

    @classmethod
    async def open(cls, address: str, token: str) -> Connection:
        place = urlsplit(address)
        head = f"Host: {place.netloc}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        return cls(*await asyncio.open_connection(place.hostname, place.port), head.encode())

    async def post(self, path: str, content: dict[str, Any]) -> tuple[int, Any]:
        """The status and the content of the reply."""
        body = json.dumps(content).encode()
        start = f"POST /{path} HTTP/1.1\r\nContent-Length: {len(body)}\r\n".encode()
        self._writer.write(start + self._head + b"\r\n" + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), json.loads(await self._reader.readexactly(length))


def ontology() -> Ontology:
    lines = [f"{group} > {', '.join(under)}" for group, under in GROUPS.items()]
    lines += [f"exclusive: {', '.join(under)}" for under in GROUPS.values()]
    return Ontology.parse(
        "\n".join([*lines, f"exclusive: {', '.join(GROUPS)}", "rule: Z >> A | F"])
    )


def make_items(n: int) -> list[Item]:
    words = random.Random(0)
    return [
        Item(f"i{i}", " ".join(words.choices(["red", "small", "old", "wing", "leaf", "town"], k=4)))
        for i in range(n)
    ]


def truth(item: str, label: str) -> bool:
    group, inner = divmod(int(item[1:]) % 25, 5)
    names = list(GROUPS)
    return label == names[group] or (inner > 0 and label == GROUPS[names[group]][inner - 1])


async def person(
    address: str, who: str, token: str, measured: Measured, until: float, think: float
) -> None:
    connection = await Connection.open(address, token)
    while time.perf_counter() < until:
        began = time.perf_counter()
        status, got = await connection.post("api/questions", {"n": 3})
        if status != 200:
            measured.errors.append(str(got))
            continue
        measured.questions.append(time.perf_counter() - began)
        for question in got["questions"]:
            holder = measured.holders.setdefault(question["item"]["id"], who)
            measured.shared += holder != who
        for question in got["questions"]:
            if think:
                await asyncio.sleep(random.expovariate(1 / think))
            item, label = question["item"]["id"], question["label"]
            body = {
                "key": str(uuid.uuid4()),
                "item": item,
                "label": label,
                "lease": question["lease"],
            }
            measured.holders.pop(item, None)  # from now on the server may give it to someone else
            began = time.perf_counter()
            status, told = await connection.post(
                "api/answers", {**body, "value": truth(item, label)}
            )
            if status == 200:
                measured.answers.append(time.perf_counter() - began)
            else:
                measured.errors.append(str(told))


async def watch(address: str, token: str) -> None:
    """Hold a stream of progress open, and read what comes."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(
        f"GET /api/events HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    while await reader.read(65536):
        pass


async def label(address: str, tokens: dict[str, str], load: Load) -> Measured:
    measured, until = Measured(), time.perf_counter() + load.seconds
    watching = [
        asyncio.create_task(watch(address, token)) for token in tokens.values() if load.streams
    ]
    await asyncio.gather(
        *(person(address, who, token, measured, until, load.think) for who, token in tokens.items())
    )
    for task in watching:
        assert not task.done(), "a stream ended early"
        task.cancel()
    return measured


def serve_one(url: str, *, look: bool = False) -> None:
    """Serve until told to stop; then print where the time went."""
    with Campaign.open(url) as campaign, Sampler() if look else nullcontext() as sampler:
        serve(campaign, port=0, mode="team", ready=lambda address: print(address, flush=True))
    if sampler is not None:
        print(json.dumps(sampler.shares), flush=True)


def measure(load: Load) -> dict[str, Any]:
    """The figures of one load."""
    with tempfile.TemporaryDirectory() as folder:
        return _measure(load.url or str(Path(folder) / "campaign.sqlite"), load)


def _measure(url: str, load: Load) -> dict[str, Any]:
    settings = {"retrain_every": load.retrain_every, "learner": "logistic", "pick": "never"}
    with Campaign.create(
        url, make_items(load.items), ontology(), name="Load", settings=settings
    ) as campaign:
        tokens = {f"p{n}": campaign.invite(f"p{n}") for n in range(load.people)}
    began = time.perf_counter()
    serving = [sys.executable, __file__, "--serve", url, *(["--look"] if load.look else [])]
    server = subprocess.Popen(serving, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        started = time.perf_counter() - began
        began, spent, own = time.perf_counter(), cpu_seconds(server.pid), time.process_time()
        measured = asyncio.run(label(address, tokens, load))
        elapsed = time.perf_counter() - began
        spent, own = cpu_seconds(server.pid) - spent, time.process_time() - own
    finally:
        server.send_signal(signal.SIGTERM)
        told = server.communicate(timeout=60)[0]
    n = max(len(measured.answers), 1)
    return {
        "acknowledged answers a second": round(len(measured.answers) / elapsed, 1),
        "server, CPU ms an answer": round(
            1000 * spent / n, 2
        ),  # its share of the questions and of training too
        "people, CPU ms an answer": round(1000 * own / n, 2),
        "seconds until the server was ready": round(started, 1),
        "load average": round(os.getloadavg()[0], 2),
        **_seen(measured),
        **_stored(url, measured),
        "store": "PostgreSQL" if url.startswith("postgres") else "SQLite, synchronous=FULL",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "people": load.people,
        "items": load.items,
        "labels": len(LETTERS),
        "seconds": round(elapsed, 1),
        **(
            {"where the server's time goes": json.loads(told.splitlines()[-1])} if load.look else {}
        ),
    }


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor, all its threads; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    times = stat.read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def _seen(measured: Measured) -> dict[str, Any]:
    return {
        f"{name}, ms p{p}": round(1000 * float(np.percentile(times, p)), 1)
        for name, times in (("answer", measured.answers), ("next questions", measured.questions))
        for p in (50, 90, 99)
        if times
    }


def _stored(url: str, measured: Measured) -> dict[str, Any]:
    with Campaign.open(url, readonly=True) as campaign:
        answers = [event for event in campaign.state.events if event.kind == "answer"]
        models = sum(event.kind == "model" for event in campaign.state.events)
    twice = Counter((event.item, event.label) for event in answers)
    return {
        "acknowledged and not in the log": len(measured.answers) - len(answers),
        "models taken up": models,
        "errors": len(measured.errors),
        "first error": next(iter(measured.errors), None),
        "questions with two people": measured.shared,
        "questions answered twice": sum(times > 1 for times in twice.values()),
    }


SOUND = dict.fromkeys(
    (
        "errors",
        "acknowledged and not in the log",
        "questions with two people",
        "questions answered twice",
    ),
    ("at most", 0),
)


def rush() -> dict[str, Any]:
    """Twenty people who answer as fast as they can, 100,000 items x 26 labels, two minutes."""
    return measure(Load()) | {
        "targets": {"acknowledged answers a second": ("at least", 200), **SOUND}
    }


def calm() -> dict[str, Any]:
    """Twenty people who think for two seconds on average, a minute: what a question and an answer take then."""
    targets = {
        "answer, ms p99": ("at most", 100),
        "next questions, ms p99": ("at most", 100),
        **SOUND,
    }
    return measure(Load(seconds=60, think=2.0)) | {"targets": targets}


def hundred() -> dict[str, Any]:
    """A hundred people who think for two seconds on average, a minute."""
    return measure(Load(seconds=60, think=2.0, people=100, look=True)) | {"targets": SOUND}


def hundred_in_a_rush() -> dict[str, Any]:
    """A hundred people who answer as fast as they can, a minute."""
    return measure(Load(seconds=60, people=100, look=True)) | {
        "targets": {"acknowledged answers a second": ("at least", 200), **SOUND}
    }


def fifty_watching() -> dict[str, Any]:
    """Fifty people who answer as fast as they can, each with a stream of progress, trainings beside them."""
    load = Load(people=50, items=10_000, retrain_every=500, streams=True)
    targets = {
        "next questions, ms p99": ("at most", 500),
        "answer, ms p99": ("at most", 700),
        **SOUND,
    }
    return measure(load) | {"targets": targets}


CASES = {
    "fifty watching": fifty_watching,
    "rush": rush,
    "calm": calm,
    "hundred": hundred,
    "hundred in a rush": hundred_in_a_rush,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=Load.seconds)
    parser.add_argument("--people", type=int, default=Load.people)
    parser.add_argument("--items", type=int, default=Load.items)
    parser.add_argument(
        "--think", type=float, default=Load.think, help="mean seconds before an answer"
    )
    parser.add_argument("--retrain-every", type=int, default=Load.retrain_every)
    parser.add_argument(
        "--url", default=None, help="where the campaign is made; a new file of SQLite by default"
    )
    parser.add_argument("--streams", action="store_true", help="everybody also watches progress")
    parser.add_argument("--look", action="store_true", help="tell where the server's time goes")
    parser.add_argument("--serve", default=None, help=argparse.SUPPRESS)
    options = vars(parser.parse_args())
    if url := options.pop("serve"):
        serve_one(url, look=options["look"])
    else:
        print(json.dumps(measure(Load(**options)), indent=1))


if __name__ == "__main__":
    main()
