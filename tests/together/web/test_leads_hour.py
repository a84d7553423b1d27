"""A lead's hour against a real server: 10,000 texts, 300 answers, a live change, an old model, an audit, an export."""

from __future__ import annotations

import csv
import io
import time
import uuid
from collections import defaultdict
from pathlib import Path

import httpx
import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign

from ...web.kill_loop import Served

ITEMS, GROUPS, INTENTS, ANSWERS = 10_000, 9, 77, 300
PEOPLE, WRONG = ("Ana", "Ben", "Chen"), 0.05
#: Requests that take long say so: they change or write everything.
LONG = ("PUT /api/ontology", "GET /api/export", "POST /api/reports")
MOST_SECONDS, MOST_MEMORY = 2.0, 1e9
#: By how much a table of one row an item may be worth less than one column a label.
WORTH = 0.02
SYLLABLES = (
    "ba",
    "do",
    "fe",
    "gu",
    "ki",
    "la",
    "mo",
    "nu",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "wo",
    "ze",
)


class World:
    """Made-up texts, each with the words of its intent among others; what is true of them; and an old model."""

    def __init__(self, seed: int = 0):
        rng = np.random.default_rng(seed)
        words = ["".join(rng.choice(SYLLABLES, 3)) for _ in range(1500)]
        self.groups = [f"group {g}" for g in range(GROUPS)]
        self.intents = [f"{words[2 * n]} {words[2 * n + 1]}" for n in range(INTENTS)]
        self.group = np.arange(INTENTS) % GROUPS
        self.kind = rng.integers(INTENTS, size=ITEMS)
        self.texts = []
        for kind in self.kind:
            own = [*self.intents[kind].split(), *words[200 + 8 * kind : 208 + 8 * kind]]
            said = [*rng.choice(own, 2), *rng.choice(words[900:], 5)]
            self.texts.append(" ".join(said))
        guess = np.where(rng.random(ITEMS) < 0.7, self.kind, rng.integers(INTENTS, size=ITEMS))
        sure = rng.uniform(0.4, 0.9, size=ITEMS)
        self.wide = np.tile(((1 - sure) / (INTENTS - 1))[:, None], (1, INTENTS))
        self.wide[np.arange(ITEMS), guess] = sure
        self.rng = rng

    def ontology(self, *, moved: bool = False) -> str:
        """As it is at first; or with the first intent in another group, and one more."""
        under: dict[int, list[str]] = defaultdict(list)
        for n, intent in enumerate(self.intents):
            under[1 if moved and n == 0 else int(self.group[n])].append(intent)
        if moved:
            under[2].append("something new")
        lines = [f"exactly one: {', '.join(map(quoted, self.groups))}"]
        lines += [
            f"{quoted(self.groups[g])} > exactly one: {', '.join(map(quoted, found))}"
            for g, found in under.items()
        ]
        return "\n".join(lines)

    def long(self) -> list[dict[str, object]]:
        best = self.wide.argmax(axis=1)
        return [
            {"item": str(n), "label": self.intents[k], "value": float(self.wide[n, k])}
            for n, k in enumerate(best)
        ]

    def right(self, campaign: Campaign) -> float:
        """The share of the items whose intent is the one that is predicted."""
        place = [campaign.state.onto.index[intent] for intent in self.intents]
        predicted = campaign.state.session.predict()
        return float(predicted[np.arange(ITEMS), np.array(place)[self.kind]].mean())


def quoted(label: str) -> str:
    return f'"{label}"'


class Team:
    """Everybody's requests, and how long each kind of them took."""

    def __init__(self, address: str, tokens: dict[str, str]):
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self._clients = {
            who: httpx.Client(
                base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=120
            )
            for who, token in tokens.items()
        }

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def call(self, who: str, method: str, path: str, **what: object) -> httpx.Response:
        """A request, which is never refused."""
        begun = time.perf_counter()
        response = self._clients[who].request(method, path, **what)
        self.seconds[f"{method} {path.partition('?')[0]}"].append(time.perf_counter() - begun)
        assert response.status_code == 200, (
            method,
            path,
            response.status_code,
            response.text[:500],
        )
        return response

    def progress(self) -> dict:
        return self.call("lead", "GET", "/api/progress").json()

    def pick(self, who: str, world: World, *, wrong: float) -> None:
        """Take a question and answer it; some answers are wrong."""
        (question,) = self.call(who, "POST", "/api/questions", json={"n": 1, "options": 9}).json()[
            "questions"
        ]
        assert question["label"] is None
        kind = int(world.kind[int(question["item"]["id"])])
        if world.rng.random() < wrong:
            kind = int(world.rng.integers(INTENTS))
        said = {
            "item": question["item"]["id"],
            "value": [world.intents[kind]],
            "lease": question["lease"],
        }
        self.call(who, "POST", "/api/answers", json={"key": uuid.uuid4().hex, **said})

    def model(self, *, after: int) -> int:
        """Wait until a model later than one of this number is in use and none is being trained."""
        until = time.monotonic() + 120
        while True:
            now = self.progress()
            assert now["training"]["error"] is None
            if now["model"] > after and not now["training"]["training"]:
                return now["model"]
            assert time.monotonic() < until, now["training"]
            time.sleep(0.5)


