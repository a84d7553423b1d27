"""What was settled answer by answer: the same as the state counts, live and at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.events import Event
from corollary.campaign.progress.growth import AT_ONCE, NOTHING_DONE, Curve, Growth
from corollary.campaign.progress.progress import Figures
from corollary.campaign.reading.views import figures_of
from corollary.campaign.state.standing import standing
from corollary.campaign.state.state import State

from ..logs import LEAD
from ..state.test_state import ITEMS, ONTOLOGIES, made, stories
from .at_work import ONTO, STATEMENTS, follow, grown, logs

times = st.lists(st.none() | st.floats(0, 10), min_size=20, max_size=20)


def naive_steps(events):
    """By event the labels in effect, the labels settled and the items done more than before it."""
    free = {label for label in ONTO.labels if label not in ONTO.propagate({})}

    def counts(of_item):
        answers = standing(of_item, ONTO, STATEMENTS).answers
        known = ONTO.propagate(answers)
        return (len(answers.keys() & free), len(known.keys() & free), len(known) == len(ONTO))

    found = {}
    for n, event in enumerate(events):
        before = [one for one in events[:n] if one.item == event.item]
        steps = zip(counts([*before, event]), counts(before), strict=True)
        found[event.seq] = tuple(after - was for after, was in steps)
    return found


@settings(max_examples=60, deadline=None)
@given(logs(max_size=20), times, st.integers(0, 20), st.sampled_from([(), ("i",)]))
def test_each_event_counts_as_by_itself(events, seconds, then, withdrawn):
    events = [
        replace(e, seconds=s, at=f"2026-01-0{e.seq % 3 + 1}")
        for e, s in zip(events, seconds, strict=False)
    ]
    growth = Growth(ONTO, STATEMENTS)
    growth.extend(events[:then], withdrawn)
    growth.extend(events[then:], withdrawn)
    about = [event for event in events if event.item not in withdrawn]
    steps = naive_steps(about)
    undone = {event.refers for event in events if event.kind == "undo"}
    asks = {e.seq: int(e.kind == "answer" and e.value != "skip") for e in about}
    totals = np.zeros(4, int)
    curve = {0: (0, 0, 0, 0)}
    for event in about:
        asked = -asks.get(event.refers, 0) if event.kind == "undo" else asks[event.seq]
        totals += np.array([asked, *steps[event.seq]])
        curve[totals[0]] = tuple(totals.tolist())
    found = growth.curve()
    assert list(zip(found.asked, found.answered, found.settled, found.done, strict=True)) == [
        point for n, point in sorted(curve.items()) if n <= totals[0]
    ]
    answers = [event for event in about if event.kind == "answer" and event.seq not in undone]
    asked = [event for event in answers if event.value != "skip"]
    assert growth.asked() == (
        len(asked),
        sum(event.value == "cant_tell" for event in asked),
        dict(Counter(event.at for event in asked)),
    )
    people = growth.of_people()
    for who in {event.who for event in events}:
        one = people.get(who, NOTHING_DONE)
        expected = figures_of([event for event in about if event.who == who], undone)
        assert {name: one[name] for name in expected} == expected
        replies = [e for e in answers if e.who == who and not isinstance(e.value, str)]
        assert one["settled"] == sum(steps[event.seq][1] for event in replies)
        fast = [event.seconds < 1 for event in replies if event.seconds is not None]
        assert one["fast"] == (sum(fast) / len(fast) if fast else 0.0)


def naive_second(events):
    """The answers to what others had said of the item, or what was known before."""
    found = set()
    for n, event in enumerate(events):
        if event.kind != "answer" or isinstance(event.value, str):
            continue
        before = standing([e for e in events[:n] if e.item == event.item], ONTO, STATEMENTS)
        if event.label is None:
            others = before.said.replied().keys() - {event.who}
            if others:
                found.add(event.seq)
            continue
        people = before.said.opinions.get(event.label, {}).keys()
        known = event.label in ONTO.propagate(before.answers)
        if people - {event.who} or (known and event.who not in people):
            found.add(event.seq)
    return found


@settings(max_examples=60, deadline=None)
@given(logs(max_size=20))
def test_second_opinions_follow_what_was_said_or_known(events):
    growth = Growth(ONTO, STATEMENTS)
    growth.extend(events)
    assert growth.second == naive_second(events)


@settings(max_examples=60, deadline=None)
@given(stories())
def test_growth_is_what_the_state_counts(story):
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):  # noqa: B007 (the last one counts)
        pass
    curve = grown(state).curve()
    tally = state.tally
    assert (curve.asked[-1], curve.settled[-1], curve.done[-1]) == (
        tally.asked,
        tally.settled,
        tally.done,
    )
    assert curve.answered[-1] == tally.answered + tally.decided + tally.imported + tally.accepted
    assert curve.asked == sorted(set(curve.asked))


@settings(max_examples=30, deadline=None)
@given(stories())
def test_growth_event_by_event_is_growth_at_once(story):
    growth, version = None, None
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):
        if version != state.version:
            growth, version = Growth(state.onto, state.statements), state.version
        growth.extend(state.events[growth.seq :])
    if growth is not None:
        whole = grown(state)
        assert growth.curve() == whole.curve()
        assert growth.of_people() == whole.of_people()
        assert growth.second == whole.second


def test_events_are_taken_in_parts(monkeypatch):
    state = State(ITEMS, ONTOLOGIES)
    for item in ITEMS:
        for label, value in (("animal", True), ("bird", False), ("fish", True)):
            state.apply(made("answer", state, who="ann", item=item, label=label, value=value))
    whole = grown(state).curve()
    monkeypatch.setattr("corollary.campaign.progress.growth.AT_ONCE", 2)
    assert AT_ONCE > 2
    assert grown(state).curve() == whole


def test_curves_are_thinned():
    curve = Curve(list(range(1000)), list(range(1000)), list(range(0, 2000, 2)), list(range(1000)))
    thin = curve.thinned()
    assert len(thin.asked) == 200
    assert (thin.asked[0], thin.asked[-1], thin.settled[-1], thin.done[-1]) == (0, 999, 1998, 999)
    assert Curve([0, 1], [0, 1], [0, 2], [0, 1]).thinned() == Curve([0, 1], [0, 1], [0, 2], [0, 1])


def test_events_of_no_item_do_not_disturb_growth():
    growth = Growth(ONTOLOGIES[1], State(ITEMS, ONTOLOGIES).statements)
    growth.extend([Event(kind="pause", who=LEAD, seq=1)])
    assert growth.seq == 1
    assert growth.curve() == Curve([0], [0], [0], [0])


def test_the_curve_ends_where_the_counts_are(make):
    campaign = make()
    campaign.answer("ann", "i0", "animal", True)
    campaign.answer("ann", "i0", "bird", "skip")
    campaign.answer("ann", "i1", "fish", "cant_tell")
    campaign.answer("ben", "i2", "river", True)
    campaign.undo("ben")
    curve = Figures(campaign).get()["curve"]
    assert (curve["asked"], curve["settled"]) == ([0, 1, 2], [0, 4, 4])
    campaign.answer("ben", "i0", "bird", True)
    curve = Figures(campaign).get()["curve"]
    assert (curve["asked"][-1], curve["settled"][-1]) == (3, campaign.progress()["settled"])
    assert Figures(make.again(campaign)).get()["curve"] == curve
