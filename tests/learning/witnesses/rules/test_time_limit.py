from __future__ import annotations

import re
import signal
import threading

import pytest

from corollary.learning.witnesses.rules.time_limit import Clock, TookTooLong, time_limit

SLOW = re.compile(r"(a+)+$")


def test_work_that_would_take_for_ever_is_stopped_and_the_alarm_is_put_back():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        with time_limit(0.05) as clock:
            clock.begin()
            with pytest.raises(TookTooLong):
                SLOW.search("a" * 60 + "b")
            clock.begin()
            assert SLOW.search("aaa")
            clock.end()
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_only_what_was_on_at_the_last_alarm_is_stopped():
    clock = Clock()
    clock.ring(0, None)
    clock.ring(0, None)  # nothing is on
    clock.begin()
    clock.ring(0, None)
    clock.begin()  # another piece of work
    clock.ring(0, None)
    with pytest.raises(TookTooLong):
        clock.ring(0, None)
    clock.ring(0, None)


def test_other_threads_have_no_limit_and_no_trouble():
    done = []

    def work() -> None:
        with time_limit(1e-6) as clock:
            clock.begin()
            done.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [4999950000]
