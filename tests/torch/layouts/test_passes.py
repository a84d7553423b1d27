"""The passes over levels beside the engine of trees, on its own ground: variables, everything known propagated."""

from __future__ import annotations

import numpy as np
import torch

from corollary.torch.layouts import passes
from corollary.torch.layouts.levels import by_levels

from ..forests import random_facts, random_forest


def cases(seed, count, n_items=5):
    """An engine, its levels, odds and propagated facts of its variables."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        onto = random_forest(rng, int(rng.integers(1, 30)))
        service = onto.reasoner.weighed.services[0]
        first = [labels[0] for labels in service.members]
        known = np.ascontiguousarray(onto.propagate(random_facts(rng, onto, n_items))[:, first])
        odds = rng.choice(
            [rng.normal(0, 3, known.shape), rng.choice([-500.0, 0.0, 500.0], known.shape)]
        )
        yield service.engine, by_levels(service.engine), odds, known


def by_nodes(levels, array):
    return torch.from_numpy(np.ascontiguousarray(array.T[levels.variables.numpy()]))


def test_posterior_log_z_and_both_are_those_of_the_engine():
    for engine, levels, odds, known in cases(0, 100):
        ours = passes.infer(levels, by_nodes(levels, odds), by_nodes(levels, known), both=True)
        found = engine.infer(odds, known, both=True)
        np.testing.assert_allclose(
            ours.posterior, by_nodes(levels, found.posterior), rtol=0, atol=1e-10
        )
        np.testing.assert_allclose(ours.log_z, found.log_z, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(ours.both, by_nodes(levels, found.both), rtol=0, atol=1e-10)


def test_without_facts_nothing_is_known():
    for _, levels, odds, known in cases(2, 30):
        ours = passes.infer(levels, by_nodes(levels, odds), None, both=True)
        unknown = torch.full(known.T.shape, -1, dtype=torch.int8)
        for one, other in zip(
            ours, passes.infer(levels, by_nodes(levels, odds), unknown, both=True), strict=True
        ):
            torch.testing.assert_close(one, other)


def test_the_heaviest_world_is_that_of_the_engine():
    for engine, levels, odds, known in cases(1, 100):
        world = passes.most_probable(levels, by_nodes(levels, odds), by_nodes(levels, known))
        np.testing.assert_array_equal(
            world, by_nodes(levels, engine.most_probable(odds, known)) == 1
        )
