"""Long logs as columns: what every event did is the same as item by item."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.events import Event
from corollary.campaign.progress.growth import Growth
from corollary.campaign.progress.plain_log import PlainLog, step_by_step
from corollary.campaign.state.statements import Statements

from ..logs import LEAD, PEOPLE
from ..state.stories import ITEMS, ONTOLOGIES

ONTO = ONTOLOGIES[3]
LABELS = [*ONTO.labels, "unknown"]
VALUES = (True, True, False, False, "skip", "cant_tell", ["bird"])


STATEMENTS = Statements({1: ONTO})


@st.composite
def logs(draw, *, max_size=14):
    """Answers, some of the whole item, what takes them back, and now and then a flag or a decision."""
    kinds = st.sampled_from(("answer",) * 8 + ("undo", "undo", "flag", "decision"))
    parts = st.tuples(
        kinds, st.sampled_from(PEOPLE), st.sampled_from(ITEMS), st.sampled_from(LABELS)
    )
    events = []
    for kind, who, item, label in draw(st.lists(parts, max_size=max_size)):
        common = {
            "kind": kind,
            "who": who,
            "item": item,
            "seq": len(events) + 1,
            "key": str(len(events)),
            "at": "t",
        }
        if kind == "answer":
            value = draw(st.sampled_from(VALUES))
            whole = isinstance(value, list)
            events.append(
                Event(label=None if whole else label, value=value, detail={"options": []}, **common)
            )
        elif kind == "flag":
            events.append(Event(detail={"reason": "text"}, **common))
        elif kind == "decision":
            events.append(Event(**common | {"who": LEAD}, label="flies", value=True))
        else:
            gone = {event.refers for event in events}
            own = [
                e.seq
                for e in events
                if e.item == item and e.kind in ("answer", "flag") and e.seq not in gone
            ]
            if own:
                by = LEAD if len(own) % 2 else who
                events.append(Event(refers=draw(st.sampled_from(own)), **common | {"who": by}))
    return events


def grown(events):
    growth = Growth(ONTO, STATEMENTS)
    growth.extend(events)
    return growth


def told(growth):
    return growth.curve(), [one.tolist() for one in growth.gains], growth.second, growth.of_item


@settings(max_examples=150, deadline=None)
@given(logs(), st.integers(0, 14))
def test_a_log_at_once_grows_as_item_by_item(events, then):
    expected = told(grown(events))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.campaign.progress.growth.MANY", 1)
        assert told(grown(events)) == expected
        patch.setattr("corollary.campaign.progress.plain_log.CELLS", 1)
        growth = grown(events[:then])
        growth.extend(events[then:])
        assert told(growth) == expected


def test_what_is_plain_and_what_is_not():
    def said(item, *parts):
        return [
            Event(
                kind="answer",
                who=who,
                item=item,
                label=label,
                value=value,
                seq=seq,
                key=f"{item}{seq}",
                at="t",
            )
            for seq, (who, label, value) in enumerate(parts, start=1)
        ]

    log = PlainLog.of(
        {
            "plain": said(
                "plain", ("ann", "bird", True), ("ben", "bird", False), ("ann", "city", "skip")
            ),
            "twice": said("twice", ("ann", "bird", True), ("ann", "bird", False)),
            "clash": said("clash", ("ann", "bird", True), ("ben", "fish", True)),
            "other": said("other", ("ann", "unknown", True)),
        },
        ONTO,
    )
    assert (log.items, log.rest) == (["plain", "clash"], ["twice", "other"])
    steps = step_by_step(log, ONTO)
    assert steps.clashing.tolist() == [False, True]
    assert steps.second.tolist()[:3] == [False, True, False]
    assert steps.said.tolist()[:3] == [1, -1, 0]
