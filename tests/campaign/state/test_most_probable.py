"""The most probable labelling of every item against all legal ones listed, and kept up to date after answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import corollary as co
from corollary.campaign.state import most_probable
from corollary.campaign.state.most_probable import most_probable_labellings

from ..team import TRUTH

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
    monkeypatch.setattr(most_probable, "AT_ONCE", 10)  # several blocks
    onto, rng = co.Ontology.parse(text), np.random.default_rng(1)
    beliefs = rng.uniform(0.02, 0.98, (17, len(onto)))
    known = onto.closure(np.where(rng.random(beliefs.shape) < 0.2, 1, -1).astype(np.int8))
    facts = np.where(known[1][:, None], -1, known[0]).astype(np.int8)
    found = most_probable.most_probable(onto, beliefs, facts)
    for i, (labelling, probability) in enumerate(zip(*found, strict=True)):
        best, share = listed(onto, beliefs[i], facts[i])
        assert labelling.tolist() == best.tolist()
        assert probability == pytest.approx(share, abs=1e-9)


def test_they_follow_answers_models_and_items(make):
    campaign = make(20)

    def check():
        state = campaign.state
        kept = most_probable_labellings(state)
        anew = most_probable.most_probable(state.onto, state.session.beliefs, state.facts)
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
