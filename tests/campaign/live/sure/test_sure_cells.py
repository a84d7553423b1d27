"""What is sure, against the legal worlds written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.live.sure.sure_cells import sure_values

from ....logic.brute import truth
from ....logic.ontologies import entailed, ontologies, worlds


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
