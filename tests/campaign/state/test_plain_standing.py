"""Items with nothing but answers that agree: told at once, and the same as the long way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.events import Event
from corollary.campaign.state.plain_standing import plain_standing
from corollary.campaign.state.standing import claims, standing, what_is_said
from corollary.campaign.state.standing_of_many import stand_all
from corollary.campaign.state.statements import Statements
from corollary.campaign.state.tally import Tally, Untouched

from ..logs import PEOPLE, event_of, steps
from .stories import ONTOLOGIES

ONTO = ONTOLOGIES[1]
LABELS = [*ONTO.labels, "unknown"]


STATEMENTS = Statements({1: ONTO})


def told(*parts):
    return [
        Event(
            kind="answer",
            who=who,
            item="i",
            label=label,
            value=value,
            seq=seq,
            key=str(seq),
            at="t",
        )
        for seq, (who, label, value) in enumerate(parts, start=1)
    ]


answers = st.lists(
    st.tuples(st.sampled_from((*PEOPLE, "import")), st.sampled_from(LABELS), st.booleans()),
    max_size=5,
)


@given(answers)
def test_a_plain_item_stands_as_any_other(parts):
    events = told(*parts)
    said = what_is_said(events, ONTO, STATEMENTS)
    counting, disagreements = claims(said, ONTO)
    agree = not disagreements and len({(who, label) for who, label, _ in parts}) == len(parts)
    known = all(label in ONTO.index and who != "import" for who, label, _ in parts)
    found = plain_standing(events, ONTO.index)
    assert (found is not None) == (agree and known)
    if found is not None:
        assert found.said == said
        assert list(found.effect.values()) == counting
        assert [list(by) for by in found.said.opinions.values()] == [
            list(by) for by in said.opinions.values()
        ]


@given(steps(ONTO.labels, ["i"]))
def test_nothing_else_is_plain(story):
    events = []
    for step in story:
        events += filter(None, [event_of(step, events)])
    if plain_standing(events, ONTO.index) is not None:
        assert all(event.kind == "answer" and isinstance(event.value, bool) for event in events)


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
    each = Tally.sum(Tally.each(found.standings, found.known, untouched))
    assert Tally.all(found, untouched) == each


def test_a_clash_is_not_plain():
    events = {
        "i": told(("ann", "bird", True), ("ben", "fish", True)),
        "j": told(("ann", "bird", True)),
    }
    found = stand_all(events, ONTO, STATEMENTS)
    assert found.plain.tolist() == [False, True]
    assert found.standings[0].conflicts
