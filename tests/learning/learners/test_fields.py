"""What all fields have in common: the loss of facts under scores, against a sum over all worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

import corollary as co
from corollary.learning.learners.fields import loss_of

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, city")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_loss_is_that_of_the_legal_worlds(seed):
    """Against a sum over all worlds, and its slope against differences."""
    rng = np.random.default_rng(seed)
    worlds = np.array(
        [w for w in np.ndindex(2, 2, 2, 2) if not ONTO.closure(np.array([w], np.int8))[1][0]]
    )
    known = np.where(
        rng.random((3, 4)) < 0.5, worlds[rng.integers(len(worlds), size=3)], -1
    ).astype(np.int8)
    known = ONTO.propagate(known)
    counts = rng.integers(1, 4, size=3).astype(np.float64)
    loss = loss_of(ONTO, known, counts)

    def plain(flat):
        scores = flat.reshape(3, 4)
        weight = np.exp(scores @ worlds.T)
        agree = np.array(
            [[((row < 0) | (row == world)).all() for world in worlds] for row in known]
        )
        return float(counts @ (np.log(weight.sum(axis=1)) - np.log((weight * agree).sum(axis=1))))

    scores = rng.standard_normal((3, 4))
    value, slope = loss(scores)
    assert value == pytest.approx(plain(scores.ravel()), abs=1e-8)
    np.testing.assert_allclose(slope.ravel(), approx_fprime(scores.ravel(), plain, 1e-6), atol=1e-4)
