"""What is believed before the first model, against all legal worlds, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.labels.statements import Statements
from corollary.campaign.state.beliefs import (
    brought_along,
    first_beliefs,
    most_probable,
    most_probable_labellings,
    prior,
)
from corollary.campaign.state.state import State

from ..team import TRUTH

TREE = "a > exclusive: b, c, d\nb > exclusive: e, f\ng > h\nexclusive: a, g"


def nothing(onto):
    return np.empty((0, len(onto)), np.int8)


def marginals(onto, beliefs):
    """The probability of each label, world by world."""
    total, on = 0.0, np.zeros(len(onto))
    for world in product((0, 1), repeat=len(onto)):
        try:
            onto.propagate(np.array([world], np.int8))
        except co.Contradiction:
            continue
        weight = float(np.prod(np.where(world, beliefs, 1 - beliefs)))
        total += weight
        on += weight * np.array(world)
    return on / total


def test_without_facts_a_label_is_as_probable_as_its_siblings_or_none_of_them():
    onto = co.Ontology.parse(TREE)
    p = dict(zip(onto.labels, marginals(onto, prior(onto, nothing(onto))), strict=True))
    assert p["a"] == pytest.approx(1 / 3)
    assert p["g"] == pytest.approx(1 / 3)
    for label in "bcd":
        assert p[label] == pytest.approx(p["a"] / 4)
    assert p["e"] == pytest.approx(p["b"] / 3)
    assert p["h"] == pytest.approx(p["g"] / 2)


def test_what_was_brought_along_tells_how_common_a_label_is():
    onto = co.Ontology.parse("labels: a, b, c\na > b")
    told = [
        ("i", "b", True),
        ("j", "a", True),
        ("j", "b", False),
        ("k", "a", False),
        ("k", "c", True),
        ("i", "z", True),
    ]
    events = [
        Event(kind="fact", who="import", item=i, label=label, value=v) for i, label, v in told
    ]
    facts = brought_along(
        [*events, Event(kind="answer", who="ann", item="l", label="c", value=True)],
        onto,
        Statements({1: onto}),
    )
    np.testing.assert_array_equal(facts, [[1, 1, -1], [1, 0, -1], [0, 0, 1]])
    weight_a, weight_b, weight_c = (
        3 / 2,
        2 / 2,
        2 / 1,
    )  # one more yes and no each; b only where there is a
    odds = np.array([weight_a / (1 + weight_b), weight_b, weight_c])
    np.testing.assert_allclose(prior(onto, facts), odds / (1 + odds))


def test_an_item_whose_labels_clash_tells_nothing():
    onto = co.Ontology.parse("exclusive: a, b")
    events = [Event(kind="fact", who="import", item="i", label=label, value=True) for label in "ab"]
    assert len(brought_along(events, onto, Statements({1: onto}))) == 0


def test_beliefs_vary_and_stay_when_items_come():
    onto = co.Ontology.parse(TREE)
    few, many = (first_beliefs(onto, n, nothing(onto), seed=3) for n in (5, 9))
    np.testing.assert_array_equal(few, many[:5])
    assert (few[0] != few[1]).all()
    assert not np.array_equal(few, first_beliefs(onto, 5, nothing(onto), seed=4))


def test_a_single_fact_counts_live_as_it_does_at_replay():
    ontologies = {1: co.Ontology.parse(TREE)}
    live = State(("i", "j"), ontologies)
    before = live.session.beliefs
    live.apply(Event(kind="fact", who="import", item="i", label="e", value=True, seq=1, key="k"))
    replayed = State(("i", "j"), ontologies, live.events)
    np.testing.assert_array_equal(live.session.beliefs, replayed.session.beliefs)
    assert (live.session.beliefs[:, live.onto.index["e"]] > before[:, live.onto.index["e"]]).all()


ONTOLOGIES = (
    "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place",
    "exactly one: a, b, c",
    "at least one: a, b\nc > exclusive: d, e",
    "a > c\nexclusive (weight 2): b, c",
)


def listed(onto, beliefs, known):
    """The most probable legal labelling of one item and its share of the weight of all, by listing them."""
    worlds = [np.array(world, np.int8) for world in product((0, 1), repeat=len(onto))]
    legal = [
        w for w in worlds if not onto.closure(w[None])[1][0] and ((known < 0) | (known == w)).all()
    ]
    broken = [
        bool("weight" in str(onto) and w[onto.index["b"]] and w[onto.index["c"]]) for w in legal
    ]
    weights = [
        float(np.prod(np.where(w == 1, beliefs, 1 - beliefs)) * np.exp(-2.0 * wrong))
        for w, wrong in zip(legal, broken, strict=True)
    ]
    best = int(np.argmax(weights))
    return legal[best], weights[best] / sum(weights)


@pytest.mark.parametrize("text", ONTOLOGIES)
def test_they_are_those_of_all_legal_labellings_with_the_greatest_weight(text, monkeypatch):
    monkeypatch.setattr("corollary.campaign.state.beliefs.AT_ONCE", 10)  # several blocks
    onto, rng = co.Ontology.parse(text), np.random.default_rng(1)
    beliefs = rng.uniform(0.02, 0.98, (17, len(onto)))
    known = onto.closure(np.where(rng.random(beliefs.shape) < 0.2, 1, -1).astype(np.int8))
    facts = np.where(known[1][:, None], -1, known[0]).astype(np.int8)
    found = most_probable(onto, beliefs, facts)
    for i, (labelling, probability) in enumerate(zip(*found, strict=True)):
        best, share = listed(onto, beliefs[i], facts[i])
        assert labelling.tolist() == best.tolist()
        assert probability == pytest.approx(share, abs=1e-9)


def test_they_follow_answers_models_and_items(make):
    campaign = make(20)

    def check():
        state = campaign.state
        kept = most_probable_labellings(state)
        anew = most_probable(state.onto, state.session.beliefs, state.facts)
        assert (kept.labelling == anew.labelling).all()
        assert kept.probability.tolist() == pytest.approx(anew.probability.tolist(), abs=1e-12)
        return kept

    first = check()
    assert most_probable_labellings(campaign.state) is first
    before = first.probability.copy()
    for k in range(15):
        campaign.answer("ann", f"i{k}", TRUTH[k % 5], True)
    assert check() is not first
    assert (first.probability == before).all()  # whoever read it still has what was so then
    assert campaign.state.row("i0") == 0
    assert check().probability[0] == pytest.approx(1.0)
    campaign.retrain(wait=True)
    check()
    campaign.undo("ann")
    check()
    campaign.add("mara", [co.Item("new", text="fin water")])
    assert len(check().probability) == 21
    campaign.change_ontology(
        "mara", str(campaign.state.onto) + "\nanimal > exclusive: bird, fish, mammal, newt"
    )
    check()
