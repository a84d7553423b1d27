"""A campaign through its HTTP API, as another program would use it: invite someone, label with their token, export.

Needs the service: pip install 'corollary[serve]'. It takes a free port, and writes labels.csv where it runs.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

import corollary as co

TOYS = {  # what to label, and the truth of someone who knows it
    "wooden train with three wagons": {"train", "vehicle"},
    "plush dog": {"dog", "animal", "plush"},
    "racing car with remote control": {"car", "vehicle"},
    "teddy bear with a bow": {"bear", "animal", "plush"},
    "tin car": {"car", "vehicle"},
    "doll with a blue dress": {"doll"},
    "spinning top": set(),
}
RULES = """
vehicle > exclusive: car, train
animal  > exclusive: dog, bear
exclusive: vehicle, animal, doll
rule: plush >> dog | bear
"""


def call(method: str, path: str, token: str, body: dict[str, Any] | None = None) -> bytes:
    """One request to the service; it knows programs by their tokens."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address + path, data, headers, method=method)) as reply:
        return bytes(reply.read())


with TemporaryDirectory() as folder:
    items, rules, place = (f"{folder}/toys.{kind}" for kind in ("csv", "onto", "sqlite"))
    with Path(items).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *enumerate(TOYS, 1)])
    Path(rules).write_text(RULES, encoding="utf-8")
    corollary = [sys.executable, "-m", "corollary"]
    subprocess.run(
        [*corollary, "new", place, "--items", items, "--ontology", rules],
        check=True,
        capture_output=True,
    )

    # The link that a server prints is for the lead in person; a program has a token.
    with co.Campaign.open(place) as campaign:
        lead = campaign.invite("lead", "lead")
    server = subprocess.Popen(
        [*corollary, "serve", place, "--team", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = next(
            found[1] for line in server.stdout if (found := re.search(r"(http://\S+)/", line))
        )
        token = json.loads(call("POST", "/api/people", lead, {"name": "ann", "program": True}))[
            "token"
        ]
        print(f"ann labels at {address}\n")

        counts: dict[str, Any] = {}
        while asked := json.loads(call("POST", "/api/questions", token, {"n": 1}))["questions"]:
            question = asked[0]
            value = question["label"] in TOYS[question["item"]["text"]]
            answer = {"item": question["item"]["id"], "label": question["label"], "value": value}
            # The key makes a repeat harmless, should the network fail before the reply comes.
            sent = {**answer, "lease": question["lease"], "key": question["lease"]}
            told = json.loads(call("POST", "/api/answers", token, sent))
            also = [("" if one["value"] else "not ") + one["label"] for one in told["settled"][1:]]
            print(
                question["text"], "yes" if value else "no", f"  ∴ {', '.join(also)}" if also else ""
            )
            counts = told["counts"]

        print(
            f"\n{counts['asked']} questions settled {counts['settled']} labels; {counts['saved']} were saved.\n"
        )
        Path("labels.csv").write_bytes(call("GET", "/api/export?format=csv-long", lead))
        print(
            "labels.csv begins with",
            *Path("labels.csv").read_text("utf-8").splitlines()[:4],
            sep="\n  ",
        )
    finally:
        server.terminate()
        server.wait()
