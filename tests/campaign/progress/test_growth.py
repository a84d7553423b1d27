"""What was settled answer by answer: the same as the state counts, live and at once."""

from __future__ import annotations

from hypothesis import given, settings

from corollary.campaign.events import Event
from corollary.campaign.progress.growth import AT_ONCE, Curve, Growth
from corollary.campaign.progress.progress import Figures
from corollary.campaign.state.state import State

from ..logs import LEAD
from ..state.test_state import ITEMS, ONTOLOGIES, made, stories
from .at_work import follow, grown


@settings(max_examples=60, deadline=None)
@given(stories())
def test_growth_is_what_the_state_counts(story):
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):  # noqa: B007 (the last one counts)
        pass
    growth = grown(state)
    curve = growth.curve()
    tally = state.tally
    assert (curve.asked[-1], curve.settled[-1], curve.done[-1]) == (
        tally.asked,
        tally.settled,
        tally.done,
    )
    assert curve.answered[-1] == tally.answered + tally.decided + tally.imported + tally.accepted
    assert growth.gains[1].sum() == tally.settled
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
        assert [one.tolist() for one in growth.gains] == [one.tolist() for one in whole.gains]
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
