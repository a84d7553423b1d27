"""Rate limits: requests per time, and bytes per request."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Lock
from typing import NamedTuple

from starlette.types import Message, Receive

from ..errors import Refusal

MEGABYTE = 1 << 20
#: The most bytes of a request without a file.
BODY_LIMIT = MEGABYTE
#: The most bytes of an uploaded file, unless the server's owner sets another limit.
UPLOAD_LIMIT = 64 * MEGABYTE
CALLERS = 10_000  # the most buckets; the least recently used are dropped


class Rate(NamedTuple):
    """The number of requests allowed at once, and after that per second."""

    burst: float
    per_second: float


RATES = {
    "sign-in": Rate(
        10, 10 / 60
    ),  # by network, and only what fails: guessing is slow, a class of thirty is not
    "password": Rate(
        30, 30 / 60
    ),  # by account, and only what fails: guesses from many networks are slow, too
    "answer": Rate(500, 50),  # by person: nobody is so fast, a program may be
    "remark": Rate(100, 1),  # flags and doubts, which may be long texts
    "other": Rate(500, 50),
}


class Turns:
    """A limit on work done at once, in all and for each person; more is refused."""

    def __init__(self, what: str, *, each: int, all: int, wait: int):
        self._what = what
        self._each = each
        self._all = all
        self._wait = wait
        self._lock = Lock()
        self._taken: Counter[str] = Counter()

    def take(self, who: str) -> Callable[[], None]:
        """Take a turn for a person; return a function that gives it back."""
        with self._lock:
            if self._taken[who] >= self._each or self._taken.total() >= self._all:
                mine = self._taken[who] >= self._each
                raise Refusal(
                    429,
                    f"{'You have' if mine else 'There are'} too many {self._what} at once.",
                    hint=f"Try again in {self._wait} s.",
                    headers={"Retry-After": str(self._wait)},
                )
            self._taken[who] += 1
        left = [who]

        def give_back() -> None:
            with self._lock:
                if left:
                    self._taken -= Counter(left)
                    left.clear()

        return give_back

    def __len__(self) -> int:
        return self._taken.total()


class Buckets:
    """Token buckets in memory, one for each caller and kind of request."""

    def __init__(
        self, rates: dict[str, Rate] | None = None, *, clock: Callable[[], float] = time.monotonic
    ):
        self._rates = {**RATES, **(rates or {})}
        self._clock = clock
        self._filled: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def take(self, kind: str, caller: str) -> None:
        """Count a request; if there are too many, refuse it with the time to wait."""
        rate = self._rates[kind]
        now = self._clock()
        left, then = self._filled.pop((kind, caller), (rate.burst, now))
        left = min(rate.burst, left + (now - then) * rate.per_second)
        allowed = left >= 1
        self._filled[kind, caller] = (left - allowed, now)
        while len(self._filled) > CALLERS:
            self._filled.popitem(last=False)
        if not allowed:
            wait = max(1, round((1 - left) / rate.per_second + 0.5))
            raise Refusal(
                429,
                "That was too much in a short time.",
                hint=f"Try again in {wait} s.",
                headers={"Retry-After": str(wait)},
            )

    def give_back(self, kind: str, caller: str) -> None:
        """Remove a request from the count."""
        if (kind, caller) in self._filled:
            left, then = self._filled[kind, caller]
            self._filled[kind, caller] = (min(self._rates[kind].burst, left + 1), then)


def network_of(address: str) -> str:
    """Return the network by which a caller is counted: an IPv4 address, or an IPv6 /64."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))
    return address


def check_length(declared: str | None, limit: int) -> None:
    """Refuse a body by its declared length, before it is read."""
    if declared is None:
        return
    if not declared.isdecimal():
        raise Refusal(400, "The header Content-Length is not a number.")
    if int(declared) > limit:
        raise too_large(limit)


def limited(receive: Receive, limit: int) -> Receive:
    """Count received bytes, and stop reading if there are too many."""
    arrived = 0

    async def counting() -> Message:
        nonlocal arrived
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > limit:
            raise too_large(limit)
        return message

    return counting


def too_large(limit: int) -> Refusal:
    """Return the refusal of a body that is too long."""
    size = f"{limit / MEGABYTE:,.0f} MB" if limit >= MEGABYTE else f"{limit:,} bytes"
    return Refusal(
        413,
        f"The request is larger than {size}. Nothing was stored.",
        headers={"Connection": "close"},
    )
