"""How far beliefs can be trusted before and after the logic."""

from __future__ import annotations

import numpy as np

import corollary as co
from evidence.reports.reliability import before_and_after

ONTO = co.Ontology(["animal", "bird"], [co.implies("bird", "animal")])


def test_beliefs_of_the_test_part_before_and_after() -> None:
    rng = np.random.default_rng(0)
    Y = np.zeros((40, 2), np.int8)
    Y[:20, 0] = Y[:10, 1] = 1
    X = Y + rng.normal(0, 0.5, Y.shape)
    data = co.Dataset(X, Y, ONTO, train=np.arange(40) % 2 == 0)
    found = before_and_after(data)
    assert found.learnt_from == 20
    assert found.truth.tolist() == Y[1::2].tolist()
    before, after, default = found.beliefs.values()
    assert np.allclose(after, ONTO.posterior(before))
    assert (default[:, 0] >= default[:, 1] - 1e-9).all()  # a posterior: each bird is an animal
    assert before_and_after(data, start=2).learnt_from <= 8
