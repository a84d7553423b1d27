"""The list of items against a twin that looks at one item after another."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import GOLD
from corollary.campaign.items import Item
from corollary.campaign.reading.item_list import (
    DOUBTFUL,
    CellState,
    Mark,
    Sort,
    Wanted,
    narrowest_of,
)
from corollary.campaign.reading.probabilities import likeliest

from ..team import TEXT, WORDS, true_answer

PARENTS = {
    "bird": "animal",
    "fish": "animal",
    "mammal": "animal",
    "city": "place",
    "river": "place",
}
LABELS = ("animal", "place", *PARENTS)


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """Items of which some are answered, decided, gold, flagged, in conflict, withdrawn; and a model."""
    items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(60)]
    path = tmp_path_factory.mktemp("list") / "list.sqlite"
    facts = [("i40", "city", False), ("i41", "fish", True)]
    onto, start = co.Ontology.parse(TEXT), {"retrain_every": 10**6}
    with Campaign.create(
        path, items, onto, name="l", settings=start, lead="mara", facts=facts
    ) as campaign:
        for who in ("ann", "ben"):
            campaign.invite(who)
        for k in range(12):
            campaign.answer("ann", f"i{k}", "animal", true_answer(f"i{k}", "animal"))
        for k in range(5, 9):
            campaign.answer("ben", f"i{k}", "bird", true_answer(f"i{k}", "bird"))
        campaign.answer("ben", "i1", "animal", False)
        campaign.undo("ben", campaign.answer("ben", "i30", "river", True).seq)
        campaign.gold("mara", "i20", "bird", True)
        campaign.decide("mara", "i21", "fish", True)
        campaign.flag("ben", "i33", "city", reason="text")
        campaign.withdraw("i44", who="mara")
        campaign.retrain(wait=True)
        yield campaign


def naive(campaign, wanted):
    """The ids that fit, in order, found item by item."""
    state = campaign.state
    (p, doubts), _ = likeliest(state.onto, state.session.beliefs, state.facts)
    found = []
    for i, name in enumerate(state.ids):
        view, events = (
            campaign.item(name),
            [e for e in state.of_item.get(name, ()) if e.seq not in state.taken_back],
        )
        cells = {}
        for k, label in enumerate(state.onto.labels):
            value, source = view.values[label]
            cells[label] = {
                "open": value is None,
                "yes": value is True,
                "no": value is False,
                "asked": source == "asked",
                "implied": source == "implied",
                "predicted": value is None and p[i, k] >= 0.5,
                "predicted_no": value is None and p[i, k] < 0.5,
                "doubt": min(p[i, k], np.float32(1) - p[i, k]) if value is None else 0.0,
                "probability": p[i, k] if value is None else float(value),
            }
        some = [cells[wanted.label]] if wanted.label else list(cells.values())
        doubt = some[0]["doubt"] if wanted.label else doubts[i]
        golden = [e.label for e in events if e.kind == GOLD]
        marks = {
            "doubtful": doubt >= DOUBTFUL,
            "flagged": any(e.kind in ("flag", "doubt") for e in events),
            "conflict": bool(view.standing.conflicts),
            "gold": bool(golden) and wanted.label in (None, *golden),
            "withdrawn": name in state.withdrawn,
        }
        fits = (
            (wanted.mark == "withdrawn" or not marks["withdrawn"])
            and (wanted.mark is None or marks[wanted.mark])
            and (wanted.state is None or any(one[wanted.state] for one in some))
            and (
                wanted.who is None or any(e.who == wanted.who and e.kind != "undo" for e in events)
            )
            and (wanted.query.casefold() in f"{name}\n{view.item.text}".casefold())
        )
        if fits:
            key = {"order": 0.0, "doubt": doubt, "probability": some[0]["probability"]}[wanted.sort]
            found.append((key if wanted.up else -key, i, name))
    ids = [name for _, _, name in sorted(found)]
    return ids[::-1] if wanted.sort == "order" and wanted.up else ids


@st.composite
def wishes(draw):
    sort = draw(st.sampled_from(get_args(Sort)))
    label = draw(st.sampled_from(LABELS if sort == "probability" else (None, *LABELS)))
    return Wanted(
        query=draw(st.sampled_from(["", "", "FIN", "i1", "bank flow 4", "zebra"])),
        label=label,
        state=draw(st.sampled_from([None, None, *get_args(CellState)])),
        mark=draw(st.sampled_from([None, None, None, *get_args(Mark)])),
        who=draw(st.sampled_from([None, None, "ann", "ben", "mara", "import"])),
        sort=sort,
        up=draw(st.booleans()),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(wanted=wishes(), limit=st.integers(1, 20))
def test_the_list_is_what_looking_at_each_item_gives(busy, wanted, limit):
    ids = naive(busy, wanted)
    shown, offset = [], 0
    while True:
        page = busy.list_items(wanted, offset=offset, limit=limit)
        assert page.total == len(ids)
        shown += [row.item.id for row in page.rows]
        offset += limit
        if len(page.rows) < limit:
            break
    assert shown == ids
    assert sorted(busy.list_ids(wanted)) == sorted(ids)


def test_more_than_can_be_answered_at_once_are_refused(busy):
    assert len(busy.list_ids(most=59)) == 59  # one is withdrawn
    with pytest.raises(
        co.CorollaryError,
        match="59 items fit, and at most 58 can be answered at once: look for fewer",
    ):
        busy.list_ids(most=58)


def test_a_row_tells_what_is_known_and_predicted(busy):
    (row,) = busy.list_items(Wanted(query="i21", label="animal")).rows
    assert (row.yes, row.open, row.doubt, row.predicted) == (("fish",), 0, 0.0, ())
    assert (row.value, row.source, row.probability) == (True, "implied", None)
    (row,) = busy.list_items(Wanted(query="i0", label="bird")).rows
    assert row.yes == ("animal",)
    assert row.value is None
    assert [label for label, _ in row.predicted] == ["bird"]
    assert row.probability == pytest.approx(row.predicted[0][1])
    assert {row.item.id: row.marks for row in busy.list_items(Wanted(mark="conflict")).rows} == {
        "i1": ("conflict",)
    }


def test_what_is_said_since_is_in_the_list(make):
    campaign = make(10, retrain_every=10**6)
    assert campaign.list_items(Wanted(sort="doubt")).model == 0
    assert campaign.list_items(Wanted(mark="doubtful")).total == 0
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i1", "bird", False)
    campaign.retrain(wait=True)
    before = campaign.list_items(Wanted(sort="doubt"))
    assert before.model == 1
    first = before.rows[0].item.id
    campaign.answer("ann", first, "bird", True)
    assert [row.item.id for row in campaign.list_items(Wanted(sort="doubt")).rows] == naive(
        campaign, Wanted(sort="doubt")
    )
    campaign.add("mara", [Item("new", text="feather new")])
    assert [row.item.id for row in campaign.list_items(Wanted(query="new")).rows] == ["new"]
    campaign.undo("ann")
    wanted = Wanted(sort="doubt", label="bird")
    assert [row.item.id for row in campaign.list_items(wanted).rows] == naive(campaign, wanted)


def test_what_cannot_be_wanted_is_refused(make):
    campaign = make(3)
    for wrong, told in (
        (Wanted(label="brid"), "unknown label 'brid'; did you mean 'bird'"),
        (Wanted(who="anna"), "nobody called 'anna' said anything here"),
        (Wanted(sort="probability"), "say which label"),
        (
            replace(Wanted(), sort="size"),
            "sort must be one of order, doubt, probability, got 'size'",
        ),
        (replace(Wanted(), mark="red"), "mark must be one of"),
    ):
        with pytest.raises(co.CorollaryError, match=told):
            campaign.list_items(wrong)


def test_the_narrowest_labels():
    parents = {"a": ["b"], "b": ["c"], "d": ["b", "e"], "x": ["y"], "y": ["x"]}
    assert narrowest_of(["a", "b", "c"], parents) == ["a"]
    assert narrowest_of(["c", "d", "e"], parents) == ["d"]
    assert narrowest_of(["b", "e"], parents) == ["b", "e"]
    assert narrowest_of([], parents) == []
