"""The question that a forecast plays next, against all legal worlds listed."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.stopping.asked_next import asked_next

from ...logic.brute import entropy, truth

# Labels: a b c d e g f
ONTO = co.Ontology.parse("exactly one: a, b\na > exactly one: c, d, e\ng > f")
WORLDS = np.array(
    [
        world
        for world in np.ndindex(*[2] * 7)
        if world[0] + world[1] == 1 and sum(world[2:5]) == world[0] and world[6] <= world[5]
    ],
    np.bool_,
)


@pytest.mark.parametrize(
    "cost",
    [
        None,
        [1, 1, 1, 1, 1, 1, 1, 3],
        [1, 4, 1, 0.5, 1, 1, 1, 2],
        [1] * 7 + [np.inf],
        [np.inf] * 7 + [1],
    ],
)
def test_the_best_question_by_its_cost(cost):
    rng = np.random.default_rng(0)
    beliefs = rng.beta(0.5, 0.5, (80, 7))
    known = np.full((80, 7), -1, np.int8)
    known[40:, 5] = 1
    known[60:, 0] = 1
    known = ONTO.propagate(known)
    prices = None if cost is None else np.array(cost, np.float64)
    found, worth = asked_next(ONTO, beliefs, ONTO.posterior(beliefs, known), known, prices)
    for i, (k, best) in enumerate(zip(found.tolist(), worth.tolist(), strict=True)):
        told = truth(WORLDS, beliefs[i], known[i])
        values = {k: entropy(told.posterior)[k] for k in np.flatnonzero(known[i] < 0).tolist()}
        if cost is not None:
            values = {k: value / cost[k] for k, value in values.items() if np.isfinite(cost[k])}
            if np.isfinite(cost[7]):
                values[7] = told.joint_entropy / cost[7]
        assert best == pytest.approx(max(values.values()), abs=1e-9)
        assert values[k] == pytest.approx(best, abs=1e-9)
