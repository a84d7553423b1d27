"""What a pick costs: by hand, measured, or what is usual."""

from __future__ import annotations

from collections import Counter
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import ANSWER, UNDO, Event
from corollary.campaign.settings import Settings
from corollary.campaign.state.measured_costs import (
    KINDS,
    LONGEST,
    AnswerTimes,
    asked_for,
    holds_one,
    measured_costs,
    measured_price,
    price_of_item,
    prices,
    with_kind,
)

NAMES = tuple("abcdef")
ONE = co.Ontology(NAMES, [co.exactly_one(*NAMES)])
FREE = co.Ontology(NAMES)


def said(label, value, seconds):
    return Event(kind=ANSWER, who="ann", item="i", label=label, value=value, seconds=seconds)


def test_what_people_are_asked():
    assert asked_for(Settings(), ONE) == "both"
    assert asked_for(Settings(), FREE) == "labels"
    assert asked_for(Settings(item_cost=2.0), FREE) == "both"
    assert asked_for(Settings(pick="always"), FREE) == "items"
    assert asked_for(Settings(pick="never"), ONE) == "labels"


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("exactly one: a, b, c", True),
        ("animal > exclusive: bird, fish", True),  # a path, or nothing
        ("animal > exclusive: bird, fish\nplace > exclusive: city, river", False),
        ("animal > bird, fish", False),
    ],
)
def test_whether_one_label_holds_for_each_item(text, one):
    assert holds_one(co.Ontology.parse(text)) == one


def test_the_price_is_set_by_hand_or_measured():
    assert price_of_item(Settings(item_cost=7.0), ONE, []) == 7.0
    assert price_of_item(Settings(pick="never"), ONE, []) is None
    assert price_of_item(Settings(), ONE, []) == 3.0
    quick = [said("a", True, 2.0)] * 25
    assert measured_price(quick + [said(None, ["a"], 9.0)] * 19) == 3.0  # too few
    slow = [said(None, ["a"], 9.0)] * 20
    assert measured_price(quick + slow) == 4.5
    assert price_of_item(Settings(), ONE, quick + slow) == 4.5


@pytest.mark.parametrize(("seconds", "price"), [(0.1, 1.0), (400.0, 20.0)])
def test_it_stays_within_bounds(seconds, price):
    assert measured_price([said("a", True, 2.0)] * 20 + [said(None, ["a"], seconds)] * 20) == price


def test_what_was_not_answered_does_not_count():
    skipped = [said(None, "skip", 50.0), said("a", "cant_tell", 50.0), said("a", True, None)] * 30
    answers = [said("a", True, 2.0), said(None, ["a"], 8.0)] * 20
    assert measured_price(skipped + answers) == 4.0
    assert (
        measured_price([said("a", True, 0.0), said(None, ["a"], 8.0)] * 20) == 3.0
    )  # no clock can tell


def test_what_yes_or_no_about_each_label_costs():
    events = [said("a", True, 8.0)] * 20 + [said("b", True, 2.0)] * 60 + [said("c", True, 4.0)] * 5
    events += [said("gone", True, 100.0)] * 99  # a label that the ontology no longer has
    # 4 seconds are usual: 20 answers that took twice as long, after 20 that took as long as usual; and so on.
    assert measured_costs(events, FREE) == {
        "a": (20 * 2 + 20) / 40,
        "b": (60 * 0.5 + 20) / 80,
        "c": 1.0,
    }
    assert measured_costs([said("a", True, 0.0)] * 30, FREE) == {}  # no clock can tell
    assert measured_costs([], FREE) == {}


def test_a_slow_label_that_is_asked_most_is_not_the_measure():
    events = (
        [said("a", True, 9.0)] * 300 + [said("b", True, 1.0)] * 12 + [said("c", True, 2.0)] * 12
    )
    events += [said("d", True, 3.0)] * 12 + [said("e", True, 2.0)] * 12
    found = measured_costs(events, FREE)
    assert found["a"] == pytest.approx((300 * 4.5 + 20) / 320)
    assert found["b"] < found["c"] == found["e"] == 1.0 < found["d"] < 1.25 < found["a"]


