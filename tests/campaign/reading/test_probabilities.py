"""Probabilities that are kept are those worked out anew."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import corollary as co
from corollary.campaign.reading.probabilities import Probabilities, doubt_of_label, likeliest

from ..team import true_answer


def anew(campaign):
    state = campaign.state
    return state.onto.posterior(state.session.beliefs, state.facts)


def test_they_follow_what_is_said(make):
    campaign, kept = make(12, retrain_every=10**6), Probabilities()

    def now():
        return kept.get(kept.look(campaign.state, campaign.state.facts.copy()))

    assert now() is None
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i1", "bird", False)
    campaign.retrain(wait=True)
    first = now()
    assert np.allclose(first.yes, anew(campaign), atol=1e-6)
    assert now() is first
    campaign.answer("ben", "i2", "fish", True)
    campaign.undo("ann")
    second = now()
    assert np.allclose(second.yes, anew(campaign), atol=1e-6)
    state = campaign.state
    assert np.array_equal(
        second.doubt, likeliest(state.onto, state.session.beliefs, state.facts)[0].doubt
    )
    assert not np.array_equal(
        first.yes, second.yes
    )  # what someone reads does not change under them
    campaign.retrain(wait=True)
    assert np.allclose(now().yes, anew(campaign), atol=1e-6)


CHAIN = "exactly one: a, b\na > exactly one: c, d, e\ng > f"
WORLDS = [
    w for w in np.ndindex(*[2] * 7) if w[0] + w[1] == 1 and sum(w[2:5]) == w[0] and w[6] <= w[5]
]


@settings(deadline=None, max_examples=60)
@given(
    arrays(np.float64, (4, 7), elements=st.floats(0.001, 0.999)),
    arrays(np.int8, (4, 7), elements=st.sampled_from([-1, -1, -1, 0, 1])),
    st.booleans(),
)
def test_doubt_is_the_probability_that_not_all_of_the_likeliest_labelling_is_right(
    beliefs, facts, soft
):
    onto = co.Ontology.parse(CHAIN + ("\nexclusive (weight 1.5): c, f" if soft else ""))
    known, clash = onto.closure(facts)
    known = known[~clash]
    found, labelling = likeliest(onto, beliefs[~clash], known)
    for i, (row, at) in enumerate(zip(beliefs[~clash], known, strict=True)):
        legal = [w for w in WORLDS if all(at[k] in (-1, w[k]) for k in range(7))]
        weights = [
            np.prod([p if on else 1 - p for p, on in zip(row, w, strict=True)])
            * np.exp(-1.5 * (soft and w[2] and w[6]))
            for w in legal
        ]
        assert found.doubt[i] == pytest.approx(1 - max(weights) / sum(weights), abs=1e-6)
        mine = weights[legal.index(tuple(labelling[i].tolist()))]
        assert mine == pytest.approx(max(weights))


def test_the_doubt_of_an_item_of_one_label_is_that_of_its_guess():
    onto = co.Ontology.parse("exactly one: a, b, c, d, e")
    found, labelling = likeliest(
        onto, np.array([[0.5, 0.4, 0.4, 0.4, 0.4]]), np.full((1, 5), -1, np.int8)
    )
    assert labelling.tolist() == [[1, 0, 0, 0, 0]]
    assert found.doubt[0] == pytest.approx(1 - found.yes[0, 0])
    assert found.doubt[0] > 0.5  # no cell is


def test_doubt_of_a_label_is_how_probable_it_is_that_the_more_probable_is_wrong():
    p, facts = np.array([0.1, 0.9, 0.5, 0.3], np.float32), np.array([-1, -1, -1, 1], np.int8)
    assert np.allclose(doubt_of_label(p, facts), [0.1, 0.1, 0.5, 0.0])


def test_the_least_sure_come_first(make):
    campaign = make(12, learner="crf")
    assert [item.id for item in campaign.unheard("m")] == [f"i{k}" for k in range(12)]
    campaign.report("mara", "m", [("i3", "bird", 0.5)])
    campaign.withdraw("i4", who="mara")
    for label in campaign.state.onto.labels:
        campaign.answer("ann", "i5", label, true_answer("i5", label))
    campaign.report("mara", "other", [(f"i{k}", "bird", 0.95 if k % 2 else 0.5) for k in range(12)])
    campaign.retrain(wait=True)
    found = [item.id for item in campaign.unheard("m")]
    assert sorted(found) == sorted(f"i{k}" for k in range(12) if k not in (3, 4, 5))
    state = campaign.state
    unsure = likeliest(state.onto, state.session.beliefs, state.facts)[0].doubt
    doubts = [unsure[state.row(item)] for item in found]
    assert all(a >= b - 1e-6 for a, b in pairwise(doubts))
    assert len(set(doubts)) > 1