def peak_memory(pid: int) -> int:
    """The most memory that a process had, in bytes."""
    line = next(
        one
        for one in Path(f"/proc/{pid}/status").read_text().splitlines()
        if one.startswith("VmHWM")
    )
    return int(line.split()[1]) * 1024


def audit(team: Team, world: World) -> str:
    """Audit what is sure, answered from the truth, and accept it if the audit passes; how it went."""
    sure = team.call("lead", "GET", "/api/sure?at_least=0.95").json()
    if not sure["cells"]:
        return "nothing is sure"
    drawn = team.call(
        "lead", "POST", "/api/sure/audits", json={"key": uuid.uuid4().hex, "at_least": 0.95}
    ).json()
    assert drawn["to_answer"]
    for cell in drawn["to_answer"]:
        kind, label = int(world.kind[int(cell["item"])]), cell.get("label")
        holds = {world.intents[kind], world.groups[1 if kind == 0 else int(world.group[kind])]}
        value = [world.intents[kind]] if label is None else label in holds
        said = {"key": uuid.uuid4().hex, "item": cell["item"], "label": label, "value": value}
        team.call("lead", "POST", "/api/answers", json=said)
    found = team.call("lead", "GET", "/api/sure/audits").json()["audit"]
    assert found["state"] in ("passed", "failed")
    if found["state"] == "passed":
        left, key = 1, uuid.uuid4().hex
        while left:
            told = team.call("lead", "POST", "/api/sure/accept", json={"key": key}).json()
            assert told["conflicts"] == []
            left = told["left"]
    return f"{found['state']}, {found['drawn']} drawn, {found['wrong']} wrong"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_leads_hour(tmp_path, capsys):
    world, url = World(), str(tmp_path / "campaign.sqlite")
    items = [{"id": str(n), "text": text} for n, text in enumerate(world.texts)]
    settings = {"encoder": "lexical", "pick": "always", "retrain_every": 100}
    with Campaign.create(
        url, items, co.Ontology.parse(world.ontology()), name="hour", settings=settings
    ) as campaign:
        tokens = {who: campaign.invite(who) for who in PEOPLE} | {
            "lead": campaign.invite("lead", "lead")
        }
    figures: dict[str, object] = {}
    served = Served(url)
    team = Team(served.address, tokens)
    try:
        model = team.model(after=0)
        for n in range(ANSWERS):
            team.pick(PEOPLE[n % len(PEOPLE)], world, wrong=WRONG)
        assert team.progress()["conflicts"] == 0

        changed = team.call(
            "lead", "POST", "/api/ontology/preview", json={"text": world.ontology(moved=True)}
        ).json()
        assert changed["breaks_in_all"] == 0
        model = team.model(after=model)
        change = {"key": uuid.uuid4().hex, "text": world.ontology(moved=True)}
        team.call("lead", "PUT", "/api/ontology", json=change)
        assert team.progress()["conflicts"] == 0
        model = team.model(after=model)

        said = {"key": uuid.uuid4().hex, "witness": "old model", "reports": world.long()}
        team.call("lead", "POST", "/api/reports", json=said)
        model = team.model(after=model)
        (witness,) = team.call("lead", "GET", "/api/witnesses").json()
        low, high = witness["trust"]["right_interval"]
        figures["the old model's vote is right"] = (
            f"{witness['trust']['right']:.0%} ({low:.0%} to {high:.0%})"
        )
        assert (
            low - 0.1 < 0.7 < high + 0.1
        )  # compared with a learner that is wrong about many items itself

        figures["audit"] = audit(team, world)
        rows = list(csv.DictReader(io.StringIO(team.call("lead", "GET", "/api/export").text)))
        assert len(rows) == ITEMS
        assert team.progress()["conflicts"] == 0
        figures["memory of the server, MB"] = round(peak_memory(served.process.pid) / 1e6)
        assert peak_memory(served.process.pid) < MOST_MEMORY
    finally:
        team.close()
        assert served.end() == 0
    figures |= {f"{what}, longest, s": round(max(took), 2) for what, took in team.seconds.items()}
    with Campaign.open(url) as campaign:
        campaign.retrain(wait=True)
        figures["predicted right, a row an item"] = as_long = world.right(campaign)
        campaign.remove_witness("lead", "old model")
        campaign.retrain(wait=True)
        figures["predicted right, without the old model"] = alone = world.right(campaign)
        ids = [str(n) for n in range(ITEMS)]
        cells = (
            (item, label, float(p))
            for item, row in zip(ids, world.wide, strict=True)
            for label, p in zip(world.intents, row, strict=True)
        )
        campaign.report("lead", "old model", cells)
        campaign.retrain(wait=True)
        figures["predicted right, a column a label"] = as_wide = world.right(campaign)
    with capsys.disabled():
        print(*(f"\n{what}: {value}" for what, value in figures.items()), sep="")  # noqa: T201
    assert as_long > alone
    assert abs(as_long - as_wide) <= WORTH
    longest = {what: max(took) for what, took in team.seconds.items() if what not in LONG}
    assert {what: took for what, took in longest.items() if took > MOST_SECONDS} == {}
