"""Webhooks at work.

A thread for each follows the log on disk, and goes on after the last event sent.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from hashlib import sha256
from threading import Event as Signal
from threading import Thread
from typing import Any

from ...campaign.campaign import Campaign
from ...logic.errors import CorollaryError
from .messages import EVENTS, messages_of
from .sending import NotTaken, Target, make_target, send

LOG = logging.getLogger("corollary.web")
#: Seconds between two looks at the log.
LOOK_SECONDS = 0.5
#: A failed message is sent again after a second, then after twice as long each time, up to an hour.
FIRST_WAIT = 1.0
LONGEST_WAIT = 3600.0
#: Seconds without sending after an error of this program.
PAUSE_SECONDS = 60.0
#: Seconds between two notes of the last event sent; after a crash, later ones are sent again.
KEEP_SECONDS = 1.0
#: Seconds for a message to end when the server stops; it is sent again at the next start.
STOP_SECONDS = 2.0


class Hook:
    """One receiver.

    It gets the events of the log in order, the next after it has accepted the last.

    A new hook begins with the next event. Events that it misses while it is away are sent later.
    """

    def __init__(self, campaign: Campaign, target: Target, wanted: Collection[str]):
        self._campaign = campaign
        self._target = target
        self._wanted = frozenset(wanted)
        self._name = sha256(target.url.geturl().encode()).hexdigest()
        self._stop = Signal()
        self._thread = Thread(target=self._follow, name="corollary-webhook", daemon=True)
        self._kept_at = 0.0
        kept = campaign.hook_place(self._name)
        self._place = self._kept = campaign.stored() if kept is None else kept
        if kept is None:
            campaign.keep_hook_place(self._name, self._place)
        self._part = 0  # messages of the next event that were taken
        self.failures = 0  # in a row
        self.error: str | None = None

    def start(self) -> None:
        """Start sending."""
        self._thread.start()

    def stop(self) -> None:
        """Stop sending, and note the last event sent."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)
        self._keep()

    @property
    def status(self) -> dict[str, Any]:
        """The state, for a lead."""
        return {
            "url": self._target.shown,
            "events": [name for name in EVENTS if name in self._wanted],
            "told": self._place,
            "failures": self.failures,
            "error": self.error,
        }

    def _follow(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            try:
                self._tell_all()
                self._keep_sometimes()
            except (
                CorollaryError
            ) as error:  # the database is away: the server reports it, and it comes back
                LOG.warning("webhook %s waits: %s", self._target.shown, error)
            except Exception as error:  # an error of ours: it is reported, and the thread lives on
                LOG.exception("webhook %s waits after an error", self._target.shown)
                self.failures += 1
                self.error = f"an error of this program, see its log: {type(error).__name__}"
                self._stop.wait(PAUSE_SECONDS)

    def _tell_all(self) -> None:
        for event in self._campaign.stored_events(self._place):
            for n, message in enumerate(messages_of(self._campaign, event, self._wanted)):
                if n < self._part:
                    continue
                while not self._taken(message):
                    if self._stop.wait(min(FIRST_WAIT * 2.0 ** (self.failures - 1), LONGEST_WAIT)):
                        return
                self._part = n + 1
                if self._stop.is_set():
                    return
            self._place = event.seq
            self._part = 0
            self._keep_sometimes()

    def _taken(self, message: Any) -> bool:
        try:
            send(self._target, message)
        except NotTaken as why:
            self.failures += 1
            self.error = str(why)
            LOG.warning(
                "webhook %s, %s, try %d: %s", self._target.shown, message.id, self.failures, why
            )
            self._keep()
            return False
        if self.failures:
            LOG.info("webhook %s takes messages again", self._target.shown)
        self.failures = 0
        self.error = None
        return True

    def _keep_sometimes(self) -> None:
        if time.monotonic() - self._kept_at >= KEEP_SECONDS:
            self._keep()

    def _keep(self) -> None:
        if self._place == self._kept:
            return
        try:
            self._campaign.keep_hook_place(self._name, self._place)
        except CorollaryError as error:
            LOG.warning(
                "how far webhook %s is could not be written down: %s", self._target.shown, error
            )
            return
        self._kept = self._place
        self._kept_at = time.monotonic()


class Webhooks:
    """All receivers of a campaign; started and stopped with the server."""

    def __init__(
        self,
        campaign: Campaign,
        urls: Sequence[str],
        secret: str,
        *,
        events: Collection[str] = (),
        private: bool = False,
    ):
        if unknown := sorted(set(events) - set(EVENTS)):
            raise CorollaryError(
                f"webhook events: unknown {unknown[0]!r}; known are {', '.join(EVENTS)}"
            )
        targets = [make_target(url, secret, private=private) for url in dict.fromkeys(urls)]
        self._hooks = [Hook(campaign, target, events or EVENTS) for target in targets]

    def start(self) -> None:
        """Start sending."""
        for hook in self._hooks:
            hook.start()

    def stop(self) -> None:
        """Stop sending."""
        for hook in self._hooks:
            hook.stop()

    @property
    def status(self) -> list[dict[str, Any]]:
        """The state of each webhook, for a lead."""
        return [hook.status for hook in self._hooks]

    @property
    def failing(self) -> int:
        """The number of receivers that did not take the last message."""
        return sum(hook.failures > 0 for hook in self._hooks)
