"""Many items at once: they stand and count as each of them alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.labels.statements import Statements
from corollary.campaign.state.standing import standing
from corollary.campaign.state.standings import Tally, Untouched, stand_all
from corollary.campaign.state.state import State

from ..logs import PEOPLE, event_of, steps
from .stories import ITEMS, ONTOLOGIES, answered, made

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


ANSWERS = st.tuples(
    st.sampled_from((*PEOPLE, "import")),
    st.sampled_from([*ONTO.labels, "unknown"]),
    st.sampled_from((True, False, "skip")),
)


@given(st.lists(ANSWERS, max_size=5))
def test_answers_alone_stand_the_same_either_way(answers):
    events = [
        Event(kind="answer", who=who, item="i", label=label, value=value, seq=seq)
        for seq, (who, label, value) in enumerate(answers, start=1)
    ]
    (found,) = stand_all({"i": events}, ONTO, STATEMENTS).standings
    expected = standing(events, ONTO, STATEMENTS)
    assert found == expected
    assert list(found.effect) == list(expected.effect)
    assert [[*by] for by in found.said.opinions.values()] == [
        [*by] for by in expected.said.opinions.values()
    ]


def test_an_untouched_item_counts_what_the_ontology_leaves_open():
    untouched = Untouched.of(co.Ontology.parse("a > b\nrule: ~c"))
    assert untouched.settled == {"c"}
    assert untouched.tally == Tally(items=1, cells=2)
    assert Untouched.of(co.Ontology.parse("rule: a")).tally == Tally(items=1, done=1)


def test_sums_and_differences():
    one, other = (
        Tally(items=1, cells=7, asked=2, settled=5),
        Tally(items=2, cells=14, asked=1, settled=3, done=1),
    )
    assert Tally.sum([one, other]) == one.plus(other)
    assert one.plus(other).plus(other, times=-1) == one
    assert Tally.sum([]) == Tally()


def test_what_is_derived():
    tally = Tally(
        items=2, cells=14, asked=3, settled=10, answered=2, imported=1, brought=3, decided=1
    )
    assert (tally.implied, tally.open, tally.saved(one=False), tally.saved(one=True)) == (
        6,
        4,
        4,
        0,
    )
    assert tally.as_dict(one=False)["implied"] == 6
    assert tally.as_dict(one=False)["cells"] == 14


def test_who_said_what_is_counted_apart():
    state = State(ITEMS, ONTOLOGIES)
    answered(state, "ann", "i", "bird", True)
    state.apply(made("fact", state, who="import", item="j", label="city", value=True))
    state.apply(made("decision", state, item="k", label="animal", value=False))
    tally = state.tally
    assert (tally.items, tally.asked, tally.answered, tally.imported, tally.decided) == (
        3,
        1,
        1,
        1,
        1,
    )
    assert tally.settled == int((state.facts >= 0).sum())
    untouched = Untouched.of(state.onto)
    each = [
        Tally.of(state.standing_of(item), state.facts[state.row(item)], untouched) for item in ITEMS
    ]
    assert Tally.sum([*each, *[untouched.tally] * 3]) == tally
    at_once = Tally.each(
        [state.standing_of(item) for item in ITEMS], np.asarray(state.facts), untouched
    )
    assert list(at_once) == each


def test_what_was_brought_along_and_what_follows_from_it_alone_saves_nothing():
    state = State(ITEMS, ONTOLOGIES)
    state.apply(made("fact", state, who="import", item="j", label="animal", value=True))
    known = int((state.facts >= 0).sum())
    assert known > 1
    assert (state.tally.imported, state.tally.brought, state.tally.settled) == (1, known, known)
    assert state.tally.saved(one=False) == 0
    answered(state, "ann", "j", "bird", True)
    settled = int((state.facts >= 0).sum()) - known
    assert (state.tally.brought, state.tally.saved(one=False)) == (known, settled - 1)
    untouched = Untouched.of(state.onto)
    each = Tally.each(
        [state.standing_of(item) for item in ITEMS], np.asarray(state.facts), untouched
    )
    assert Tally.sum(each).saved(one=False) == state.tally.saved(one=False)


def test_items_that_were_accepted_are_saved_where_nobody_was_asked_about_them():
    onto = co.Ontology.parse("exactly one: bird, fish, city")
    state = State(ITEMS, {1: onto})
    assert state.counts()["one"]
    answered(state, "ann", "i", "bird", False)
    answered(state, "ann", "j", None, ["fish"])
    assert (state.counts()["done"], state.counts()["saved"]) == (1, 0)
    for item in ("i", "k"):
        detail = {"audit": 1, "probability": {"fish": 0.99}}
        state.apply(
            made("accept", state, who="mara", item=item, value={"fish": True}, detail=detail)
        )
    counts = state.counts()
    assert (counts["done"], counts["unasked"], counts["saved"]) == (3, 1, 1)
    assert State(ITEMS, {1: onto}, state.events).counts() == counts


def test_what_is_accepted_is_counted_apart_and_saves_nothing():
    state = State(ITEMS, ONTOLOGIES)
    answered(state, "ann", "i", "animal", True)
    before = state.tally
    detail = {"audit": 1, "probability": {"bird": 0.99, "fish": 0.99}}
    state.apply(
        made(
            "accept",
            state,
            who="mara",
            item="i",
            value={"bird": True, "fish": False},
            detail=detail,
        )
    )
    tally = state.tally
    assert (tally.accepted, tally.answered, tally.asked, tally.saved(one=False)) == (
        2,
        1,
        1,
        before.saved(one=False),
    )
    assert tally.settled == int((state.facts >= 0).sum()) > before.settled
    assert tally.implied == tally.settled - 3
    answered(state, "ann", "i", "bird", True)  # who agrees makes it an answer
    assert (state.tally.accepted, state.tally.answered, state.tally.asked) == (1, 2, 2)
    untouched = Untouched.of(state.onto)
    each = Tally.each(
        [state.standing_of(item) for item in ITEMS], np.asarray(state.facts), untouched
    )
    assert Tally.sum([*each, *[untouched.tally] * 3]) == state.tally
