"""A limit on how long one piece of work may take, where the system has one: an alarm, for the main thread only."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TookTooLong(Exception):
    """The time was over before the piece of work was done."""


class Clock:
    """Knows whether a piece of work is on, and whether it was on already when the alarm rang before."""

    def __init__(self) -> None:
        self._on = self._rang = False

    def begin(self) -> None:
        """A piece of work begins."""
        self._rang = False
        self._on = True

    def end(self) -> None:
        """It is done, or what comes has no limit."""
        self._on = False

    def ring(self, _number: int, _frame: FrameType | None) -> None:
        """The alarm: it stops a piece of work that it finds a second time."""
        if self._on and self._rang:
            self._on = False
            raise TookTooLong
        self._rang = True


@contextmanager
def time_limit(seconds: float) -> Iterator[Clock]:
    """Raise TookTooLong inside of a piece of work that takes longer than this; at the latest after twice the time.

    A piece of work costs next to nothing: one alarm rings for all of them. There is no limit in threads other than the
    main one, nor on Windows.
    """
    clock = Clock()
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield clock
        return
    before = signal.signal(signal.SIGALRM, clock.ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield clock
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
