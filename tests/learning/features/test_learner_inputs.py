"""What learners take: facts and matrices, checked, and the features of the first fit again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from corollary import CorollaryError
from corollary.learning.features.learner_inputs import (
    check_facts,
    learn_features,
    same_features,
    untrained_labels,
)


class Learner(BaseEstimator):
    pass


def test_facts_of_every_kind_are_the_same():
    expected = np.array([[1, 0, -1]], np.int8)
    for facts in ([[1, 0, -1]], [[1.0, 0.0, np.nan]], np.array([[1, 0, -1]], np.int64)):
        found = check_facts(facts, 1)
        assert found.dtype == np.int8
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(check_facts([[True, False]], 1), [[1, 0]])


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ([1, 0], "y must be items x labels, got shape"),
        ([[1], [0], [1]], "X has 2 rows but y has 3"),
        ([["yes"], ["no"]], "y must be numbers"),
        ([[0], [2]], "item 1, label '0' has 2"),
        ([[0.5], [0]], "item 0, label '0' has 0.5"),
    ],
)
def test_facts_that_are_none(facts, told):
    with pytest.raises(CorollaryError, match=told):
        check_facts(facts, 2)


def test_later_matrices_have_the_features_of_the_first():
    learner = Learner()
    with pytest.raises(NotFittedError, match="this Learner is not fitted yet"):
        same_features(learner, [[1.0]])
    with pytest.raises(CorollaryError, match="a minimum of 1 is required"):
        learn_features(learner, np.zeros((0, 2)))
    learn_features(learner, pd.DataFrame({"a": [1.0], "b": [2.0]}))
    assert (learner.n_features_in_, list(learner.feature_names_in_)) == (2, ["a", "b"])
    assert same_features(learner, pd.DataFrame({"a": [3.0], "b": [4.0]})).tolist() == [[3.0, 4.0]]
    with pytest.raises(CorollaryError, match="X has 1 features, but Learner is expecting 2"):
        same_features(learner, [[1.0]])
    with pytest.raises(CorollaryError, match="feature names"):
        same_features(learner, pd.DataFrame({"b": [4.0], "a": [3.0]}))


def test_labels_that_nothing_can_be_learnt_of():
    reasons, beliefs = untrained_labels(np.array([[1, 0, -1, 1], [1, 0, -1, 0]], np.int8))
    assert reasons == {
        0: "only yes is known so far (2 items)",
        1: "only no is known so far (2 items)",
        2: "nothing is known yet",
    }
    np.testing.assert_allclose(beliefs, [3 / 4, 1 / 4, 1 / 2, 1 / 2])
