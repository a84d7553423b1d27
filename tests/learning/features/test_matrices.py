"""Features that are numbers, checked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from corollary import CorollaryError
from corollary.learning.features.matrices import check_matrix


def test_matrices_of_every_kind():
    twice = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2)).tocsr()
    assert check_matrix(twice).toarray().tolist() == [[0.0, 3.0]]
    assert check_matrix([[1, 2]]).dtype == np.float64
    assert check_matrix(np.ones((1, 2), np.float32)).dtype == np.float32
    assert check_matrix(np.array([[1, 2.5]], object)).tolist() == [[1.0, 2.5]]


@pytest.mark.parametrize(
    ("X", "told"),
    [
        ([1.0, 2.0], "X must be items x features, got shape"),
        ([[1j]], "Complex data not supported"),
        ([["red"]], "X must be numbers"),
        (np.array([["red"]], object), "X must be numbers"),
        (pd.DataFrame({"a": [1.0], "b": [np.nan]}), "column 1 .'b'. has nan at item 0"),
        (sparse.csr_array([[0.0, 0.0], [0.0, np.inf]]), "column 1 has inf at item 1"),
    ],
)
def test_matrices_that_are_none(X, told):
    with pytest.raises(CorollaryError, match=told):
        check_matrix(X)


def test_large_numbers_are_finite():
    assert check_matrix(np.full((1, 4), 1e308)).shape == (1, 4)
