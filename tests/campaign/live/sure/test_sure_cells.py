"""What is sure, against the legal worlds written out."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.exports.exports import export
from corollary.campaign.live.sure.sure_cells import (
    find_sure_items,
    labellings,
    narrowest_labels,
    sure_values,
    unit_of,
)

from ....logic.brute import truth
from ....logic.ontologies import entailed, ontologies, worlds
from ...team import TEXT, TRUTH


@given(ontologies(), st.integers(0, 10**6), st.sampled_from((0.6, 0.8, 0.95)))
@settings(max_examples=60, deadline=None)
def test_what_is_sure_is_probable_legal_and_all_that_follows_is_sure(drawn, seed, at_least):
    labels, constraints = drawn
    legal = worlds(labels, constraints)
    assume(len(legal))
    onto = co.Ontology(labels, constraints)
    rng = np.random.default_rng(seed)
    beliefs = rng.uniform(0.01, 0.99, (3, len(labels)))
    world = legal[rng.integers(len(legal), size=3)]
    facts = onto.propagate(np.where(rng.random(world.shape) < 0.2, world, -1).astype(np.int8))
    found = sure_values(onto, beliefs, facts, at_least)
    for i in range(3):
        told = truth(legal, beliefs[i], facts[i])
        assert told is not None
        p = told.posterior
        sure = {
            label: bool(found.value[i, k])
            for k, label in enumerate(labels)
            if found.value[i, k] >= 0
        }
        known = {label: bool(facts[i, k]) for k, label in enumerate(labels) if facts[i, k] >= 0}
        assert not sure.keys() & known.keys()
        for label, value in sure.items():
            k = labels.index(label)
            assert found.probability[i, k] == pytest.approx(p[k] if value else 1 - p[k], abs=1e-6)
            assert found.probability[i, k] >= at_least
        assert entailed(legal, labels, known | sure) == known | sure
        if not found.left_out[i]:
            for k, label in enumerate(labels):
                if (
                    label not in known
                    and max(p[k], 1 - p[k]) > at_least + 1e-6
                    and label not in sure
                ):
                    best = onto.most_probable(beliefs[i : i + 1], facts[i : i + 1])[0, k]
                    assert (p[k] if best else 1 - p[k]) < at_least


def test_where_each_is_improbable_and_one_must_be_it_nothing_is_sure():
    onto = co.Ontology.parse("exactly one: a, b, c, d, e, f, g, h, i, j, k")
    beliefs, nothing = np.full((1, 11), 0.5), np.full((1, 11), -1, np.int8)
    found = sure_values(onto, beliefs, nothing, 0.9)
    assert (found.value < 0).all()
    assert found.left_out.tolist() == [True]
    beliefs[0, 3] = 1 - 1e-6
    found = sure_values(onto, beliefs, nothing, 0.9)
    assert found.value.tolist() == [[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]]
    assert found.left_out.tolist() == [False]


LOOSE = {"at_least": 0.6, "most_wrong": 0.4}


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        (TEXT, "items"),
        ("exactly one: a, b, c", "items"),
        ("animal > exactly one: bird, fish", "items"),
        (f"{TEXT}\nanimal > tame", "cells"),
        ("exactly one: a, b, c\nexactly one: d, e, f", "cells"),
        ("at least one: a, b", "cells"),
        ("labels: a, b", "cells"),
    ],
)
def test_whole_items_count_where_one_label_with_those_above_it_or_none_holds(text, unit):
    assert unit_of(co.Ontology.parse(text)) == unit


@pytest.mark.parametrize(
    "text", [TEXT, "exactly one: a, b, c", "a > exactly one: b, c\nb > exclusive: d, e"]
)
def test_the_narrowest_label_stands_for_the_whole_labelling(text):
    onto = co.Ontology.parse(text)
    cells = np.array(np.meshgrid(*[[0, 1]] * len(onto))).T.reshape(-1, len(onto)).astype(np.int8)
    legal = cells[~onto.closure(cells)[1]]
    narrow = narrowest_labels(onto, legal)
    assert len(set(narrow.tolist())) == len(legal)
    named = [[] if k < 0 else [onto.labels[k]] for k in narrow.tolist()]
    assert (labellings(onto, named) == legal).all()


def listed(state, item):
    """The most probable legal labelling of an item, by listing them, and its probability."""
    onto, row = state.onto, state.row(item)
    cells = np.array(np.meshgrid(*[[0, 1]] * len(onto))).T.reshape(-1, len(onto)).astype(np.int8)
    known = state.facts[row]
    legal = [w for w in cells[~onto.closure(cells)[1]] if ((known < 0) | (known == w)).all()]
    beliefs = state.session.beliefs[row]
    weights = [float(np.prod(np.where(w == 1, beliefs, 1 - beliefs))) for w in legal]
    return {onto.labels[k] for k in np.flatnonzero(legal[int(np.argmax(weights))])}, max(
        weights
    ) / sum(weights)


@pytest.mark.parametrize("at_least", [0.6, 0.8, 0.9])
def test_an_item_is_sure_when_its_most_probable_labelling_is(trained, at_least):
    campaign = trained(30)
    campaign.answer("ann", "i20", "animal", True)  # something is known, the rest is open
    campaign.withdraw(["i21"], who="mara")
    campaign.answer("ann", "i22", "bird", True)
    campaign.answer("ben", "i22", "bird", False)  # in conflict
    state = campaign.state
    found = find_sure_items(state, at_least)
    sure = {
        state.ids[i]: (k, p)
        for i, k, p in zip(found.row, found.label, found.probability, strict=True)
    }
    assert not sure.keys() & {f"i{n}" for n in (*range(15), 21, 22)}
    for item in [*map(str, (f"i{n}" for n in range(15, 21))), *(f"i{n}" for n in range(23, 30))]:
        labels, p = listed(state, item)
        assert (item in sure) == (p >= at_least)
        if item in sure:
            k, probability = sure[item]
            assert probability == pytest.approx(p, abs=1e-9)
            assert state.onto.labels[k] in labels
            assert {*state.onto.propagate({state.onto.labels[k]: True})} >= labels
    assert found.cells == sum((state.facts[i] < 0).sum() for i in found.row)


def test_with_many_labels_a_small_share_of_wrong_cells_does_not_hide_wrong_items(make):
    """20 classes, 10 % of the items wrong: 1 % of the cells. An audit of 5 % wrong must fail."""
    names = [f"class{n}" for n in range(20)]
    campaign = make(100, onto=f"exactly one: {', '.join(names)}")
    for n in range(10):
        campaign.answer("ann", f"i{n}", None, [names[n % 5]])
    campaign.retrain(wait=True)
    beliefs = np.full((100, 20), 1e-4)
    beliefs[np.arange(100), np.arange(100) % 5] = 0.999
    campaign.state.take_beliefs(beliefs)
    campaign.state.rebuild()
    told = campaign.sure("mara", 0.95)
    assert (told.unit, told.needed, told.items, told.cells) == ("items", 59, 90, 90 * 20)
    audit = campaign.audit("mara", 0.95)
    assert audit.unit == "items"
    for n, (item, label, value) in enumerate(audit.drawn):
        assert label is None
        wrong = next(name for name in names if [name] != list(value))
        campaign.answer("mara", item, None, [wrong] if n % 10 == 0 else list(value))
    audit = campaign.last_audit("mara")
    assert (audit.state, audit.wrong, audit.right) == ("failed", 6, 53)
    cells = 2 * audit.wrong / (len(names) * len(audit.drawn))
    assert cells < 0.05 < audit.at_most
    with pytest.raises(
        co.CorollaryError, match=r"6 of 59 items were wrong. More than the allowed 5.00%"
    ):
        campaign.accept("mara")


def test_whole_items_are_accepted_by_their_narrowest_label_and_taken_back(passed, make):
    campaign = passed()
    before = campaign.state.facts.copy()
    sure = find_sure_items(campaign.state, 0.6, as_of=campaign.state.audits[-1].seq)
    assert sure.items > 3
    reply = campaign.accept("mara", key="g")
    assert [event.item for event in reply.events] == [campaign.state.ids[i] for i in sure.row]
    for event, p in zip(reply.events, sure.probability, strict=True):
        assert isinstance(event.value, list)
        assert event.detail == {
            "audit": campaign.state.audits[-1].seq,
            "probability": p,
            "group": "g",
        }
        known = campaign.state.known_of(event.item)
        assert len(known) == len(campaign.state.onto)
        if event.value:
            assert known[event.value[0]] is True
    assert (reply.settled, reply.left) == (sure.cells, 0)
    assert campaign.progress()["accepted"] == sum(len(event.value) for event in reply.events)
    assert campaign.verify(step_by_step=True) == []
    campaign = make.again(campaign)
    assert campaign.undo_all("mara", "g").opened == reply.settled
    assert (campaign.state.facts == before).all()
    assert campaign.verify(step_by_step=True) == []


def test_what_was_accepted_stays_true_when_a_label_moves(passed):
    campaign = passed()
    reply = campaign.accept("mara")
    (fish, *_) = [event.item for event in reply.events if event.value == ["fish"]]
    moved = "animal > exclusive: bird, mammal\nplace > exclusive: city, river, fish\nexclusive: animal, place"
    campaign.change_ontology("mara", moved)
    known = campaign.state.known_of(fish)
    assert known["fish"] is known["place"] is True
    assert known["animal"] is False
    assert fish not in campaign.state.held
    assert campaign.verify(step_by_step=True) == []


def test_accepting_takes_back_nothing_that_its_lead_said(passed):
    campaign = passed()
    sure = find_sure_items(campaign.state, 0.6, as_of=campaign.state.audits[-1].seq)
    item, k = campaign.state.ids[sure.row[0]], int(sure.label[0])
    narrow = campaign.state.onto.labels[k]
    wide = "animal" if narrow in TRUTH[:3] else "place"
    campaign.answer("mara", item, wide, True)
    reply = campaign.accept("mara")
    assert [event.value for event in reply.events if event.item == item] == [[narrow]]
    view = campaign.item(item)
    assert view.values[wide] == (True, "asked")
    assert view.values[narrow] == (True, "accepted")


def test_only_what_could_have_been_drawn_is_accepted(passed):
    campaign = passed()
    sure = find_sure_items(campaign.state, 0.6, as_of=campaign.state.audits[-1].seq)
    named = {
        campaign.state.ids[i]: campaign.state.onto.labels[k]
        for i, k in zip(sure.row, sure.label, strict=True)
    }
    agreed, denied, gone, *_ = named
    campaign.answer("ben", agreed, "animal" if named[agreed] in TRUTH[:3] else "place", True)
    campaign.answer("ben", denied, named[denied], False)
    campaign.withdraw([gone], who="mara")
    campaign.add("mara", [co.Item("new", text="feather wing")])
    accepted = {event.item for event in campaign.accept("mara").events}
    assert accepted >= named.keys() - {denied, gone, agreed}
    assert agreed in accepted
    assert not accepted & {denied, gone, "new"}


def test_cant_tell_and_a_withdrawal_confirm_nothing(trained):
    campaign = trained()
    (first, _, _), (second, _, _), (third, _, value), *_ = campaign.audit("mara", **LOOSE).drawn
    campaign.answer("mara", first, None, "cant_tell")
    campaign.withdraw([second], who="mara")
    campaign.answer("ben", third, value[0], True)  # a yes to the narrowest label settles it all
    audit = campaign.last_audit("mara")
    assert (audit.wrong, audit.right) == (2, 1)


def test_an_audit_of_cells_from_before_is_outdated(trained):
    campaign = trained()
    state, sure = campaign.state, find_sure_items(campaign.state, 0.6)
    cells = [
        [state.ids[i], state.onto.labels[k], True]
        for i, k in zip(sure.row[:6], sure.label[:6], strict=True)
    ]
    campaign.audit("mara", **LOOSE)
    event = campaign.state.audits[-1]
    detail = {"at_least": 0.6, "most_wrong": 0.4, "cells": 100}
    campaign.state.audits[-1] = replace(event, value=cells, detail=detail)
    for item, label, value in cells:
        campaign.answer("mara", item, label, value)
    audit = campaign.last_audit("mara")
    assert (audit.unit, audit.state, audit.right, audit.sure) == ("cells", "outdated", 6, 100)
    with pytest.raises(co.CorollaryError, match="is of an earlier model or ontology"):
        campaign.accept("mara")


def test_exports_call_what_follows_from_an_acceptance_alone_accepted(passed, tmp_path):
    campaign = passed()
    reply = campaign.accept("mara")
    path = tmp_path / "cells.csv"
    export(campaign, path, format="csv-long")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = {event.item: event for event in reply.events}
    for row in rows:
        if row["item"] in told:
            event = told[row["item"]]
            assert row["source"] == "accepted"
            own = row["label"] in event.value
            assert (row["probability"] != "") == own
            assert (row["because"] != "") == (not own)
        elif row["item"] == "i0":
            assert row["source"] in ("asked", "implied")


def test_items_are_accepted_where_people_can_be_wrong_too(make):
    campaign = make(40, fallible=True)
    for k in range(15):
        for who in ("ann", "ben"):
            campaign.answer(who, f"i{k}", None, [TRUTH[k % 5]])
    campaign.retrain(wait=True)
    for item, _, value in campaign.audit("mara", 0.6, most_wrong=0.4).drawn:
        campaign.answer("mara", item, None, list(value))
    assert campaign.last_audit("mara").state == "passed"
    reply = campaign.accept("mara")
    assert reply.events
    for event in reply.events:
        assert campaign.state.known_of(event.item)[event.value[0]] is True
    assert campaign.verify(step_by_step=True) == []
