"""What is a tree, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.engines.tree import NotATree, Tree, child_groups
from corollary.logic.language import formula as f

from .components import ITEMS, cases, component, trees, weigh


def test_what_is_not_a_tree():
    for part in (
        component(3, [(2, 0), (2, 1)]),
        component(3, [], groups=[(0, 1), (1, 2)]),
        component(4, [(2, 0), (3, 1)], groups=[(2, 3)]),
        component(3, [], clauses=[(0, 3, 5)]),
        component(3, [], circuits=[f.Iff(f.Name("0"), f.Iff(f.Name("1"), f.Name("2")))]),
    ):
        with pytest.raises(NotATree):
            child_groups(part)


def test_pairs_that_form_cliques_and_redundant_pairs_are_a_tree():
    exclusive = component(5, [(2, 0), (3, 0), (4, 1)], groups=[(0, 1), (2, 4), (3, 4), (2, 3)])
    assert Tree(child_groups(exclusive)).size == 5


@pytest.mark.parametrize("times", [1, 7, 21], ids=lambda times: f"{times} times")
def test_weights_within_and_beyond_the_range_of_numbers_give_the_same(times):
    """Up to e to the 580 each: products of two are none any more, and logarithms serve."""
    for part, worlds, odds, known in cases(trees):
        found = Tree(child_groups(part)).infer(times * odds, known)
        for i in range(ITEMS):
            agree, log_weight, probability = weigh(worlds, times * odds[i], known[i])
            np.testing.assert_allclose(
                found.posterior[i], probability @ agree, atol=1e-12, rtol=1e-9
            )
            np.testing.assert_allclose(
                found.log_z[i], np.logaddexp.reduce(log_weight), atol=1e-9, rtol=1e-12
            )
