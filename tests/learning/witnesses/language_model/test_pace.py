from __future__ import annotations

import pytest

from corollary.learning.witnesses.language_model.pace import Pace, Spent


class Clock:
    def __init__(self):
        self.now, self.slept = 100.0, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_requests_are_counted():
    pace = Pace(requests=2)
    for _ in range(2):
        pace.begin(10)
        pace.end(10, 7)
    with pytest.raises(Spent, match="the 2 requests of the budget are used up"):
        pace.begin(10)
    assert (pace.requests, pace.tokens) == (2, 14)


def test_tokens_are_held_while_a_request_is_under_way():
    pace = Pace(tokens=100)
    pace.begin(60)
    with pytest.raises(
        Spent, match="beyond the budget of 100 tokens: 60 are used, and it takes about 60"
    ):
        pace.begin(60)
    pace.end(60, 30)
    pace.begin(60)
    pace.end(60, 80)
    assert (pace.requests, pace.tokens) == (2, 110)


def test_no_more_requests_a_minute_than_allowed():
    clock = Clock()
    pace = Pace(per_minute=30, clock=lambda: clock.now, sleep=clock.sleep)
    for _ in range(3):
        pace.begin(1)
    assert clock.slept == [2.0, 2.0]
    clock.now += 60
    pace.begin(1)
    assert len(clock.slept) == 2
