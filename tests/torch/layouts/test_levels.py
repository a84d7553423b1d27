"""Forests level by level: every label once, under its parent, in its group."""

from __future__ import annotations

import numpy as np

from corollary.logic.engines.tree import Tree
from corollary.torch.layouts.levels import by_levels

from ..forests import random_forest


def groups_of(engine):
    """Kind, parent and members of each group, as the engine has them; the parent at the top is -1."""
    label, first_group, kind, first_member, member = engine.shape
    for v in range(len(label)):
        for g in range(first_group[v], first_group[v + 1]):
            yield (
                int(kind[g]),
                int(label[v]),
                tuple(label[member[first_member[g] : first_member[g + 1]]].tolist()),
            )


def groups_laid_out(levels):
    """The same, read off the levels."""
    above, start = [-1], 0
    for level in levels.levels:
        nodes = levels.variables[start : start + level.nodes].tolist()
        start += level.nodes
        at, group = 0, 0
        for bundle in level.bundles:
            for _ in range(bundle.count):
                members = tuple(nodes[at : at + bundle.size])
                parent = above[level.group_parents[group]]
                assert [above[p] for p in level.node_parents[at : at + bundle.size]] == [
                    parent
                ] * bundle.size
                yield bundle.kind, parent, members
                at, group = at + bundle.size, group + 1
        assert (at, group) == (level.nodes, len(level.group_parents))
        above = nodes
    assert start == len(levels.variables)


def test_the_levels_have_the_groups_of_the_engine():
    rng = np.random.default_rng(0)
    for _ in range(100):
        engine = random_forest(rng, int(rng.integers(1, 40))).reasoner.weighed.services[0].engine
        assert isinstance(engine, Tree)
        assert sorted(groups_laid_out(by_levels(engine))) == sorted(groups_of(engine))


def test_no_trees_are_no_levels():
    assert by_levels(Tree({-1: []})).levels == ()
