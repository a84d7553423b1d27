"""A campaign behind a live Label Studio: make test-label-studio. Where the server cannot run it fails and says why."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.tools.label_studio.config import questions_config, taxonomy_config
from corollary.campaign.files.tools.label_studio.item_tasks import ways_by_label
from corollary.campaign.files.tools.label_studio.tasks import said_in
from corollary.campaign.items import Item

ONTO = """\
animal > exclusive: bird, fish, mammal
plant > exclusive: tree, flower
exactly one: animal, plant
"""
WORDS = {
    "bird": "feathers wings sings",
    "fish": "swims gills water",
    "tree": "trunk branches leaves",
    "flower": "petals",
}
TOKEN = "0123456789abcdef0123456789abcdef01234567"
SECONDS = 120
START_SECONDS = 900  # it makes its database first, which takes minutes on a busy machine


def items():
    return [
        Item(f"{label}-{n}", text=f"{words} number {n}")
        for label, words in WORDS.items()
        for n in range(8)
    ]


class Api:
    """Label Studio's API."""

    def __init__(self, address):
        self.address = address

    def __call__(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from None
        return json.loads(text) if text else None


def until(what, ready, *, seconds=SECONDS):
    """Wait for something; fail by its name."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if (found := ready()) is not None:
            return found
        time.sleep(0.3)
    raise AssertionError(f"after {seconds} s still waiting: {what}")


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "zoo.sqlite"
    with Campaign.create(
        path, items(), co.Ontology.parse(ONTO), name="zoo", settings={"learner": "logistic"}
    ) as campaign:
        known = [(f"{label}-{n}", label, True) for label in WORDS for n in range(3)]
        campaign.add("lead", (), known)
        campaign.retrain(wait=True)
    return path


@pytest.fixture
def backend(place):
    """Our server, and its address for Label Studio, with a password in it: webhooks have no other place for one."""
    environment = {**os.environ, "COROLLARY_BASIC_AUTH": "studio:secret"}
    command = [
        sys.executable,
        "-u",
        "-m",
        "corollary.cli",
        "serve",
        str(place),
        "--label-studio",
        "--port",
        "0",
    ]
    told = ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        try:
            for line in process.stdout:
                told += line
                if found := re.search(r"http://(\S+/label-studio)\b", line):
                    yield f"http://studio:secret@{found[1]}"
                    return
            raise AssertionError(f"corollary serve did not start: {told}")
        finally:
            process.terminate()


@pytest.fixture
def studio(tmp_path):
    """A Label Studio server of its own, on a free port."""
    program = os.environ.get("LABEL_STUDIO")
    assert program, "set LABEL_STUDIO to the program label-studio; make test-label-studio does"
    assert Path(program).exists(), f"there is no {program}: is Label Studio installed?"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "LABEL_STUDIO_BASE_DATA_DIR": str(tmp_path / "studio"),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "ML_BLOCK_LOCAL_IP": "false",  # it refuses to call its own machine unless told otherwise
        "SSRF_PROTECTION_ENABLED": "false",
        "COLLECT_ANALYTICS": "false",
    }
    user = [
        "--username",
        "ann@example.org",
        "--password",
        "a long enough one",
        "--user-token",
        TOKEN,
    ]
    log = tmp_path / "studio.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [program, "start", "--no-browser", "--port", str(port), *user],
            stdout=out,
            stderr=out,
            env=environment,
        )
    try:
        api = Api(f"http://127.0.0.1:{port}")

        def answers():
            assert process.poll() is None, f"Label Studio ended: {log.read_text()[-2000:]}"
            try:
                urllib.request.urlopen(f"{api.address}/health", timeout=5)
            except OSError:
                return None
            return True

        until("Label Studio to answer", answers, seconds=START_SECONDS)
        yield api
    finally:
        process.terminate()
        process.wait(30)


def answers_of(place, item):
    """What people of Label Studio said of an item."""
    with Campaign.open(place, readonly=True) as campaign:
        opinions = campaign.state.standing_of(item).said.opinions
        return {
            label: one.value
            for label, by in opinions.items()
            for who, one in by.items()
            if who.startswith("label-studio-")
        }


def picked(label, onto):
    value = {"taxonomy": ways_by_label(onto)[label]}
    return [{"from_name": "labels", "to_name": "text", "type": "taxonomy", "value": value}]


def test_predictions_show_and_annotations_arrive(place, backend, studio):
    onto = co.Ontology.parse(ONTO)
    project = studio(
        "POST", "/api/projects", {"title": "zoo", "label_config": taxonomy_config(onto)}
    )["id"]
    tasks = [{"data": {"item": item.id, "text": item.text}} for item in items()]
    tasks.append({"data": {"item": "new-1", "text": "gills and fins, in water"}})
    studio("POST", f"/api/projects/{project}/import?return_task_ids=true", tasks)
    by_item = {
        one["data"]["item"]: one
        for one in studio("GET", f"/api/tasks?project={project}&page_size=100")["tasks"]
    }
    assert len(by_item) == len(tasks)

    connected = studio(
        "POST",
        "/api/ml",
        {
            "url": backend,
            "project": project,
            "title": "corollary",
            "auth_method": "BASIC_AUTH",
            "basic_auth_user": "studio",
            "basic_auth_pass": "secret",
        },
    )
    assert connected["state"] == "CO", connected
    hooks = studio("GET", f"/api/webhooks?project={project}")
    assert [one["url"] for one in hooks] == [f"{backend}/webhook"], (
        "Label Studio makes the webhook by itself"
    )

    everything = {"selectedItems": {"all": True, "excluded": []}}
    studio("POST", f"/api/dm/actions?id=retrieve_tasks_predictions&project={project}", everything)
    found = studio("GET", f"/api/predictions?project={project}")
    assert len(found) == len(tasks)
    for one in found:
        assert 0 <= one["score"] <= 1
        onto.propagate(said_in({"result": one["result"]}, None).labels)
    known = next(one for one in found if one["task"] == by_item["bird-0"]["id"])
    assert said_in(known, None).labels == {"animal": True, "bird": True}
    assert any(one["score"] < known["score"] for one in found), "what is settled comes last"

    task = by_item["bird-5"]["id"]
    made = studio(
        "POST",
        f"/api/tasks/{task}/annotations/",
        {"result": picked("bird", onto), "lead_time": 2.5},
    )
    said = until("the annotation to arrive", lambda: answers_of(place, "bird-5") or None)
    assert said == {"animal": True, "bird": True}

    studio("PATCH", f"/api/annotations/{made['id']}/", {"result": picked("fish", onto)})
    until("the change to arrive", lambda: True if answers_of(place, "bird-5").get("fish") else None)
    assert answers_of(place, "bird-5") == {"animal": True, "fish": True}

    studio("DELETE", f"/api/annotations/{made['id']}/")
    until("the deletion to arrive", lambda: True if not answers_of(place, "bird-5") else None)

    new = by_item["new-1"]["id"]
    studio("POST", f"/api/tasks/{new}/annotations/", {"result": picked("fish", onto)})
    assert until(
        "what is said of an item that was only there", lambda: answers_of(place, "new-1") or None
    )
    ask_one_by_one(place, backend, studio)
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.verify() == []


def ask_one_by_one(place, backend, studio):
    """Another project, with a task for each question, made by an export."""
    path = place.with_name("questions.json")
    with Campaign.open(place, readonly=True) as campaign:
        export(campaign, path, format="label-studio-questions")
    tasks = json.loads(path.read_text())
    project = studio(
        "POST", "/api/projects", {"title": "one by one", "label_config": questions_config()}
    )["id"]
    studio("POST", f"/api/projects/{project}/import", tasks)
    studio("POST", "/api/ml", {"url": backend, "project": project, "auth_method": "NONE"})
    first = studio("GET", f"/api/tasks?project={project}&page_size=1")["tasks"][0]
    answer = {
        "from_name": "answer",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": ["No"]},
    }
    studio("POST", f"/api/tasks/{first['id']}/annotations/", {"result": [answer]})
    item, label = first["data"]["item"], first["data"]["label"]
    until(
        "the answer to arrive",
        lambda: True if answers_of(place, item).get(label) is False else None,
    )