def test_few_answers_tell_little_of_a_label_and_one_left_open_overnight_next_to_nothing():
    usual = [said("a", True, 2.0), said("b", True, 2.0), said("c", True, 2.0)] * 30
    one = measured_costs([*usual, said("d", True, 40_000.0)], FREE)["d"]
    assert 1.0 < one < 1.2
    some, many = (
        measured_costs([*usual, *[said("d", True, 6.0)] * n], FREE)["d"] for n in (5, 500)
    )
    assert one < some < many
    assert many == pytest.approx(3.0, rel=0.05)


def test_costs_stay_within_bounds():
    events = [said(label, True, 2.0) for label in "abc"] * 20
    events += [said("d", True, 0.01)] * 10_000 + [said("e", True, 900.0)] * 10_000
    found = measured_costs(events, FREE)
    assert found["d"] == pytest.approx(0.2, rel=0.01)
    assert found["e"] == pytest.approx(5.0, rel=0.01)
    assert all(0.2 <= cost <= 5.0 for cost in found.values())


def test_measured_costs_are_used_only_if_wanted():
    events = [said("a", True, 8.0)] * 20 + [said("b", True, 2.0)] * 40 + [said("c", True, 2.0)] * 20
    assert prices(Settings(), FREE, events).tolist() == [1.0] * 7
    assert prices(Settings(costs="measured"), FREE, events).tolist() == [
        2.5,
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
    ]
    whole = [said(None, ["a"], 6.0)] * 20
    two = co.Ontology([*"abcd"], [co.exactly_one("b", "c", "d")])  # a pick, and yes or no about a
    assert prices(Settings(costs="measured"), two, events + whole)[-1] == 3.0 + 2.5
    assert prices(Settings(), two, events + whole)[-1] == 3.0 + 1.0
    assert prices(Settings(costs="measured", item_cost=2.0), two, events + whole)[-1] == 2.0


def test_a_pick_is_priced_in_the_unit_of_the_labels():
    two = co.Ontology([*"abcd"], [co.exactly_one("b", "c", "d")])
    events = [said("a", True, 9.0)] * 300 + [said(label, True, 2.0) for label in "bcd"] * 20
    events += [said(None, ["b"], 6.0)] * 20
    slow = (300 * 4.5 + 20) / 320
    np.testing.assert_allclose(
        prices(Settings(costs="measured"), two, events), [slow, 1.0, 1.0, 1.0, 3.0 + slow]
    )


def test_people_are_asked_what_tells_more_for_its_time(tmp_path):
    onto = co.Ontology(["quick", "slow"])
    settings = {"learner": "logistic", "retrain_every": 10**6}
    with Campaign.create(
        tmp_path / "c.sqlite", map(str, range(40)), onto, name="c", settings=settings
    ) as campaign:
        for n, item in enumerate(campaign.state.ids[:20]):
            campaign.answer("lead", item, "quick", bool(n % 2), seconds=1.0)
            campaign.answer("lead", item, "slow", bool(n % 2), seconds=9.0)
        assert campaign.state.session.scoring.cost.tolist() == [1.0, 1.0, 1.0]
        campaign.change_settings("lead", {"costs": "measured"})
        np.testing.assert_allclose(campaign.state.session.scoring.cost, [0.6, 1.4, 1.0])
        assert [one.label for one in campaign.next("lead", 5)] == ["quick"] * 5
        assert not campaign.verify(train=False)
        campaign.answer("lead", campaign.state.ids[30], "slow", True, seconds=0.1)
        campaign.retrain(wait=True)
        np.testing.assert_allclose(
            campaign.state.session.scoring.cost, [0.6, (21 * 1.8 + 20) / 41, 1.0]
        )


def log(*said):
    """Events from (who, item, label, value, seconds), or the number of an event to take back."""
    found = []
    for seq, one in enumerate(said, 1):
        if isinstance(one, int):
            found.append(
                Event(
                    kind=UNDO, who=found[one - 1].who, item=found[one - 1].item, refers=one, seq=seq
                )
            )
        else:
            who, item, label, value, seconds = one
            found.append(
                Event(
                    kind=ANSWER,
                    who=who,
                    item=item,
                    label=label,
                    value=value,
                    seconds=seconds,
                    seq=seq,
                )
            )
    return found


def kinds(*said):
    return [kind for _, kind in with_kind(log(*said))]


