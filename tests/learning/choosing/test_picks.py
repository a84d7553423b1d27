"""Picks: when they are offered, what they cost, and in what order the options stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.choosing.picks import (
    by_narrowness,
    can_end_there,
    is_one_pick,
    item_price,
    offers_picks,
)
from corollary.learning.features.neighbours import Nearest

from ...logic.ontologies import ontologies, worlds

TREE = "exactly one: animal, place\nanimal > exclusive: bird, fish\nplace > exactly one: city, village, river"


def test_where_labels_exclude_each_other_picks_are_offered():
    assert offers_picks(co.Ontology.parse(TREE))
    assert not offers_picks(co.Ontology(["a", "b", "c"]))
    assert not offers_picks(
        co.Ontology(["a", "b"], [co.exactly_one("a", "b")])
    )  # yes or no says as much
    assert offers_picks(co.Ontology(["a", "b"], [co.exclusive("a", "b")]))  # or none


def test_a_pick_is_asked_where_it_tells_more_for_its_cost():
    names = [f"l{k}" for k in range(20)]
    onto = co.Ontology(names, [co.exactly_one(*names)])
    flat = np.full((2, 20), 0.5)
    assert isinstance(
        co.Session(onto, beliefs=flat, asking=co.Asking(pick="auto")).ask()[0], co.ItemQuestion
    )
    assert isinstance(co.Session(onto, beliefs=flat).ask()[0], co.Question)
    assert isinstance(
        co.Session(onto, beliefs=flat, asking=co.Asking(pick="auto", item_cost=30.0)).ask()[0],
        co.Question,
    )
    split = np.full((2, 20), 1e-9)
    split[:, :2] = 0.5  # one of two: yes or no tells all of it, and costs less
    assert isinstance(
        co.Session(onto, beliefs=split, asking=co.Asking(pick="auto")).ask()[0], co.Question
    )
    always = co.Session(onto, beliefs=split, asking=co.Asking(pick="always"))
    assert [type(question) for question in always.ask(9)] == [co.ItemQuestion] * 2
    always.answer(always.ask()[0], None)
    always.answer(always.ask()[0], ["l1"])
    assert always.ask() == []  # nobody is asked yes or no


def test_options_stand_by_how_probably_they_are_the_narrowest():
    onto = co.Ontology.parse(TREE)
    beliefs = np.full((1, 7), 0.5)
    for label, belief in {"animal": 0.9, "bird": 0.1, "fish": 0.2}.items():
        beliefs[0, onto.index[label]] = belief
    session = co.Session(onto, beliefs=beliefs, asking=co.Asking(pick="always"))
    (question,) = session.ask()
    assert question.labels[0] == "animal"  # that it is neither bird nor fish is most probable
    assert question.labels.index("fish") < question.labels.index("bird")
    assert question.labels[-1] == "place"  # it can be no place without being one of its kinds
    session.answer(question, ["fish"])
    assert (session.facts >= 0).all()


def test_what_it_costs():
    onto = co.Ontology.parse("labels: x, y, a, b, c\nexactly one: a, b, c")
    assert item_price(onto, {"x": 2.0}) == 3.0 + 2.0 + 1.0
    assert item_price(onto, {}, 5.0) == 7.0
    assert item_price(co.Ontology(["a"], [co.at_least_one("a")]), {}) == 1.0


@given(ontologies(), st.integers(0, 2**32 - 1))
def test_which_labels_can_be_the_narrowest(ontology, seed):
    """Those of which this is denied are the narrowest in no legal world; and all open labels are there, once."""
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    onto, rng = co.Ontology(labels, constraints), np.random.default_rng(seed)
    facts = np.where(rng.random(len(labels)) < 0.3, legal[rng.integers(len(legal))], -1).astype(
        np.int8
    )
    known = onto.propagate(facts[None])[0]
    agreeing = legal[((known < 0) | (legal == known)).all(axis=1)]
    order = by_narrowness(onto, onto.posterior(rng.random((1, len(labels))), known[None])[0], known)
    assert sorted(order) == np.flatnonzero(known < 0).tolist()
    ends = can_end_there(onto, known)
    if order and is_one_pick(onto, known):
        least = {
            k: agreeing[agreeing[:, k]][:, order].all(axis=0) for k in order
        }  # what a pick of k says
        for world in agreeing[agreeing[:, order].any(axis=1)]:
            assert any((least[k] == world[order]).all() for k in order if world[k])
    for k in order:
        if ends[k]:
            continue
        narrower = [
            j for j in range(len(labels)) if j != k and (agreeing[:, j] <= agreeing[:, k]).all()
        ]
        for world in agreeing[agreeing[:, k]]:
            assert world[narrower].any()
    if not ends[-1]:
        assert agreeing[:, order].any(axis=1).all()


@pytest.mark.parametrize("pick", ["auto", "always"])
def test_items_like_many_others_come_first(pick):
    names = list("abcdef")
    onto = co.Ontology(names, [co.exactly_one(*names)])
    X = np.concatenate([np.zeros((1, 2)) + 9.0, np.random.default_rng(0).normal(size=(30, 2)) / 10])
    flat = np.full((31, 6), 0.5)
    first = co.Session(onto, X, beliefs=flat, asking=co.Asking(pick=pick, diverse=True)).ask()[0]
    assert first.item != 0
    assert co.Session(onto, X, beliefs=flat, asking=co.Asking(pick=pick)).ask()[0].item == 0
    assert Nearest(np.empty((2, 0), np.int64), np.empty((2, 0))).density().tolist() == [1.0, 1.0]
