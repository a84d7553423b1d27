"""The figures of the lead: each the same as counted naively from the log, live and after every event."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import Event
from corollary.campaign.items import Item
from corollary.campaign.progress.growth import AT_ONCE, Curve, Growth
from corollary.campaign.progress.lookback import look_back
from corollary.campaign.progress.outlook import to_the_end
from corollary.campaign.progress.overlap import Overlap, own_answers
from corollary.campaign.progress.progress import Figures
from corollary.campaign.state.state import State

from ..logs import LEAD, PEOPLE
from ..state.test_state import ITEMS, ONTOLOGIES, apply_step, made, stories

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
TRUTH = ("bird", "fish", "mammal", "city", "river")


def follow(story):
    """The state after each of the steps that can be taken."""
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        before = state.seq
        apply_step(state, step)
        if state.seq > before:
            yield state


def grown(state):
    growth = Growth(state.onto, state.closure)
    growth.extend(state.events)
    return growth


@settings(max_examples=60, deadline=None)
@given(stories())
def test_growth_is_what_the_state_counts(story):
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):  # noqa: B007 (the last one counts)
        pass
    growth = grown(state)
    curve = growth.curve()
    tally = state.tally
    assert (curve.asked[-1], curve.settled[-1]) == (tally.asked, tally.settled)
    assert curve.answered[-1] == tally.answered + tally.decided + tally.imported
    assert sum(growth.gains.values()) == tally.settled
    assert curve.asked == sorted(set(curve.asked))


@settings(max_examples=30, deadline=None)
@given(stories())
def test_growth_event_by_event_is_growth_at_once(story):
    growth, version = None, None
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):
        if version != state.version:
            growth, version = Growth(state.onto, state.closure), state.version
        growth.extend(state.events[growth.seq :])
    if growth is not None:
        whole = grown(state)
        assert growth.curve() == whole.curve()
        assert (growth.gains, growth.second) == (whole.gains, whole.second)


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
    curve = Curve(list(range(1000)), list(range(1000)), list(range(0, 2000, 2)))
    thin = curve.thinned()
    assert len(thin.asked) == 200
    assert (thin.asked[0], thin.asked[-1], thin.settled[-1]) == (0, 999, 1998)
    assert Curve([0, 1], [0, 1], [0, 2]).thinned() == Curve([0, 1], [0, 1], [0, 2])


def naive_words(events, onto, closure):
    """By person what they last said of each cell, and what follows from that alone; None where it cannot be true."""
    gone = {e.refers for e in events if e.kind == "undo" and e.who == next(x.who for x in events if x.seq == e.refers)}
    said: dict[str, dict[str, bool]] = {}
    for event in events:
        if event.kind != "answer" or event.seq in gone:
            continue
        own = said.setdefault(event.who, {})
        if event.label is not None:
            own[event.label] = event.value
        elif isinstance(event.value, list):
            own |= dict.fromkeys((event.detail or {})["options"], False) | dict(
                closure(event.ontology, tuple(event.value))
            )
    found = {}
    for who, own in said.items():
        spoken = {label: value for label, value in own.items() if isinstance(value, bool) and label in onto.index}
        try:
            found[who] = (spoken, onto.propagate(spoken))
        except co.Contradiction:
            found[who] = (spoken, None)
    return found


@settings(max_examples=60, deadline=None)
@given(stories())
def test_own_words_and_what_follows(story):
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):  # noqa: B007 (the last one counts)
        pass
    growth = grown(state)
    overlap = Overlap(state.onto, state.closure)
    overlap.refresh(growth.of_item, list(growth.of_item), growth.second)
    free = state.onto.propagate({})
    for item, shared in overlap.shared.items():
        expected = naive_words(growth.of_item[item], state.onto, state.closure)
        for one in shared.words:
            spoken, closed = expected[one.who]
            if closed is None:
                continue
            label = state.onto.labels
            assert {label[k]: bool(one.said[k]) for k in np.flatnonzero(one.said >= 0)} == spoken
            assert {label[k]: bool(one.closed[k]) for k in np.flatnonzero(one.closed >= 0)} == {
                name: value for name, value in closed.items() if name not in free
            }


def answer(state, who, item, label, value, **parts):
    state.apply(made("answer", state, who=who, item=item, label=label, value=value, **parts))


def overlap_of(state):
    growth = grown(state)
    overlap = Overlap(state.onto, state.closure)
    overlap.refresh(growth.of_item, list(growth.of_item), growth.second)
    return overlap, growth


def test_a_second_opinion_is_compared_through_what_follows():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", True)
    answer(state, "ben", "i", "fish", True)  # was settled as no: a second opinion
    overlap, growth = overlap_of(state)
    assert growth.second == {2}
    pairs, differ = overlap.differences()
    index = state.onto.index
    assert pairs.sum() == 1
    assert pairs[index["fish"]] == differ[index["fish"]] == 1
    labels, yes, no = overlap.judged()
    by_label = {state.onto.labels[k]: (int(y), int(n)) for k, y, n in zip(labels, yes, no, strict=True)}
    assert by_label["animal"] == (2, 0)  # both, without having been asked
    assert by_label["bird"] == by_label["fish"] == (1, 1)


def test_answers_that_could_not_differ_are_no_agreement():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", False)
    answer(state, "ben", "i", "fish", True)  # was open; that it is no bird follows
    overlap, growth = overlap_of(state)
    assert growth.second == set()
    assert overlap.differences()[0].sum() == 0
    assert len(overlap.judged()[0]) == 0


def test_an_answer_rejected_by_the_lead_still_differed():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", True)
    answer(state, "ben", "i", "bird", False)
    state.apply(made("decision", state, item="i", label="bird", value=True, detail={"reject": [2]}))
    state.apply(made("undo", state, who=LEAD, item="i", refers=2))
    overlap, _ = overlap_of(state)
    assert overlap.differences()[1].sum() == 1
    answer(state, "ben", "i", "bird", True)
    state.apply(made("undo", state, who="ben", item="i", refers=state.seq))
    assert [event.seq for event in own_answers(state.of_item["i"])["ben"]] == [2]


def test_people_agree_and_are_reliable_as_far_as_they_are():
    state = State([f"t{n}" for n in range(60)], ONTOLOGIES)
    rng = np.random.default_rng(0)
    for n in range(60):
        truth = n % 3 == 0
        answer(state, "ann", f"t{n}", "bird", truth)
        answer(state, "ben", f"t{n}", "bird", truth)
        answer(state, "cem", f"t{n}", "bird", truth ^ bool(rng.random() < 0.3))
    overlap, _ = overlap_of(state)
    right = overlap.reliabilities({})
    assert right["ann"] == pytest.approx(right["ben"])
    assert right["ann"] > 0.95
    assert right["cem"] < 0.85
    people = overlap.of_people()
    assert people["ann"]["alpha"] > people["cem"]["alpha"]
    assert people["ann"]["overlap"] == 120


def test_the_forecast_is_exact_where_nothing_is_to_be_learnt():
    onto = co.Ontology.parse("a > b\nc > d")
    known = np.full((30, 4), -1, np.int8)
    known[:20] = onto.propagate({"a": True, "b": True, "c": False}) and [1, 1, 0, 0]
    beliefs = np.full((30, 4), 0.5)
    end = to_the_end(onto, beliefs, known, asked=10**9)
    # Each open item has two chains; a chain takes one question or two.
    assert 20 <= end.questions <= 40
    assert end.low <= end.questions <= end.high
    assert end.path[0] == (0, 0, 0, 0)
    assert end.path[-1][1] == end.path[-1][3] == 40
    assert all(low <= middle <= high for _, middle, low, high in end.path)
    early = to_the_end(onto, beliefs, known, asked=0)
    assert early.low < end.low
    assert early.high > end.high


def test_the_forecast_of_a_finished_campaign():
    onto = co.Ontology.parse("a > b")
    assert to_the_end(onto, np.full((3, 2), 0.5), np.ones((3, 2), np.int8)).questions == 0


@pytest.fixture
def campaign(tmp_path):
    items = [Item(f"i{n}", text=f"{TRUTH[n % 5]} thing {n}") for n in range(40)]
    with Campaign.create(
        tmp_path / "c.sqlite",
        items,
        co.Ontology.parse(TEXT),
        name="test",
        lead=LEAD,
        settings={"retrain_every": 10**6, "learner": "logistic", "overlap": 0.5},
    ) as made_campaign:
        for name in PEOPLE:
            made_campaign.invite(name)
        yield made_campaign


def is_true(item, label):
    truth = TRUTH[int(item[1:]) % 5]
    return label in (truth, "animal" if truth in ("bird", "fish", "mammal") else "place")


def work(campaign, n, *, wrong=()):
    for turn in range(n):
        who = PEOPLE[turn % 3]
        for asked in campaign.next(who, 1):
            value = is_true(asked.item.id, asked.label) ^ (turn in wrong)
            campaign.answer(who, asked.item.id, asked.label, value, seconds=0.5 if who == "cem" else 2.0)


def test_figures_of_a_campaign(campaign):
    work(campaign, 120, wrong=(50, 51, 90))
    campaign.answer("ann", "i39", "river", "cant_tell")
    figures = Figures(campaign)
    told = figures.get()
    json.dumps(told, allow_nan=False)
    state, progress = campaign.state, campaign.progress()
    assert told["curve"]["asked"][-1] == progress["asked"]
    assert told["curve"]["settled"][-1] == progress["settled"]
    assert told["cant_tell"] == 1
    assert told["second_opinions"] > 0
    assert told["forecast"] == {"state": "early", "after": 200}
    for one in told["by_label"]:
        column = state.facts[:, state.onto.index[one["label"]]]
        assert (one["yes"], one["no"], one["open"]) == tuple(int((column == v).sum()) for v in (1, 0, -1))
        assert one["answered"] + one["implied"] == one["yes"] + one["no"]
    people = {one["name"]: one for one in told["annotators"]}
    assert sum(one["answers"] for one in people.values()) == progress["asked"]
    assert sum(one["settled"] for one in people.values()) == progress["settled"]
    assert people["cem"]["too_fast"]
    assert not people["ann"]["too_fast"]
    involved = Counter(
        who for one in campaign.conflicts() for who in {opinion.who for opinion in one.conflict.opinions}
    )
    assert {name: one["conflicts"] for name, one in people.items() if one["conflicts"]} == dict(involved)
    assert told["accuracy"]["source"] == "second opinions"
    assert told["accuracy"]["low"] <= told["accuracy"]["value"] <= told["accuracy"]["high"]


def test_figures_follow_the_campaign(campaign):
    figures = Figures(campaign)
    figures.get()
    for _ in range(4):
        work(campaign, 10)
        told = figures.get()
        anew = Figures(campaign).get()
        for one, other in zip(told["annotators"], anew["annotators"], strict=True):
            assert {n: (one[n], other[n]) for n in one if one[n] != other[n]} == {}
        assert {name: told[name] for name in told if name != "at"} == {
            name: anew[name] for name in anew if name != "at"
        }
    campaign.change_ontology(LEAD, TEXT + "\nplace > sea", key="k")
    told = figures.get()
    assert [one["version"] for one in told["versions"]] == [2, 1]
    assert told["versions"][0]["added"] == ["place > sea"]
    assert told["by_label"][-1]["label"] == "sea"
    assert told["curve"]["settled"][-1] == campaign.progress()["settled"]


def test_the_forecast_comes_once_a_model_and_enough_answers_are_there(campaign, monkeypatch):
    work(campaign, 60)
    campaign.retrain(wait=True)
    figures = Figures(campaign)
    assert figures.get()["forecast"] == {"state": "early", "after": 200}
    monkeypatch.setattr("corollary.campaign.progress.outlook.ENOUGH_ANSWERS", 60)
    assert figures.get()["forecast"]["state"] in ("coming", "ready")
    figures.wait()
    told = figures.get()["forecast"]
    assert told["state"] == "ready"
    assert told["model"] == 1
    assert told["low"] <= told["questions"] <= told["high"]
    assert told["accuracy"]["low"] <= told["accuracy"]["value"] <= told["accuracy"]["high"]
    assert told["days"] is None  # all was answered today: no pace yet
    assert figures.get()["forecast"]["path"] == told["path"]


def test_gold_questions_tell_the_accuracy_without_second_opinions(campaign):
    campaign.change_settings(LEAD, {"overlap": 0.0})
    for n in range(25):
        campaign.gold(LEAD, f"i{n}", "bird", is_true(f"i{n}", "bird"))
        campaign.answer("ann", f"i{n}", "bird", is_true(f"i{n}", "bird") ^ (n == 3))
    told = Figures(campaign).get()
    assert told["accuracy"]["source"] == "gold questions"
    assert told["accuracy"]["value"] == pytest.approx(24 / 25)
    ann = next(one for one in told["annotators"] if one["name"] == "ann")
    assert (ann["gold_right"], ann["gold_wrong"]) == (24, 1)


def test_looking_back(campaign):
    one = campaign.answer("ann", "i0", "bird", True)
    two = campaign.answer("ben", "i0", "bird", False)
    campaign.answer("ben", "i1", "fish", "cant_tell")
    campaign.undo("ann", one.seq)
    campaign.decide(LEAD, "i0", "bird", True, reject=[two.seq])
    with campaign.lock:
        found = look_back(campaign.state)
        assert [(kept.event.kind, kept.stands) for kept in found] == [
            ("decision", True),
            ("answer", True),
            ("answer", False),
            ("answer", False),
        ]
        assert [kept.event.seq for kept in look_back(campaign.state, who="ben", kind="no")] == [two.seq]
        assert [kept.event.item for kept in look_back(campaign.state, kind="cant_tell")] == ["i1"]
        assert len(look_back(campaign.state, item="i0", label="bird")) == 3
        assert look_back(campaign.state, limit=1, before=two.seq)[0].event.seq == one.seq
        assert look_back(campaign.state, item="nowhere") == []


def test_events_of_no_item_do_not_disturb_growth():
    growth = Growth(ONTOLOGIES[1], State(ITEMS, ONTOLOGIES).closure)
    growth.extend([Event(kind="pause", who=LEAD, seq=1)])
    assert growth.seq == 1
    assert growth.curve() == Curve([0], [0], [0])
