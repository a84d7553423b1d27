"""Orders in which a diagram may decide labels: each label once, parents before children."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.engines.orders import candidate_orders

from .components import anything, component, dags, trees


@pytest.mark.parametrize("kind", [trees, dags, anything])
def test_every_order_has_each_label_once_and_none_is_there_twice(kind):
    for seed in range(30):
        part = kind(np.random.default_rng(seed))
        orders = candidate_orders(part)
        assert orders
        assert all(sorted(order) == list(range(part.n)) for order in orders)
        assert len({tuple(order) for order in orders}) == len(orders)


@pytest.mark.parametrize("kind", [trees, dags])
def test_the_first_has_parents_before_children(kind):
    for seed in range(30):
        part = kind(np.random.default_rng(seed))
        place = {k: n for n, k in enumerate(candidate_orders(part)[0])}
        assert all(place[parent] < place[k] for k in range(part.n) for parent in part.parents[k])


def test_labels_of_a_clause_are_close_together():
    far = component(8, [], clauses=[(0, 14, 4), (2, 6, 10)])  # labels 0, 7, 2 and labels 1, 3, 5
    place = {k: n for n, k in enumerate(candidate_orders(far)[0])}
    for scope in ((0, 7, 2), (1, 3, 5)):
        assert max(place[k] for k in scope) - min(place[k] for k in scope) == 2
