"""People at their pages: each keeps an outbox as the page does, and never forgets what is not acknowledged."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE = 20.0  # seconds for one request, as in the page


@dataclass
class Person:
    """One annotator; `address` may change when the service is started anew."""

    name: str
    token: str
    address: str
    outbox: deque[dict[str, Any]] = field(default_factory=deque)
    told: dict[str, dict[str, Any]] = field(default_factory=dict)  # acknowledged, by key
    refused: list[str] = field(default_factory=list)
    resent: int = 0
    last: str = ""  # why the last request did not work out
    working: threading.Event = field(default_factory=threading.Event)
    leaving: threading.Event = field(default_factory=threading.Event)
    resting: threading.Event = field(
        default_factory=threading.Event
    )  # nothing to send, nothing asked

    def run(self) -> None:
        """Answer while there is work; else only empty the outbox."""
        dice = random.Random(self.name)
        client = httpx.Client(headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE)
        while not self.leaving.is_set():
            if self.outbox:
                if not self._send(client):
                    time.sleep(0.05)  # the page waits longer; here time is short
            elif self.working.is_set():
                self._ask(client, dice)
            else:
                self.resting.set()
                self.working.wait(0.1)
        client.close()

    def _ask(self, client: httpx.Client, dice: random.Random) -> None:
        try:
            reply = client.post(self.address + "api/questions", json={"n": 2})
            reply.raise_for_status()
        except httpx.HTTPError as error:
            self.last = f"asking: {error!r}"
            time.sleep(0.05)
            return
        asked = reply.json()["questions"]
        for question in asked:
            body = {
                "item": question["item"]["id"],
                "label": question["label"],
                "value": dice.random() < 0.3,
            }
            self.outbox.append({"key": str(uuid.uuid4()), **body})
        if not asked:
            time.sleep(0.05)

    def _send(self, client: httpx.Client) -> bool:
        """Send the oldest; whether it left the outbox. Only our own refusal drops an answer, as in queue.js."""
        body = self.outbox[0]
        try:
            reply = client.post(self.address + "api/answers", json=body)
        except httpx.HTTPError as error:
            self.last = f"answering: {error!r}"
            self.resent += 1
            return False
        if reply.is_success:
            self.told[body["key"]] = {**body, "seq": reply.json()["seq"], "who": self.name}
            self.outbox.popleft()
            return True
        try:
            code = reply.json()["error"]["code"]
        except (ValueError, KeyError, TypeError):
            code = None
        if code is not None and reply.status_code in (400, 403, 404, 409, 422):
            self.refused.append(f"{reply.status_code} {reply.text}")
            self.outbox.popleft()
            return True
        self.last = f"answering: {reply.status_code} {reply.text}"
        self.resent += 1
        return False
