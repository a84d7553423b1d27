"""Where people spoke of the same items: summed up at once, and as more is said, the same as item by item."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.progress.growth import Growth
from corollary.campaign.progress.overlap import Overlap

from .test_plain_log import ONTO, STATEMENTS, logs


def overlap_of(events, *, then=None):
    growth, overlap = Growth(ONTO, STATEMENTS), Overlap(ONTO, STATEMENTS)
    for part in (events[:then], events[then:] if then is not None else []):
        touched = growth.extend(part)
        overlap.refresh(growth.of_item, touched, growth.second, growth.log)
        growth.log = None
    return overlap


def told(overlap, events):
    """All that is told; what a lead decided is in the log, and such an item is not plain."""
    decided = {
        (event.item, event.label): event.value for event in events if event.kind == "decision"
    }
    judged = sorted(zip(*(one.tolist() for one in overlap.judged()), strict=True))
    return (
        [one.tolist() for one in overlap.differences()],
        judged,
        {who: one for who, one in overlap.of_people().items() if one["overlap_implied"]},
        overlap.reliabilities(decided),
    )


@settings(max_examples=150, deadline=None)
@given(logs(max_size=20), st.integers(0, 20))
def test_sums_are_those_of_each_item(events, then):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.campaign.progress.overlap.ENOUGH", 1)
        expected = told(overlap_of(events), events)
        patch.setattr("corollary.campaign.progress.growth.MANY", 1)
        assert told(overlap_of(events), events) == expected
        patch.setattr("corollary.campaign.progress.plain_log.CELLS", 1)
        assert told(overlap_of(events, then=then), events) == expected


def test_plain_items_are_not_kept_one_by_one(monkeypatch):
    monkeypatch.setattr("corollary.campaign.progress.growth.MANY", 1)
    events = logs_of_two_people(50)
    overlap = overlap_of(events)
    assert not overlap.shared
    assert overlap.differences()[0].sum() == 50
    again = overlap_of(events, then=99)  # the last item is not done when the others are summed up
    assert list(again.shared) == ["i49"]
    assert told(again, events) == told(overlap, events)


def logs_of_two_people(n):
    from corollary.campaign.events import Event

    return [
        Event(
            kind="answer",
            who=who,
            item=f"i{i}",
            label="bird",
            value=True,
            seq=2 * i + by,
            key=f"{i} {by}",
            at="t",
        )
        for i in range(n)
        for by, who in enumerate(("ann", "ben"), start=1)
    ]
