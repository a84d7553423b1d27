"""Events of rows, the short way: the same events, and the same errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import CorollaryError
from corollary.campaign import events as events_module
from corollary.campaign.events import Event, from_row, to_row
from corollary.campaign.storage.event_rows import COLUMNS, EventRows

from ..test_events import answers, undone, whole


def rows_of(events):
    return [tuple(to_row(event)[name] for name in COLUMNS) for event in events]


@given(st.lists(answers | whole | undone, max_size=5))
def test_events_are_those_that_are_checked_the_long_way(events):
    assert list(EventRows().events(rows_of(events))) == events


SAID = {"kind": "answer", "who": "ann", "item": "i", "label": "l"}
USUAL = Event(**SAID, value=True, seconds=1.5, seq=3, detail={"drawn": [True, 0.8]})


def test_the_usual_answer_is_not_checked_the_long_way(monkeypatch):
    monkeypatch.setattr(events_module, "_wrong", lambda _: "it was checked")
    assert list(EventRows().events(rows_of([USUAL, USUAL]))) == [USUAL, USUAL]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seq", -1), ("seq", 2**63), ("seq", 1.5), ("key", ""), ("key", "k\0"), ("key", "k" * 201), ("key", 7),
        ("at", ""), ("at", None), ("who", ""), ("who", "a\0"), ("item", None), ("item", 7), ("label", "l\0"),
        ("value", "7"), ("seconds", -1.0), ("seconds", float("inf")), ("seconds", "1"), ("ontology", 0),
        ("model", -1), ("refers", 0), ("detail", "[]"), ("detail", '{"doubted": 1}'), ("detail", '{"trust": 1}'),
        ("kind", "nothing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_as_ever(name, value):
    row = {column: to_row(USUAL)[column] for column in COLUMNS} | {name: value}
    with pytest.raises(CorollaryError) as expected:
        from_row(row)
    with pytest.raises(CorollaryError) as told:
        list(
            EventRows().events(
                [tuple(to_row(USUAL)[column] for column in COLUMNS), tuple(row.values())]
            )
        )
    assert str(told.value) == str(expected.value)


def test_names_are_shared():
    one, two = EventRows().events(rows_of([USUAL, Event(**SAID, value=False)]))
    assert one.item is two.item
    assert one.who is two.who
