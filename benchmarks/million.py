"""Suite `million`: a campaign of 250,000 items x 40 labels with 1,000,000 answers, opened and looked at by a lead.

    python -m benchmarks million
    python benchmarks/million.py [--items 250000]

The log is made by the storage itself, all at once. Then a server opens it, and a lead looks at every page, again, and
after one more answer. Seconds are the server's on the processor, since a busy machine lets it wait for its turn; those
that passed are told beside.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.serving import cpu_seconds
from corollary.campaign.events import EXPECTED, Event
from corollary.campaign.items import Item
from corollary.campaign.people import People
from corollary.campaign.settings import Settings
from corollary.campaign.storage.records import LEAD, Annotator, Model
from corollary.campaign.storage.store import Store
from corollary.learning.stopping.calibration import SHARPNESS

ITEMS = 250_000
PEOPLE = 20
#: 40 labels: 5 groups that exclude one another, each with 7 labels under it that do so too.
GROUPS = {g: [f"{g}{n}" for n in range(1, 8)] for g in "ABCDE"}
ONTOLOGY = "\n".join(
    [
        *(f"{g} > exclusive: {', '.join(under)}" for g, under in GROUPS.items()),
        f"exclusive: {', '.join(GROUPS)}",
    ]
)
LABELS = [label for g, under in GROUPS.items() for label in (g, *under)]
WORDS = "red small old wing leaf town light river stone paper north glass".split()
BEGUN = datetime(2026, 3, 2, 8, tzinfo=UTC)
#: Where a lead looks, by what it is called.
VIEWS = {
    "figures and progress": "progress",
    "people and how far they agree": "people",
    "conflicts": "conflicts",
    "flags": "flags",
    "the log": "log",
    "the log, one person": "log?who=p7",
    "the log, a rare kind": "log?kind=withdraw",
    "items": "item-list",
    "items, by doubt": "item-list?sort=doubt",
    "items, of one person": "item-list?who=p7",
    "items, searched": "item-list?query=river+stone",
    "what the model is sure of": "sure?at_least=0.99",
}
OPENED, FIGURES = "open, until the server answers, s", "the figures, worked out once after that, s"


def truth(i: int) -> tuple[str, str | None]:
    """The group of an item, and the label under it, if any."""
    group = "ABCDE"[i * 7919 % 5]
    inner = i * 104729 % 8
    return group, GROUPS[group][inner - 1] if inner else None


def answers(
    items: int, chance: random.Random
) -> list[tuple[float, int, str, str | None, Any, str]]:
    """When, of which item, by whom, of which label, what and of what kind: four answers an item, and more."""
    found = []
    for i in range(items):
        group, inner = truth(i)
        right = {group, inner}
        other = chance.choice([g for g in GROUPS if g != group])
        asked: list[str] = [
            other,
            group,
            chance.choice(GROUPS[group]),
            inner or chance.choice(GROUPS[group]),
        ]
        people = chance.choices(range(PEOPLE), k=4)
        at = chance.random()
        if chance.random() < 0.2:  # someone else is asked again what was asked first
            asked[3], people[3] = asked[1], (people[1] + 1) % PEOPLE
        for n, (label, who) in enumerate(zip(asked, people, strict=True)):
            value: Any = (label in right) ^ (
                chance.random() < 0.003
            )  # who is asked what is open seldom contradicts
            draw = chance.random()
            if draw < 0.02:
                value = "cant_tell" if draw < 0.01 else "skip"
            when = at + n * 0.01 * chance.random()
            if n == 2 and draw > 0.97:
                found.append((when, i, f"p{who}", None, [inner or group], "answer"))
                continue
            found.append((when, i, f"p{who}", label, value, "answer"))
            if draw > 0.99:
                found.append((when + 1e-9, i, f"p{who}", label, None, "undo"))
        if i % 500 == 0:
            found.append((at + 0.02, i, "lead", group, True, "gold"))
        elif i % 500 == 1:
            found.append((at + 0.02, i, "lead", group, True, "decision"))
        elif i % 500 == 2:
            found.append((at + 0.02, i, f"p{people[0]}", None, None, "flag"))
    return sorted(found, key=lambda one: one[0])


def expected(chance: random.Random) -> str:
    """How far an answer was to be expected, as logs have it: its risk, no surprise, and a number for each sharpness."""
    first = chance.randrange(20, 1500)
    return (
        f"{chance.random():.4g} 0 {' '.join(str(first // (n + 1)) for n in range(len(SHARPNESS)))}"
    )


def events(items: int) -> Iterator[Event]:
    """The whole log; the model that came last learnt from nearly all of it."""
    chance = random.Random(0)
    said = answers(items, chance)
    last: dict[tuple[int, str, str | None], int] = {}
    for seq, (when, i, who, label, value, kind) in enumerate(said, start=1):
        at = (BEGUN + timedelta(days=60 * when)).isoformat(timespec="microseconds")
        common = {
            "kind": kind,
            "who": who,
            "item": f"i{i}",
            "label": label,
            "at": at,
            "key": f"k{seq}",
        }
        if kind == "undo":
            yield Event(refers=last[i, who, label], **common)
        elif kind == "flag":
            yield Event(detail={"reason": "text", "note": "", "rule": None}, **common)
        elif kind == "answer":
            last[i, who, label] = seq
            detail: dict[str, Any] = {} if isinstance(value, str) else {EXPECTED: expected(chance)}
            if label is None:
                detail["options"] = list(GROUPS)
            elif isinstance(value, bool) and chance.random() < 0.05:
                detail["drawn"] = [True, 0.8]
            yield Event(
                value=value,
                seconds=round(chance.expovariate(0.25), 2),
                detail=detail or None,
                **common,
            )
        else:
            yield Event(value=value, **common)


def beliefs(items: int) -> Any:
    """What a model believes that is mostly right."""
    chance = np.random.default_rng(0)
    odds = chance.normal(-3.0, 1.0, (items, len(LABELS)))
    place = {label: k for k, label in enumerate(LABELS)}
    for i in range(items):
        for label in truth(i):
            if label is not None:
                odds[i, place[label]] += 5.0
    return (1.0 / (1.0 + np.exp(-odds))).astype(np.float32).astype(np.float64)


def make(url: str, items: int) -> str:
    """Make the campaign; the lead's token."""
    words = random.Random(1)
    log = list(events(items))
    model = Model(version=1, upto=len(log), beliefs=beliefs(items))
    detail = {
        "upto": model.upto,
        "sha256": model.sha256,
        "learner": "logistic",
        "seconds": 60.0,
        "machine": None,
    }
    log.append(Event(kind="model", who="system", value=1, detail=detail))
    settings = {
        "learner": "logistic",
        "overlap": 0.05,
        "gold_share": 0.02,
        "retrain_every": 100_000,
    }
    people = [
        Annotator(name="lead", role=LEAD),
        *(Annotator(name=f"p{n}", role="annotator") for n in range(PEOPLE)),
    ]
    store = Store.create(
        url,
        name="A million answers",
        ontology_text=ONTOLOGY,
        items=[Item(f"i{i}", " ".join(words.choices(WORDS, k=6))) for i in range(items)],
        settings=Settings().changed(settings).model_dump(),
        annotators=people,
        events=log,
        who="lead",
    )
    try:
        store.put_model(model)
        return People(store).invite("lead", LEAD)
    finally:
        store.close()


