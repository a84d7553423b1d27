"""How much may be spent on a language model, and how fast."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Spent(Exception):
    """No more requests are to be sent; says why."""


class Pace:
    """Counts requests and tokens of all threads together, and keeps them within their limits; None is no limit."""

    def __init__(
        self,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self._most_requests = requests
        self._most_tokens = tokens
        self._between = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next = clock()
        self._held = 0  # tokens of requests under way
        self.requests = 0
        self.tokens = 0

    def begin(self, tokens: int) -> None:
        """Wait until the next request of about `tokens` tokens may go.

        Raise Spent if the budget is over.
        """
        with self._lock:
            if self._most_requests is not None and self.requests >= self._most_requests:
                raise Spent(f"the {self._most_requests:,} requests of the budget are used up")
            if (
                self._most_tokens is not None
                and self.tokens + self._held + tokens > self._most_tokens
            ):
                raise Spent(
                    f"another request would go beyond the budget of {self._most_tokens:,} tokens: "
                    f"{self.tokens + self._held:,} are used, and it takes about {tokens:,}"
                )
            self.requests += 1
            self._held += tokens
            now = self._clock()
            at = max(now, self._next)
            self._next = at + self._between
        if at > now:
            self._sleep(at - now)

    def end(self, expected: int, used: int) -> None:
        """Note that a request is over, and used `used` tokens."""
        with self._lock:
            self._held -= expected
            self.tokens += used
