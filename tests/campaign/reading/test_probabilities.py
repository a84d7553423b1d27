"""Probabilities that are kept are those worked out anew."""

from __future__ import annotations

import numpy as np

from corollary.campaign.reading.probabilities import Probabilities, doubt


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
    assert np.array_equal(second.doubt, doubt(second.yes, campaign.state.facts).max(axis=1))
    assert not np.array_equal(first.yes, second.yes)  # what someone reads does not change under them
    campaign.retrain(wait=True)
    assert np.allclose(now().yes, anew(campaign), atol=1e-6)


def test_doubt_is_how_probable_it_is_that_the_more_probable_is_wrong():
    p, facts = np.array([0.1, 0.9, 0.5, 0.3], np.float32), np.array([-1, -1, -1, 1], np.int8)
    assert np.allclose(doubt(p, facts), [0.1, 0.1, 0.5, 0.0])
