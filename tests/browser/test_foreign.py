"""A page of another origin, in a real browser, that wants to write labels through Label Studio's door."""

from __future__ import annotations

import base64
import json
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from corollary.campaign.campaign import Campaign
from corollary.logic.ontology import Ontology

ANNOTATION = {"id": 1, "task": 1, "completed_by": {"id": 7}, "result": [
    {"from_name": "labels", "to_name": "text", "type": "taxonomy", "value": {"taxonomy": [["bird"]]}}
]}  # fmt: skip
SENT = {
    "action": "ANNOTATION_CREATED",
    "annotation": ANNOTATION,
    "task": {"id": 1, "data": {"id": "robin", "text": "the robin"}},
    "project": {"id": 5},
}
KINDS = ("text/plain", "text/plain; x=application/json", "text/plain;application/json")


class Elsewhere(BaseHTTPRequestHandler):
    """An empty page of another origin."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere():
    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("options", [(), ("--no-password",)])
def test_a_foreign_page_writes_no_label(browser, tmp_path, elsewhere, options):
    place = tmp_path / "zoo.sqlite"
    Campaign.create(
        place, [{"id": "robin", "text": "the robin"}], Ontology.parse("animal > bird"), name="zoo"
    ).close()
    command = [
        sys.executable,
        "-u",
        "-m",
        "corollary.cli",
        "serve",
        str(place),
        "--port",
        "0",
        "--label-studio",
    ]
    server = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        found = next(
            one
            for line in server.stdout
            if (one := re.search(r"http://(?:(.*)@)?(\S+/label-studio)$", line))
        )
        secret, door = found[1], f"http://{found[2]}"
        page = browser.new_page()
        page.goto(elsewhere)
        for kind in KINDS:
            for mode in ("no-cors", "cors"):
                page.evaluate(
                    """async ([url, body, kind, mode]) => {
                        const sent = { method: "POST", mode, body, headers: { "Content-Type": kind }, credentials: "include" };
                        await fetch(url, sent).catch(() => {});
                    }""",  # noqa: E501
                    [f"{door}/webhook", json.dumps(SENT), kind, mode],
                )
        page.close()
        assert events(server, place, stop=False) == 0
        # Label Studio itself sends the same, and it is taken.
        headers = {"Content-Type": "application/json"}
        if secret:
            headers["Authorization"] = f"Basic {base64.b64encode(secret.encode()).decode()}"
        request = urllib.request.Request(
            f"{door}/webhook", json.dumps(SENT).encode(), headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=20) as told:
            assert told.status == 201
    finally:
        taken = events(server, place, stop=True)
    assert taken == 1


def events(server, place, *, stop):
    """How many answers the log has."""
    if stop:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
    with Campaign.open(place, readonly=True) as campaign:
        return campaign.state.answered.total()
