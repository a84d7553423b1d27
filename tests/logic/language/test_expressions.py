from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language.expressions import expression_of

from ..ontologies import KINDS, holds, random_constraint, worlds


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 6), st.sampled_from(KINDS), st.integers(0, 2**32 - 1))
def test_the_formula_holds_where_the_constraint_does(n, kind, seed):
    labels = [f"l{k}" for k in range(n + 1)]
    one = random_constraint(np.random.default_rng(seed), labels, kind)
    every = worlds(labels, [])
    said = [
        f.evaluate(expression_of(one), dict(zip(labels, world, strict=True)))
        for world in every.tolist()
    ]
    np.testing.assert_array_equal(
        said, holds(one, {label: every[:, k] for k, label in enumerate(labels)})
    )


def test_at_most_one_of_many_is_no_list_of_all_pairs():
    said = expression_of(c.Exclusive(tuple(f"l{k}" for k in range(1000))))
    assert sum(1 for _ in f.names(said)) < 11_000
