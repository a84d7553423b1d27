"""A real browser, a real server in a process of its own, and a campaign on the things of the demo."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import urllib.request
from copy import copy
from pathlib import Path
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.experiment.data.things import load

from ..forked import start

PROCESS = Path(__file__).parents[1] / "web" / "process.py"
FLAGS = (
    "--no-sandbox",  # containers run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = """these tests need a Chromium: install one (Debian: apt install chromium), put it on the PATH,
or set COROLLARY_CHROMIUM to its path"""
STORED = """() => !Object.keys(localStorage).some(key => key.includes("|act|"))
    && document.querySelector(".stored").textContent === 'All stored'"""
THINGS = load()
#: What is true of each thing.
TRUTH = {
    name: {label for label, value in zip(THINGS.onto.labels, row, strict=True) if value}
    for name, row in zip(THINGS.names, THINGS.Y, strict=True)
}


class Team:
    """A served campaign: start it, kill it, call its API as someone."""

    def __init__(self, path, tokens, mode="team"):
        self._path, self._mode = path, mode
        self.tokens = tokens
        self._process = None
        self.port = 0
        self.link = ""  # as the server prints it: in single user mode it works once

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        """Serve the campaign, at the port of the last time."""
        self._process = start(
            [PROCESS, self._path, self.port, self._mode],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "COROLLARY_THREADS": "1"},
        )
        line = self._process.stdout.readline()
        assert line.startswith("ready "), "the server did not start"
        self.link = line.removeprefix("ready ").strip()
        self.port = urlsplit(self.link).port

    def kill(self):
        """End the server without a warning."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def call(self, who, method, path, body=None):
        """Call the API as someone."""
        request = urllib.request.Request(
            f"{self.address}api/{quote(path, safe='/?=&')}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.tokens[who]}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.loads(response.read())

    def answer(self, who, item, label, value, seconds=None):
        """Answer without the page."""
        body = {
            "key": str(uuid4()),
            "item": item,
            "label": label,
            "value": value,
            "seconds": seconds,
        }
        return self.call(who, "POST", "answers", body)

    def said(self, who):
        """What someone said and still stands by, the first first: item, label, value."""
        events = self.call(who, "GET", "history?limit=500")["events"]
        return [
            (e["item"], e["label"], e["value"])
            for e in reversed(events)
            if e["stands"] and e["kind"] == "answer"
        ]


class Person:
    """Someone in front of the page. What the browser complains about is noted in `complaints`."""

    def __init__(self, browser, team, who, **how):
        self.team, self.who = team, who
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **how})
        self.complaints = []
        signed_in = self.context.request.post(
            f"{team.address}api/login",
            data={"token": team.tokens[who]},
            headers={"X-Corollary": "1", "Origin": team.address.rstrip("/")},
        )
        assert signed_in.ok, signed_in.text()
        self._open(team.address)

    def _open(self, address):
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console", lambda said: "Refused" in said.text and self.complaints.append(said.text)
        )
        self.page.goto(address)

    def another_tab(self):
        """The same person in a further tab of the same browser."""
        other = copy(self)
        other._open(self.team.address)
        return other

    def asked(self):
        """The item and the label on the screen; the label of a whole item is None."""
        self.page.wait_for_selector("h1.question")
        text = self.page.inner_text("h1.question")
        if self.page.locator("h1.headline").count():  # a pick: its headline is the item's text
            return text, None
        label = self.page.query_selector("h1.question em")
        return text[text.index("“") + 1 : text.index("”")], label and label.inner_text()

    def press(self, key):
        """Press a key, and see what comes after it."""
        self.page.keyboard.press(key)

    def answer(self, value=None):
        """Answer what is asked by a key, truly unless told otherwise; what was asked and said."""
        item, label = self.asked()
        value = label in TRUTH[item] if value is None else value
        before = self.page.query_selector("h1.question")
        self.press("y" if value else "n")
        self.page.wait_for_function("old => !old.isConnected", arg=before)
        return item, label, value

    def stored(self):
        """Wait until nothing is left on this device and the page says so."""
        self.page.wait_for_function(STORED, timeout=40_000)

    def ledger(self):
        """What the page says of the last answer."""
        return self.page.inner_text(".said")


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="pip install playwright axe-playwright-python"
    )
    chromium = os.environ.get("COROLLARY_CHROMIUM") or shutil.which("chromium")
    if chromium is None or not Path(chromium).exists():
        pytest.fail(MISSING)
    with playwright.sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def make_team(tmp_path_factory):
    """Serve a campaign on some things, or on items and an ontology; settings by name."""
    teams = []

    def make(number=60, *, mode="team", items=None, onto=None, **settings):
        path = tmp_path_factory.mktemp("campaign") / "things.sqlite"
        if onto is not None:
            return serve(path, items, onto, mode, settings)
        about = {
            label: {"definition": THINGS.definitions[label], "question": THINGS.questions[label]}
            for label in THINGS.onto.labels
        }
        step = len(THINGS.names) // number
        items = [
            Item(name, text=name, fields={"description": description})
            for name, description in zip(
                THINGS.names[::step], THINGS.descriptions[::step], strict=True
            )
        ]
        return serve(path, items, THINGS.onto, mode, {"labels": about, **settings})

    def serve(path, items, onto, mode, settings):
        with Campaign.create(
            path, items, onto, name="Things", settings=settings, lead="Mara"
        ) as campaign:
            tokens = {who: campaign.invite(who, role) for who, role in PEOPLE.items()}
        team = Team(path, tokens, mode)
        team.start()
        teams.append(team)
        return team

    yield make
    for team in teams:
        team.kill()


PEOPLE = {
    "Mara": "lead",
    "Ana": "annotator",
    "Ben": "annotator",
    "Chen": "annotator",
    "Dora": "annotator",
}


@pytest.fixture(scope="session")
def team(make_team):
    """A campaign that many tests share; each is about what it does there itself. Its model is a quick one."""
    return make_team(240, learner="logistic")


@pytest.fixture
def sit(browser):
    """Put someone in front of the page; in the end the browser must not have complained."""
    people = []

    def open_page(team, who="Ana", **how):
        person = Person(browser, team, who, **how)
        people.append(person)
        return person

    yield open_page
    for person in people:
        person.context.close()
    assert [complaint for person in people for complaint in person.complaints] == []
