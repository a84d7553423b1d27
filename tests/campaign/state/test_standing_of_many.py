"""Many items at once: they stand and count as each of them alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.state.standing import standing
from corollary.campaign.state.standing_of_many import stand_all
from corollary.campaign.state.statements import Statements
from corollary.campaign.state.tally import Tally, Untouched

from ..logs import event_of, steps
from .stories import ONTOLOGIES

ONTO = ONTOLOGIES[1]
STATEMENTS = Statements({1: ONTO})


@settings(max_examples=60)
@given(st.data())
def test_many_items_count_as_each_of_them(data):
    untouched = Untouched.of(ONTO)
    by_item = {}
    for item in "ijk":
        events = []
        for step in data.draw(steps([*ONTO.labels], [item], max_steps=5)):
            event = event_of((step[0], *step[1:]), events)
            if (
                event is not None
                and event.kind not in ("decision", "gold")
                and not isinstance(event.value, list)
            ):
                events.append(event)
        by_item[item] = events
    found = stand_all(by_item, ONTO, STATEMENTS)
    assert found.standings == tuple(
        standing(events, ONTO, STATEMENTS) for events in by_item.values()
    )
    alone = [
        Tally.all(stand_all({item: events}, ONTO, STATEMENTS), untouched)
        for item, events in by_item.items()
    ]
    assert Tally.all(found, untouched) == Tally.sum(alone)