class Server:
    """A server of its own process, and a lead who looks."""

    def __init__(self, url: str, token: str):
        self._token = token
        began = time.perf_counter()
        serving = str(Path(__file__).with_name("serving.py"))
        self._process = subprocess.Popen(
            [sys.executable, serving, "--serve", url], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self._address = self._process.stdout.readline().strip()
        self.opened = time.perf_counter() - began
        self.spent = cpu_seconds(self._process.pid)

    def look(self, path: str, content: dict[str, Any] | None = None) -> Any:
        """What the API says."""
        head = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        body = None if content is None else json.dumps(content).encode()
        with urlopen(Request(f"{self._address}api/{path}", body, head)) as reply:
            return json.loads(reply.read())

    def timed(self, path: str) -> tuple[float, float]:
        """How long a view takes, on the processor and until it is there."""
        spent, began = cpu_seconds(self._process.pid), time.perf_counter()
        self.look(path)
        return cpu_seconds(self._process.pid) - spent, time.perf_counter() - began

    def settle(self) -> None:
        """Until nothing is worked out any more."""
        while self.look("progress")["figures"]["forecast"]["state"] == "coming" or self._is_busy():
            time.sleep(2.0)

    def _is_busy(self) -> bool:
        spent = cpu_seconds(self._process.pid)
        time.sleep(1.0)
        return cpu_seconds(self._process.pid) - spent > 0.1

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)


def measure(items: int = ITEMS) -> dict[str, Any]:
    """The figures of one campaign."""
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "campaign.sqlite")
        server = Server(url, make(url, items))
        try:
            return _measure(server, items)
        finally:
            server.stop()


def _measure(server: Server, items: int) -> dict[str, Any]:
    spent, began = server.spent, time.perf_counter()
    server.look("people")
    figures = {
        OPENED: round(server.spent, 1),
        f"{OPENED}econds that passed": round(server.opened, 1),
        FIGURES: round(cpu_seconds(server._process.pid) - spent, 1),  # noqa: SLF001
        f"{FIGURES}econds that passed": round(time.perf_counter() - began, 1),
    }
    server.settle()
    for when in ("again", "after one more answer"):
        for name, path in VIEWS.items():
            if when != "again":
                asked = server.look("questions", {"n": 1})["questions"][0]
                value: Any = False if asked["label"] else "skip"
                answer = {"key": str(uuid4()), "item": asked["item"]["id"], "label": asked["label"]}
                server.look("answers", {**answer, "value": value, "lease": asked["lease"]})
            processor, passed = server.timed(path)
            figures[f"{name}, {when}, s"] = round(processor, 2)
            figures[f"{name}, {when}, seconds that passed"] = round(passed, 2)
    targets = {
        name: ("at most", 30 if name == OPENED else 2) for name in figures if name.endswith(", s")
    }
    del targets[FIGURES]
    return figures | {
        "events": server.look("progress")["seq"],
        "items": items,
        "labels": len(LABELS),
        "people": PEOPLE,
        "load average": round(os.getloadavg()[0], 2),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "targets": targets,
    }


def opened_and_looked_at() -> dict[str, Any]:
    """250,000 items x 40 labels, 1,000,000 answers of 20 people: opened, and every view of the lead's page."""
    return measure()


CASES = {"opened and looked at": opened_and_looked_at}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=ITEMS)
    print(json.dumps(measure(parser.parse_args().items), indent=1))


if __name__ == "__main__":
    main()