def test_the_kinds():
    found = kinds(
        ("ann", "i", "a", True, 2.0),
        ("bob", "i", "a", False, 3.0),
        ("bob", "j", "a", False, 3.0),
        ("ann", "i", None, ["a"], 9.0),
        ("bob", "i", None, "skip", 9.0),
        ("cem", "i", "b", "cant_tell", 9.0),
        ("ann", "i", "b", True, 2.0),
    )
    assert found == [
        "yes_no",
        "second_opinion",
        "yes_no",
        "whole_item",
        "no_answer",
        "no_answer",
        "yes_no",
    ]


def test_what_was_taken_back_is_no_opinion_to_come_second_to():
    first = ("ann", "i", "a", True, 2.0)
    assert kinds(first, ("ann", "i", "a", False, 2.0)) == [
        "yes_no",
        "yes_no",
    ]  # their own answer, changed
    assert (
        kinds(first, first, 2, ("bob", "i", "a", True, 2.0))[-1] == "second_opinion"
    )  # one of two is left
    assert kinds(first, 1, ("bob", "i", "a", True, 2.0)) == ["yes_no", "yes_no"]
    third = ("cem", "i", "a", True, 2.0)
    assert kinds(first, ("bob", "i", "a", True, 2.0), 1, third) == [
        "yes_no",
        "second_opinion",
        "second_opinion",
    ]


def test_medians_and_sums():
    events = log(
        *(("ann", str(n), "a", True, seconds) for n, seconds in enumerate([1.0, 2.0, 30.0, None])),
        ("ann", "9", "a", "skip", 4.0),
    )
    found = AnswerTimes().follow(events).figures()
    assert list(found) == list(KINDS)
    assert found["yes_no"] == {"answers": 4, "timed": 3, "median": 2.0, "total": 33.0, "cut": 0}
    assert found["no_answer"] == {"answers": 1, "timed": 1, "median": 4.0, "total": 4.0, "cut": 0}
    assert found["whole_item"] == {"answers": 0, "timed": 0, "median": None, "total": 0, "cut": 0}


def test_a_question_left_open_overnight_does_not_outweigh_the_others():
    seconds = [2.0] * 99 + [40_000.0]
    events = log(*(("ann", str(n), "a", True, one) for n, one in enumerate(seconds)))
    found = AnswerTimes().follow(events).figures()["yes_no"]
    assert found == {
        "answers": 100,
        "timed": 100,
        "median": 2.0,
        "total": 99 * 2.0 + LONGEST,
        "cut": 1,
    }


answers = st.tuples(
    st.sampled_from(["ann", "bob"]),
    st.just("i"),
    st.sampled_from(["a", "b"]),
    st.sampled_from([True, False, "skip"]),
    st.none() | st.floats(0, 100),
)


@given(st.lists(answers | st.integers(1, 6), max_size=12))
def test_kinds_are_what_one_would_count(steps):
    said = []
    for step in steps:
        if not isinstance(step, int) or (step <= len(said) and not isinstance(said[step - 1], int)):
            said.append(step)
    events = log(*said)

    def naive(at):  # looks at all that came before
        one = events[at]
        if isinstance(one.value, str):
            return "no_answer"
        before = events[:at]
        undone = {other.refers for other in before if other.kind == UNDO}
        others = {
            (other.item, other.label, other.who)
            for other in before
            if other.kind == ANSWER and isinstance(other.value, bool) and other.seq not in undone
        }
        return (
            "second_opinion"
            if any(
                (item, label) == (one.item, one.label) and who != one.who
                for item, label, who in others
            )
            else "yes_no"
        )

    expected = [naive(n) for n, event in enumerate(events) if event.kind == ANSWER]
    assert [kind for _, kind in with_kind(events)] == expected
    growing = AnswerTimes()
    for upto in (len(events) // 2, len(events)):
        growing.follow(events[:upto])
    found = growing.figures()
    assert found == AnswerTimes().follow(events).figures()
    for kind, n in Counter(expected).items():
        own = [e.seconds for e, one in with_kind(events) if one == kind and e.seconds is not None]
        assert (found[kind]["answers"], found[kind]["timed"]) == (n, len(own))
        assert found[kind]["median"] == (pytest.approx(median(own)) if own else None)
