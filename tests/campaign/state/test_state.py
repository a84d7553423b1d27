"""The state: the same live and replayed, an undo leaves no trace, a changed ontology is drawn through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.live.next_question import base_of, choose
from corollary.campaign.live.ontology_preview import preview
from corollary.campaign.reading.verification import compare
from corollary.campaign.settings import Settings
from corollary.campaign.state.second_opinions import share
from corollary.campaign.state.state import ABOUT_ITEM, State

from ..logs import LEAD, event_of, steps

TEXTS = {
    1: "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place",
    2: "animal > bird, fish, mammal\nplace > exclusive: city, river",
    3: "animal > exclusive: bird, fish\nexclusive: animal, place\nrule: bird >> flies\nplace > city, river, sea",
}
ONTOLOGIES = {version: co.Ontology.parse(text) for version, text in TEXTS.items()}
ITEMS = ("i", "j", "k")


def made(kind, state, **parts):
    parts = {"who": LEAD, "ontology": state.version} | parts
    return Event(kind=kind, seq=state.seq + 1, key=str(state.seq), at="t", **parts)


def apply_step(state, step):
    """One random step, if it can be."""
    kind = step[0]
    if kind == "ontology":
        event = made("ontology", state, value=1 + step[6] % 3)
    elif kind == "settings":
        event = made(
            "settings",
            state,
            detail={"overlap": (0.0, 0.5, 1.0)[step[6] % 3], "item_cost": None if step[6] % 2 else 2.0},
        )
    elif kind == "pause":
        event = made("pause" if step[6] % 2 else "resume", state, value=step[1])
    else:
        known = state.facts[state.row(step[2])]
        options = [label for k, label in enumerate(state.onto.labels) if known[k] < 0]
        event = event_of(step, state.events, ontology=state.version, options=options)
        wanted = [step[3], *step[5]] if kind != "whole" else step[5]
        if event is None or any(label not in state.onto.index for label in wanted):
            return
        if kind == "whole":
            try:
                state.onto.propagate(dict.fromkeys(step[5], True))
            except co.Contradiction:
                return
    before = state.seq
    try:
        state.apply(event)
    except co.Contradiction:
        assert state.seq == before
        assert event.kind in ("decision", "gold", "undo", "ontology")


@st.composite
def stories(draw):
    labels = [*ONTOLOGIES[1].labels, "flies", "sea"]
    story = draw(steps(labels, ITEMS, max_steps=14))
    kinds = st.sampled_from(("ontology", "settings", "pause"))
    for n, kind, pick in draw(st.lists(st.tuples(st.integers(0, 13), kinds, st.integers(0, 9)), max_size=3)):
        story.insert(n, (kind, "ann", "i", labels[0], True, [], pick))
    return story


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
    now = {label for label, known in zip(state.onto.labels, state.facts[state.row(item)], strict=True) if known >= 0}
    was = {label for label, known in zip(state.onto.labels, facts[state.row(item)], strict=True) if known >= 0}
    assert settled == now - was
    assert {label for label, _ in change.opened} == was - now
    back = state.apply(made("undo", state, who="new", item=item, refers=state.seq))
    np.testing.assert_array_equal(state.facts, facts)
    assert state.standing_of(item) == before
    assert state.tally == tally
    assert {label for label, _ in back.opened} == now - was


def clashing(state, item):
    return {(conflict.kind, conflict.opinions) for conflict in state.standing_of(item).conflicts}


@settings(max_examples=40)
@given(stories(), st.sampled_from((2, 3)))
def test_a_preview_tells_what_the_change_then_does(story, version):
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        if step[0] not in ("ontology", "settings"):
            apply_step(state, step)
    facts, conflicts = state.facts.copy(), {i: clashing(state, i) for i in ITEMS}
    old, new = state.onto, ONTOLOGIES[version]
    told = preview(state, new)
    np.testing.assert_array_equal(state.facts, facts)  # nothing changed
    assert state.version == 1
    event = made("ontology", state, value=version)
    if told.refused:
        with pytest.raises(co.Contradiction, match="decisions about item"):
            state.apply(event)
        return
    state.apply(event)
    settles = reopens = 0
    for i in range(len(ITEMS)):
        for label in set(old.labels) & set(new.labels):
            was, now = facts[i, old.index[label]], state.facts[i, new.index[label]]
            settles += now >= 0 and was != now
            reopens += was >= 0 and was != now
    assert (told.settles, told.reopens) == (settles, reopens)
    assert {item for item, _ in told.breaks} == {i for i in ITEMS if clashing(state, i) - conflicts[i]}
    assert set(told.mends) == {i for i in ITEMS if conflicts[i] and not clashing(state, i)}
    assert set(told.added) == set(new.labels) - set(old.labels)


def answered(state, who, item, label, value):
    return state.apply(made("answer", state, who=who, item=item, label=label, value=value))


def test_second_opinions_are_due_for_a_share_and_never_from_the_same_person():
    ids = [f"i{n}" for n in range(400)]
    state = State(ids, ONTOLOGIES, settings=Settings(overlap=0.25, seed=3))
    for item in ids:
        answered(state, "ann", item, "city", False)
    due = state.waiting.second.cells()
    assert {item for item, _ in due} == {item for item in ids if share(3, item, "city") < 0.25}
    assert 60 < len(due) < 140
    assert choose(state, "ann", 0)[1] != "city"
    item, label = choose(state, "ben", 0)
    assert (item, label) == due[0]
    assert base_of(state, item, label)[state.onto.index["city"]] < 0  # blind
    answered(state, "ben", item, label, False)
    assert (item, label) not in state.waiting.second.cells()
    answered(state, "ben", due[1][0], "city", True)
    assert state.standing_of(due[1][0]).conflicts[0].kind == "disagreement"
    assert choose(state, "cem", 0) not in due[:2]  # an item in conflict is not asked
    assert state.session.ask(1)[0].item != due[1][0]


def test_cannot_tell_goes_to_someone_else_once_and_then_to_the_lead():
    state = State(["i"], {1: co.Ontology(["a"])})
    answered(state, "ann", "i", "a", "cant_tell")
    assert choose(state, "ann", 0) is None
    assert choose(state, "ben", 0) == ("i", "a")
    answered(state, "ben", "i", "a", "cant_tell")
    assert choose(state, "cem", 0) is None
    assert state.waiting.puzzling.cells() == [("i", "a")]
    state.apply(made("decision", state, item="i", label="a", value=True))
    assert state.waiting.puzzling.cells() == []


def test_what_was_skipped_comes_back_at_the_end():
    state = State(["i", "j"], {1: co.Ontology(["a"])})
    answered(state, "ann", "i", "a", "skip")
    assert choose(state, "ann", 1) == ("j", "a")
    answered(state, "ann", "j", "a", True)
    assert choose(state, "ann", 2) == ("i", "a")
    assert choose(state, "ben", 0) == ("i", "a")
    assert state.tally.asked == 1


def test_a_flagged_item_is_held_for_its_flagger_only():
    state = State(["i", "j"], {1: co.Ontology(["a"])})
    state.apply(made("flag", state, who="ann", item="i", detail={"reason": "text"}))
    assert choose(state, "ann", 0) == ("j", "a")
    assert choose(state, "ben", 0) == ("i", "a")
    assert list(state.marked) == ["i"]
    state.apply(made("unflag", state, item="i", refers=1))
    assert choose(state, "ann", 0) == ("i", "a")
    assert not state.marked


def test_gold_is_asked_at_its_share_and_counts_as_decided():
    state = State([f"i{n}" for n in range(50)], {1: co.Ontology(["a", "b"])}, settings=Settings(gold_share=1.0))
    state.apply(made("gold", state, item="i7", label="b", value=True))
    assert state.known_of("i7") == {"b": True}
    assert choose(state, "ann", 0) == ("i7", "b")
    answered(state, "ann", "i7", "b", False)
    assert state.known_of("i7") == {"b": True}
    assert not state.standing_of("i7").conflicts
    assert choose(state, "ann", 1) != ("i7", "b")
    assert choose(state, "ben", 0) == ("i7", "b")


def test_whole_items_are_asked_where_that_is_cheap():
    state = State(["i"], {1: ONTOLOGIES[1]}, settings=Settings(item_cost=1.0))
    assert choose(state, "ann", 0) == ("i", None)
    options = list(state.onto.labels)
    state.apply(made("answer", state, who="ann", item="i", value=["bird"], detail={"options": options}))
    assert (state.facts >= 0).all()
    assert state.tally.done == 1
    assert choose(state, "ann", 1) is None


def test_beliefs_follow_their_labels_through_a_changed_ontology():
    beliefs = np.linspace(0.1, 0.9, 3 * 7).reshape(3, 7)
    model = Event(kind="model", who="system", value=1, seq=1, key="m", at="t", detail={"upto": 0, "sha256": "x"})
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
    if any(e.seq > begun for e in about) and not any(e.kind == "ontology" and e.seq > begun for e in dated):
        assert live._saved_before == State(ITEMS, ONTOLOGIES, dated[:begun]).tally.saved


def test_what_is_saved_today():
    state = State(ITEMS, ONTOLOGIES)
    state.apply(replace(made("answer", state, item="i", label="bird", value=True), at="2026-01-01T12:00:00"))
    assert state.counts()["saved_today"] == 0
    saved = state.tally.saved
    today = Event(kind="answer", who="ann", item="j", label="city", value=True, seq=2, key="today")
    state.apply(today)
    assert 0 < state.counts()["saved_today"] == state.tally.saved - saved
    assert State(ITEMS, ONTOLOGIES, state.events).counts() == state.counts()
