"""scikit-learn's classifiers, one for each label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as WithoutBeliefs
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary import CorollaryError
from corollary.learning.learners.learner import PerLabel, make_learner

from ..known_in_part import problem


def test_per_label_refuses_an_estimator_without_beliefs():
    X, facts, _ = problem()
    with pytest.raises(CorollaryError, match="has no predict_proba"):
        PerLabel(WithoutBeliefs()).fit(X, facts)


def test_per_label_equals_a_loop_over_the_known_cells():
    X, facts, _ = problem()
    beliefs = PerLabel(LogisticRegression()).fit(X, facts).predict_proba(X)
    for k in (0, 3):
        known = facts[:, k] >= 0
        expected = LogisticRegression().fit(X[known], facts[known, k]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(beliefs[:, k], expected)


def test_per_label_takes_sparse_frames_and_lists():
    import pandas as pd
    import polars as pl

    X, facts, _ = problem()
    expected = PerLabel(LogisticRegression()).fit(X, facts).predict_proba(X)
    for other in (sparse.csr_matrix(X), sparse.coo_array(X), X.tolist()):
        np.testing.assert_allclose(
            PerLabel(LogisticRegression()).fit(other, facts).predict_proba(other),
            expected,
            atol=1e-3,
        )

    class Recorder(BaseEstimator):
        _estimator_type = "classifier"

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.seen_ = X
            return self

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(X))[::-1])
    seen = PerLabel(Recorder()).fit(frame, facts).estimators_[0].seen_
    pd.testing.assert_frame_equal(seen, frame.iloc[np.flatnonzero(facts[:, 0] >= 0)])
    polars = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    seen = PerLabel(Recorder()).fit(polars, facts).estimators_[0].seen_
    assert isinstance(seen, pl.DataFrame)
    np.testing.assert_array_equal(seen["a"].to_numpy(), X[facts[:, 0] >= 0, 0])


def test_per_label_takes_texts_with_a_pipeline():
    texts = ["red apple", "green apple", "red car", "blue car"] * 5
    facts = np.array([[1, -1], [1, 1], [0, 0], [0, -1]] * 5, np.int8)
    learner = make_learner(
        make_pipeline(TfidfVectorizer(), LogisticRegression()), random_state=0
    ).fit(texts, facts)
    beliefs = learner.predict_proba(["an apple", "a car"])
    assert beliefs[0, 0] > 0.5 > beliefs[1, 0]


def test_per_label_seeds_what_is_left_to_chance_and_nothing_else():
    X, facts, _ = problem()
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3))
    one, two = (PerLabel(forest, random_state=1).fit(X, facts).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, PerLabel(forest, random_state=2).fit(X, facts).predict_proba(X))
    assert forest.get_params()["randomforestclassifier__random_state"] is None
    fixed = RandomForestClassifier(n_estimators=3, random_state=11)
    assert PerLabel(fixed, random_state=1).fit(X, facts).estimators_[0].random_state == 11


def test_per_label_scikit_learn_manners():
    learner = PerLabel(LogisticRegression(C=3), random_state=2)
    assert clone(learner).get_params()["estimator__C"] == 3
    learner.set_params(estimator__C=5)
    assert learner.estimator.C == 5


def test_x_without_rows_is_told():
    _, facts, _ = problem()
    with pytest.raises(CorollaryError, match="one row for each item"):
        PerLabel(GaussianNB()).fit(3, facts)
    with pytest.raises(CorollaryError, match="one row for each item"):
        PerLabel(GaussianNB()).fit(np.float64(3), facts)
