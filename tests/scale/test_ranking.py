"""The first of many are those of one sort of all, however they come."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corollary.scale.ranking import Ranked, chances, merged


@given(
    st.lists(st.sampled_from([-np.inf, 0.0, 1.0, 2.5]), max_size=60),
    st.integers(0, 20),
    st.randoms(),
)
def test_the_best_of_parts_are_the_best_of_all(worth, n, random):
    values = np.array(worth, np.float64)
    cuts = sorted(random.choices(range(len(values) + 1), k=4))
    parts = [
        np.arange(low, high) for low, high in zip([0, *cuts], [*cuts, len(values)], strict=True)
    ]
    random.shuffle(parts)
    found = merged((Ranked.of(rows, values[rows], n, values[rows, None]) for rows in parts), n)
    naive = sorted(
        (i for i in range(len(values)) if values[i] > -np.inf), key=lambda i: (-values[i], i)
    )[:n]
    assert found.rows.tolist() == naive
    assert found.worth.tolist() == values[naive].tolist()
    if naive:
        assert found.beliefs[:, 0].tolist() == found.worth.tolist()


@given(st.integers(0, 2**31), st.integers(0, 50), st.integers(0, 50))
def test_chances_do_not_depend_on_where_a_pool_is_cut(seed, first, size):
    whole = chances(seed, np.arange(120))
    assert (
        chances(seed, np.arange(first, first + size)).tolist()
        == whole[first : first + size].tolist()
    )
    assert ((whole >= 0) & (whole < 1)).all()
