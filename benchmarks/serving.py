"""Twenty people label one campaign of 100,000 items at once, over HTTP, as fast as they can.

    python benchmarks/serving.py [--seconds 120] [--people 20] [--items 100000] [--url postgresql://...] [--think 0]

Prints acknowledged answers a second, how long an answer and the next questions take, errors, and whether any question
was with two people at once or answered twice.
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
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.logic.ontology import Ontology
from corollary.web.server import serve

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: 26 labels: 5 groups that exclude one another, each with 4 labels under it that do so too, and one apart.
GROUPS = {LETTERS[5 * g]: LETTERS[5 * g + 1 : 5 * g + 5] for g in range(5)}


@dataclass
class Measured:
    """What the people saw."""

    answers: list[float] = field(default_factory=list)
    questions: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    holders: dict[str, str] = field(default_factory=dict)
    shared: int = 0


def ontology() -> Ontology:
    lines = [f"{group} > {', '.join(under)}" for group, under in GROUPS.items()]
    lines += [f"exclusive: {', '.join(under)}" for under in GROUPS.values()]
    return Ontology.parse("\n".join([*lines, f"exclusive: {', '.join(GROUPS)}", "rule: Z >> A | F"]))


def make_items(n: int) -> list[Item]:
    words = random.Random(0)
    return [
        Item(f"i{i}", " ".join(words.choices(["red", "small", "old", "wing", "leaf", "town"], k=4))) for i in range(n)
    ]


def truth(item: str, label: str) -> bool:
    group, inner = divmod(int(item[1:]) % 25, 5)
    names = list(GROUPS)
    return label == names[group] or (inner > 0 and label == GROUPS[names[group]][inner - 1])


async def person(address: str, who: str, token: str, measured: Measured, until: float, think: float) -> None:
    async with httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        while time.perf_counter() < until:
            began = time.perf_counter()
            got = await client.post("api/questions", json={"n": 3})
            if got.status_code != 200:
                measured.errors.append(got.text)
                continue
            measured.questions.append(time.perf_counter() - began)
            asked = got.json()["questions"]
            for question in asked:
                holder = measured.holders.setdefault(question["item"]["id"], who)
                measured.shared += holder != who
            for question in asked:
                if think:
                    await asyncio.sleep(random.expovariate(1 / think))
                item = question["item"]["id"]
                body = {"key": str(uuid.uuid4()), "item": item, "label": question["label"], "lease": question["lease"]}
                measured.holders.pop(item, None)  # from now on the server may give it to someone else
                began = time.perf_counter()
                got = await client.post("api/answers", json={**body, "value": truth(item, question["label"])})
                if got.status_code == 200:
                    measured.answers.append(time.perf_counter() - began)
                else:
                    measured.errors.append(got.text)


async def label(address: str, tokens: dict[str, str], seconds: float, think: float) -> Measured:
    measured, until = Measured(), time.perf_counter() + seconds
    await asyncio.gather(*(person(address, who, token, measured, until, think) for who, token in tokens.items()))
    return measured


def milliseconds(times: list[float]) -> dict[str, float]:
    return {f"p{p}": round(1000 * float(np.percentile(times, p)), 1) for p in (50, 90, 99)} if times else {}


def serve_one(url: str) -> None:
    with Campaign.open(url) as campaign:
        serve(campaign, port=0, mode="team", ready=lambda address: print(address, flush=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--think", type=float, default=0.0, help="mean seconds before an answer")
    parser.add_argument("--retrain-every", type=int, default=1000)
    parser.add_argument("--url", default=None, help="where the campaign is made; a new file of SQLite by default")
    parser.add_argument("--serve", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_one(options.serve)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(options.url or str(Path(folder) / "campaign.sqlite"), options)


def measure(url: str, options: argparse.Namespace) -> None:
    settings = {"retrain_every": options.retrain_every, "learner": "logistic"}
    with Campaign.create(url, make_items(options.items), ontology(), name="Load", settings=settings) as campaign:
        tokens = {f"p{n}": campaign.invite(f"p{n}") for n in range(options.people)}
    began = time.perf_counter()
    server = subprocess.Popen([sys.executable, __file__, "--serve", url], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        started = time.perf_counter() - began
        began, spent = time.perf_counter(), cpu_seconds(server.pid)
        measured = asyncio.run(label(address, tokens, options.seconds, options.think))
        elapsed, spent = time.perf_counter() - began, cpu_seconds(server.pid) - spent
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    print(
        json.dumps(
            figures(url, measured, options) | {"start_seconds": round(started, 1)} | rate(measured, elapsed, spent),
            indent=1,
        )
    )


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor, all its threads; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    times = stat.read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def rate(measured: Measured, elapsed: float, spent: float) -> dict[str, object]:
    n = max(len(measured.answers), 1)
    return {
        "answers_per_second": round(len(measured.answers) / elapsed, 1),
        "seconds": round(elapsed, 1),
        "server_cpu_ms_per_answer": round(1000 * spent / n, 2),  # with its share of the questions; whatever else runs
        "load_average": os.getloadavg()[0],
    }


def figures(url: str, measured: Measured, options: argparse.Namespace) -> dict[str, object]:
    with Campaign.open(url, readonly=True) as campaign:
        answers = [event for event in campaign.state.events if event.kind == "answer"]
        models = sum(event.kind == "model" for event in campaign.state.events)
    twice = Counter((event.item, event.label) for event in answers)
    return {
        "store": "PostgreSQL" if url.startswith("postgres") else "SQLite, synchronous=FULL",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "items": options.items,
        "labels": 26,
        "people": options.people,
        "acknowledged": len(measured.answers),
        "in_the_log": len(answers),
        "models_taken_up": models,
        "answer_ms": milliseconds(measured.answers),
        "questions_ms": milliseconds(measured.questions),
        "errors": len(measured.errors),
        "first_errors": measured.errors[:3],
        "questions_with_two_people": measured.shared,
        "questions_answered_twice": sum(times > 1 for times in twice.values()),
    }


if __name__ == "__main__":
    main()
