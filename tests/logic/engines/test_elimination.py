"""Orders of elimination: every edge in a bag, states counted by listing the legal worlds."""

from __future__ import annotations

import numpy as np

from corollary.logic.engines.elimination import eliminate, to_dag

from .hierarchies import (
    hierarchy,
    legal_worlds,
    random_hierarchy,
)


def test_bags_hold_every_edge_and_count_their_states():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        dag = to_dag(random_hierarchy(rng, 9, 0.3))
        found = eliminate(dag, [], limit=10**6, seconds=10, tries=3)
        bags = [
            {u, *found.separator[a:b]}
            for u, a, b in zip(found.order, found.start, found.start[1:], strict=False)
        ]
        edges = {
            (c, p)
            for c in range(9)
            for p in dag.parent[dag.parent_start[c] : dag.parent_start[c + 1]]
        }
        assert all(any({c, p} <= bag for bag in bags) for c, p in edges)
        assert sorted(found.order) == list(range(9))
        worlds = legal_worlds(hierarchy(9, [(int(c), int(p)) for c, p in edges]))
        assert found.states == sum(len(np.unique(worlds[:, sorted(bag)], axis=0)) for bag in bags)
