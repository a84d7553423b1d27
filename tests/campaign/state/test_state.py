"""The state: the same live and replayed, an undo leaves no trace, a changed ontology is drawn through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.reading.verification import compare
from corollary.campaign.settings import Settings
from corollary.campaign.state.event_log import ABOUT_ITEM
from corollary.campaign.state.state import State

from ..logs import LEAD
from .stories import ITEMS, ONTOLOGIES, apply_step, made, stories


@settings(max_examples=50)
@given(stories())
def test_live_and_replayed_states_are_the_same(story):
    live = State(ITEMS, ONTOLOGIES, settings=Settings(overlap=0.7))
    for step in story:
        apply_step(live, step)
    replayed = State(ITEMS, ONTOLOGIES, live.events, settings=Settings(overlap=0.7))
    assert compare(live, replayed) == []
    np.testing.assert_array_equal(live.session.answers, replayed.session.answers)
    np.testing.assert_array_equal(live.session.beliefs, replayed.session.beliefs)
    assert [str(q) for q in live.session.ask(4)] == [str(q) for q in replayed.session.ask(4)]
    assert live.tally.settled == int((live.facts >= 0).sum())
    for step in story:  # and goes on the same
        apply_step(live, step)
        apply_step(replayed, step)
    assert compare(live, replayed) == []


@settings(max_examples=40)
@given(
    stories(),
    st.sampled_from(ITEMS),
    st.sampled_from(ONTOLOGIES[1].labels),
    st.sampled_from((True, False, "cant_tell")),
)
def test_undo_takes_back_exactly_what_followed(story, item, label, value):
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        if step[0] != "ontology":
            apply_step(state, step)
    facts, before, tally = state.facts.copy(), state.standing_of(item), state.tally
    change = state.apply(made("answer", state, who="new", item=item, label=label, value=value))
    settled = {one.label for one in change.settled}
    now = {
        label
        for label, known in zip(state.onto.labels, state.facts[state.row(item)], strict=True)
        if known >= 0
    }
    was = {
        label
        for label, known in zip(state.onto.labels, facts[state.row(item)], strict=True)
        if known >= 0
    }
    assert settled == now - was
    assert {label for label, _ in change.opened} == was - now
    back = state.apply(made("undo", state, who="new", item=item, refers=state.seq))
    np.testing.assert_array_equal(state.facts, facts)
    assert state.standing_of(item) == before
    assert state.tally == tally
    assert {label for label, _ in back.opened} == now - was


def test_beliefs_follow_their_labels_through_a_changed_ontology():
    beliefs = np.linspace(0.1, 0.9, 3 * 7).reshape(3, 7)
    model = Event(
        kind="model",
        who="system",
        value=1,
        seq=1,
        key="m",
        at="t",
        detail={"upto": 0, "sha256": "x"},
    )
    state = State(ITEMS, ONTOLOGIES, [model], beliefs=beliefs)
    state.apply(made("ontology", state, value=3))
    old, new = ONTOLOGIES[1], ONTOLOGIES[3]
    for label in new.labels:
        expected = beliefs[:, old.index[label]] if label in old.index else 0.5
        np.testing.assert_array_equal(state.session.beliefs[:, new.index[label]], expected)


def test_a_gap_in_the_log_is_refused():
    state = State(ITEMS, ONTOLOGIES)
    with pytest.raises(co.CorollaryError, match="the log has a gap"):
        state.apply(Event(kind="pause", who=LEAD, seq=2))


@settings(max_examples=50)
@given(stories(), st.lists(st.integers(1, 3), min_size=20, max_size=20))
def test_what_was_saved_on_the_last_day(story, days):
    first = State(ITEMS, ONTOLOGIES)
    for step in story:
        apply_step(first, step)
    dated = [replace(e, at=f"2026-01-0{sorted(days)[e.seq % 20]}T12:00:00") for e in first.events]
    live = State(ITEMS, ONTOLOGIES)
    for event in dated:
        live.apply(event)
    replayed = State(ITEMS, ONTOLOGIES, dated)
    assert (live._day, live._saved_before) == (replayed._day, replayed._saved_before)
    about = [event for event in dated if event.kind in ABOUT_ITEM]
    if not about:
        assert live.counts()["saved_today"] == 0
        return
    begun = max((e.seq for e in about if e.at[:10] != about[-1].at[:10]), default=0)
    if any(e.seq > begun for e in about) and not any(
        e.kind == "ontology" and e.seq > begun for e in dated
    ):
        assert live._saved_before == State(ITEMS, ONTOLOGIES, dated[:begun]).counts()["saved"]


def test_what_is_saved_today():
    onto = {1: co.Ontology.parse("a > b\na > c")}
    state = State(ITEMS, onto)
    state.apply(
        replace(made("answer", state, item="i", label="b", value=True), at="2026-01-01T12:00:00")
    )
    assert state.counts()["saved_today"] == 0
    saved = state.counts()["saved"]
    today = Event(kind="answer", who="ann", item="j", label="c", value=True, seq=2, key="today")
    state.apply(today)
    assert 0 < state.counts()["saved_today"] == state.counts()["saved"] - saved
    assert State(ITEMS, onto, state.events).counts() == state.counts()
