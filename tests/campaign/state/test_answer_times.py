"""Seconds by kind of question, as the log tells them."""

from __future__ import annotations

from collections import Counter
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.events import ANSWER, UNDO, Event
from corollary.campaign.state.answer_times import KINDS, LONGEST, AnswerTimes, with_kind


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
