from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import corollary as co
from corollary.experiment.data.repeats import repeated


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.booleans()), min_size=1, max_size=9)
)
def test_repeats_are_found_by_comparing_all_pairs(rows: list[tuple[int, int, bool]]) -> None:
    train = np.array([row[2] for row in rows])
    expected = [
        row[2] and any(row[:2] == other[:2] and not other[2] for other in rows) for row in rows
    ]
    X = np.array([row[:2] for row in rows], float)
    assert repeated(X, train).tolist() == expected
    assert repeated(sparse.csr_array(X), train).tolist() == expected
    assert repeated(np.array([str(row[:2]) for row in rows], object), train).tolist() == expected


def test_a_data_set_without_repeats() -> None:
    onto = co.Ontology(["a"])
    data = co.Dataset([[1.0], [2.0], [3.0], [2.0]], [[1], [0], [0], [1]], onto, train=[0, 1])
    left = data.without_repeats()
    assert (len(left), left.train.tolist()) == (3, [True, False, False])
    assert left.notes[-1] == "1 training rows (50.0%) left out that are in the test part"
    kept = co.simulate(data, learner="logistic", distinct=True, max_rounds=0)
    assert kept.settings["distinct"]
