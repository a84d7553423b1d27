"""What an event must say, and that JSON and rows keep all of it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import CorollaryError
from corollary.campaign.events import KINDS, Event, from_row, new_key, now, to_json, to_row

text = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20
)
count = st.integers(1, 2**62)
values = st.booleans() | st.sampled_from(["cant_tell", "skip"])
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
answers = st.builds(
    Event,
    kind=st.just("answer"), who=text, item=text, label=text, value=values,
    seconds=st.none() | st.floats(0, 1e6), ontology=count, model=st.integers(0, 9), refers=st.none() | count,
    detail=st.none() | st.dictionaries(text, anything, max_size=3), seq=st.integers(0, 2**62),
)  # fmt: skip
whole = st.builds(
    Event, kind=st.just("answer"), who=text, item=text, value=st.lists(text, max_size=4)
)
undone = st.builds(Event, kind=st.just("undo"), who=text, refers=count)


@given(answers | whole | undone)
def test_json_and_rows_keep_all_of_an_event(event):
    assert Event.from_json(event.to_json()) == event
    assert from_row(to_row(event)) == event
    assert "\n" not in event.to_json()
    for value in to_row(event).values():
        assert value is None or isinstance(value, str | int | float)


def test_what_an_event_fills_in():
    one, two = (Event(kind="pause", who="lead") for _ in range(2))
    assert one.key != two.key
    assert one.at <= two.at
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", one.at)
    assert one.seq == 0
    assert one.placed(4).seq == 4
    assert asdict(one.placed(4)) == asdict(one) | {"seq": 4}
    assert (len(new_key()), len(now())) == (36, 32)


GOOD = {
    "answer": {"item": "i", "label": "l", "value": True},
    "undo": {"refers": 1},
    "flag": {"item": "i", "detail": {"reason": "rule", "note": "", "rule": "a >> b"}},
    "unflag": {"refers": 1},
    "decision": {"item": "i", "label": "l", "value": False, "detail": {"reject": [3, 4]}},
    "doubt": {"refers": 1, "detail": {"rules": [], "note": ""}},
    "fact": {"item": "i", "label": "l", "value": True},
    "gold": {"item": "i", "label": "l", "value": True},
    "withdraw": {"item": "i", "detail": {"reason": "twice"}},
    "items": {"value": 3},
    "ontology": {"value": 2},
    "settings": {"detail": {"overlap": 0.5}},
    "pause": {},
    "resume": {"value": "Ann"},
    "model": {"value": 1, "detail": {"upto": 0, "sha256": "00"}},
    "audit": {
        "value": [["i", "l", True]],
        "detail": {"at_least": 0.99, "most_wrong": 0.01, "cells": 7},
    },
    "accept": {
        "item": "i",
        "value": {"l": True},
        "detail": {"audit": 3, "probability": {"l": 0.999}},
    },
    "report": {"value": 4, "detail": {"by": "mara", "sha256": "00", "items": 2}},
}


def test_every_kind_has_a_good_example():
    assert list(GOOD) == list(KINDS)
    for kind, content in GOOD.items():
        assert Event(kind=kind, who="ann", **content).kind == kind


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("answer", {"item": None}, "must name an item"),
        ("answer", {"value": 1}, 'must be true, false, "cant_tell" or "skip", got 1'),
        ("answer", {"value": None}, "an answer must be true, false"),
        ("answer", {"value": ["l"]}, "an answer must be true, false"),
        ("answer", {"label": None}, "an answer must be a list of labels"),
        ("answer", {"label": None, "value": [1]}, "a list of labels"),
        ("answer", {"seconds": -1.0}, "seconds must be a number from 0"),
        ("answer", {"seconds": float("inf")}, "seconds must be a number from 0"),
        ("answer", {"seconds": True}, "seconds must be"),
        ("answer", {"ontology": 0}, "ontology must be an integer from 1"),
        ("answer", {"model": True}, "model must be an integer from 0"),
        ("answer", {"seq": 2**63}, "seq must be an integer"),
        ("answer", {"item": "a\0"}, "item must be text without NUL"),
        ("answer", {"label": "\ud800"}, "label must be text without NUL and half characters"),
        ("answer", {"who": ""}, "who must be a text that is not empty"),
        ("answer", {"key": ""}, "key must be a text"),
        ("answer", {"key": "k" * 201}, "the key has 201 characters; at most 200"),
        ("answer", {"detail": ["x"]}, "detail must be an object"),
        ("undo", {"refers": None}, "must refer to an event"),
        ("undo", {"refers": 0}, "refers must be the number of an event"),
        (
            "flag",
            {"detail": {"reason": "boring"}},
            "the reason must be one of question, text, rule, other",
        ),
        ("decision", {"value": "skip"}, "must be true or false"),
        ("decision", {"label": None}, "must name a label"),
        ("decision", {"detail": {"reject": [0]}}, "must reject a list of numbers"),
        ("fact", {"value": None}, "must be true or false"),
        ("audit", {"value": [["i", "l", 1]]}, "list the questions drawn"),
        ("audit", {"value": [["i", None, True]]}, "list the questions drawn"),
        ("audit", {"value": [["i", None, ["l", 1]]]}, "list the questions drawn"),
        ("audit", {"detail": {"at_least": 0.99}}, 'the details "at_least" and "most_wrong"'),
        ("accept", {"item": None}, "must name an item"),
        ("accept", {"value": {}}, "yes or no by label"),
        ("accept", {"value": [1]}, "or a list of labels"),
        ("accept", {"detail": None}, 'have the detail "audit"'),
        ("items", {"value": 0}, "an integer from 1"),
        ("model", {"detail": None}, 'details "upto" and "sha256"'),
        ("report", {"value": 0}, "must count cells"),
        ("report", {"detail": {"by": "mara"}}, 'the details "by" and "sha256"'),
        ("settings", {"detail": {}}, "must be what changed"),
    ],
)
def test_what_is_no_event(kind, change, words):
    with pytest.raises(CorollaryError, match=re.escape(words)):
        Event(**{"kind": kind, "who": "ann"} | GOOD[kind] | change)


def test_an_unknown_kind():
    with pytest.raises(CorollaryError, match="the kind must be one of answer, undo"):
        Event(kind="shout", who="ann")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[1]", "expected a JSON object"),
        (
            json.dumps({"kind": "pause", "who": "a", "key": "k", "at": "t", "mood": 1}),
            "unknown field 'mood'",
        ),
        (json.dumps({"kind": "pause", "who": "a", "at": "t"}), "'key' is missing"),
    ],
)
def test_json_that_is_no_event(line, words):
    with pytest.raises(CorollaryError, match=words):
        Event.from_json(line)


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}, {1, 2}, "\udc00", b"x"])
def test_values_that_json_cannot_hold(value):
    with pytest.raises(CorollaryError, match=r"JSON|surrogate"):
        to_json(value)
