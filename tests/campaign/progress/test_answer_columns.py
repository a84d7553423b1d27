"""What people did, counted from columns: the same as from their events, and as the log grows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.progress.answer_columns import NOTHING_DONE, AnswerColumns
from corollary.campaign.reading.views import figures_of

from .test_plain_log import logs

times = st.lists(st.none() | st.floats(0, 10), min_size=20, max_size=20)


@settings(deadline=None)
@given(logs(max_size=20), times, st.integers(0, 20), st.sampled_from([(), ("i",)]))
def test_columns_count_what_events_tell(events, seconds, then, withdrawn):
    events = [
        replace(e, seconds=s, at=f"2026-01-0{e.seq % 3 + 1}")
        for e, s in zip(events, seconds, strict=False)
    ]
    columns = AnswerColumns()
    columns.follow(events[:then], withdrawn)
    columns.follow(events, withdrawn)
    undone = {event.refers for event in events if event.kind == "undo"}
    answers = [
        e for e in events if e.kind == "answer" and e.seq not in undone and e.item not in withdrawn
    ]
    asked = [event for event in answers if event.value != "skip"]
    assert columns.asked(columns.standing) == (
        len(asked),
        sum(event.value == "cant_tell" for event in asked),
        dict(Counter(event.at for event in asked)),
    )
    gains = (
        np.array([event.seq for event in events], np.int64),
        np.array([2 * event.seq for event in events], np.int64),
    )
    found = columns.of_people(columns.standing, gains)
    for who in {event.who for event in events}:
        own = [event for event in events if event.who == who and event.item not in withdrawn]
        one = found.get(who, NOTHING_DONE)
        expected = figures_of(own, undone)
        assert {name: one[name] for name in expected} == expected
        told = [e for e in answers if e.who == who and not isinstance(e.value, str)]
        assert one["settled"] == sum(2 * event.seq for event in told)
        fast = [event.seconds < 1 for event in told if event.seconds is not None]
        assert one["fast"] == (sum(fast) / len(fast) if fast else 0.0)
