from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.compiled.soft import helper_odds, soften, widened
from corollary.logic.engines import Budget
from corollary.logic.language import constraints as c

WEIGHTS = np.array([1e-320, 1e-300, 1e-9, 0.1, 1.0, 36.0, 600.0])


def test_the_two_worlds_that_keep_a_constraint_weigh_as_much_as_it_says():
    np.testing.assert_allclose(
        np.logaddexp(0.0, helper_odds(WEIGHTS)), WEIGHTS, rtol=1e-14, atol=1e-200
    )
    assert (np.abs(helper_odds(WEIGHTS)) <= 600).all()


def test_a_helper_is_off_where_its_constraint_is_broken_and_nothing_follows_from_it():
    soft = [c.Soft(c.Subsumes("b", ("a",)), 2.0), c.Soft(c.Exclusive(("b", "c")), 0.5)]
    model = soften(["a", "b", "c"], [c.Subsumes("c", ("a",))], soft, Budget())
    known = np.array([[-1, -1, -1], [1, -1, 1], [1, 0, 1], [1, 1, 1]], np.int8)
    odds, wide = widened(model, np.zeros((4, 3)), known, helper_odds(model.weights))
    np.testing.assert_array_equal(wide[:, :3], known)
    np.testing.assert_array_equal(wide[:, 3:], [[-1, -1], [-1, -1], [0, -1], [-1, 0]])
    np.testing.assert_array_equal(odds[:, 3:], np.tile(helper_odds(np.array([2.0, 0.5])), (4, 1)))


@pytest.mark.parametrize("n", [3, 40])
def test_helpers_are_in_no_engine_that_is_told_of(n):
    labels = [f"l{k}" for k in range(n)]
    model = soften(
        labels,
        [],
        [c.Soft(c.Exclusive(tuple(labels)), 1.0), c.Soft(c.Formula(c.f.TRUE), 1.0)],
        Budget(),
    )
    (info,) = model.engines(labels)
    assert set(info.labels) == set(labels)
    assert (info.components, info.guarantee) == (1, "exact")
