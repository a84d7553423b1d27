"""What every harness uses: how many examples, how long one may take, and broken forms of good documents."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

#: How many times as many examples as in `make test`; `make fuzz` sets it.
FACTOR = int(os.environ.get("FUZZ_FACTOR", "1"))
#: Longer than this for one small input is a hang: seconds of the processor's time, for on a busy machine inputs wait.
HANG_SECONDS = 10
#: So many times as long may pass by the clock, for whatever waits and does nothing.
BY_THE_CLOCK = 30


class Hang(Exception):
    """An input that keeps a reader busy for too long."""


def examples(n: int) -> settings:
    """So many examples in `make test`, the same each time; a multiple of it in `make fuzz`, by its seed.

    There is no deadline but that of `within`.
    """
    checks = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
    return settings(
        max_examples=n * FACTOR,
        deadline=None,
        suppress_health_check=checks,
        derandomize=FACTOR == 1,
    )


@contextmanager
def within(seconds: int = HANG_SECONDS) -> Iterator[None]:
    """Raise Hang if what is inside is busy for longer, or waits for very long; in the main thread."""

    def ring(*_: object) -> None:
        raise Hang(f"still busy after {seconds} s")

    busy, waiting = signal.signal(signal.SIGPROF, ring), signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, BY_THE_CLOCK * seconds)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
        signal.signal(signal.SIGPROF, busy)
        signal.signal(signal.SIGALRM, waiting)


@st.composite
def broken(draw: st.DrawFn, documents: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """A good document with wounds: parts cut, doubled, moved, overwritten, or tokens of its format put in."""
    text = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        match draw(st.sampled_from(("cut", "double", "move", "bytes", "token", "end"))):
            case "cut":
                text = text[:start] + text[end:]
            case "double":
                text = text[:end] + text[start:end] * draw(st.integers(1, 30)) + text[end:]
            case "move":
                rest = text[:start] + text[end:]
                there = draw(st.integers(0, len(rest)))
                text = rest[:there] + text[start:end] + rest[there:]
            case "bytes":
                text = text[:start] + draw(st.binary(max_size=8)) + text[end:]
            case "token" if tokens:
                text = text[:start] + draw(st.sampled_from(tokens)) + text[end:]
            case _:
                text = text[:start]
    return text
