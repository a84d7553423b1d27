"""Learners: one contract that all of them keep, and scikit-learn's classifiers as learners."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as WithoutBeliefs
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary import CorollaryError, Ontology
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.learner import Learner, PerLabel, make_learner
from corollary.learning.learners.logistic import Logistic
from corollary.learning.learners.pool import Pool

SPECS = {
    "auto": "auto",
    "logistic": "logistic",
    "a learner": Logistic(steps=50),
    "a classifier": GaussianNB(),
    "a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "a forest": RandomForestClassifier(n_estimators=5),
}


def problem(n_items=80, n_labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_items, 3))
    truth = (X @ rng.normal(size=(3, n_labels)) > 0).astype(np.int8)
    facts = np.where(rng.random(truth.shape) < 0.6, truth, np.int8(-1))
    facts[:, 1] = -1
    facts[:, 2] = np.where(np.arange(n_items) < 5, 1, -1)
    return X, facts, truth


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_every_learner_keeps_the_contract(spec):
    X, facts, truth = problem()
    learner = make_learner(spec, random_state=0)
    assert isinstance(learner, Learner)
    given = facts.copy()
    assert learner.fit(X, facts) is learner
    np.testing.assert_array_equal(facts, given)
    beliefs = learner.predict_proba(X)
    assert beliefs.shape == facts.shape
    assert beliefs.dtype == np.float64
    assert ((beliefs >= 0) & (beliefs <= 1)).all()
    np.testing.assert_array_equal(beliefs[:, 1], 1 / 2)
    np.testing.assert_allclose(beliefs[:, 2], 6 / 7)
    assert set(learner.untrained_) == {1, 2}
    assert (((beliefs > 0.5) == truth)[:, [0, 3]]).mean() > 0.8
    again = make_learner(spec, random_state=0).fit(X, facts).predict_proba(X)
    np.testing.assert_array_equal(again, beliefs)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_bad_input_is_told_by_every_learner(spec):
    X, facts, _ = problem()
    with pytest.raises(CorollaryError, match="X has 80 rows but facts has 79"):
        make_learner(spec, random_state=0).fit(X, facts[1:])
    with pytest.raises(CorollaryError, match="item 0, label 0 has 3"):
        make_learner(spec, random_state=0).fit(X, np.where(np.arange(4) == 0, 3, facts))
    with pytest.raises(CorollaryError, match="not fitted yet"):
        make_learner(spec, random_state=0).predict_proba(X)


def test_a_learner_is_cloned_and_keeps_its_own_settings():
    mine = Logistic(steps=7, random_state=4)
    X, facts, _ = problem()
    made = make_learner(mine, random_state=0).fit(X, facts)
    assert made is not mine
    assert not hasattr(mine, "weights_")
    assert made.get_params() == mine.get_params()
    assert make_learner("logistic", random_state=3).random_state == 3


def test_auto_with_an_ontology_is_a_pool():
    onto = Ontology(["a", "b"], [])
    made = make_learner("auto", onto=onto, random_state=3)
    assert isinstance(made, Pool)
    assert (made.onto, made.random_state) == (onto, 3)
    assert isinstance(make_learner("crf", onto=onto), CRF)
    assert isinstance(make_learner("auto"), Logistic)
    with pytest.raises(CorollaryError, match="it needs the ontology too"):
        make_learner("crf")


def test_a_learner_that_fits_the_logic_gets_the_ontology():
    onto = Ontology.parse("exclusive: a, b, c")
    for mine in (CRF(l2=0.5), Pool(seconds=5), Trees()):
        made = make_learner(mine, onto=onto)
        assert made.onto == onto
        assert mine.onto is None
    other = Ontology.parse("exclusive: a, b\nc > a")
    with pytest.raises(CorollaryError, match="another ontology"):
        make_learner(CRF(other), onto=onto)


def test_any_object_with_the_two_methods_is_a_learner():
    class Half:
        def fit(self, X, facts):
            self.shape = facts.shape
            return self

        def predict_proba(self, X):
            return np.full((len(X), self.shape[1]), 0.5)

    half = Half()
    assert make_learner(half, random_state=0) is half


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("forest", "no learner 'forest'; there is: auto, logistic"),
        (LogisticRegression, "is a class; pass an instance: LogisticRegression"),
        (WithoutBeliefs(), "has no predict_proba"),
        (SGDClassifier(loss="hinge"), "has no predict_proba"),
        (make_pipeline(StandardScaler(), WithoutBeliefs()), "CalibratedClassifierCV"),
        (StandardScaler(), "is no learner"),
        (3, "3 is no learner"),
        (None, "None is no learner"),
    ],
)
def test_what_is_no_learner_is_told(spec, message):
    with pytest.raises(CorollaryError, match=message):
        make_learner(spec, random_state=0)


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
            PerLabel(LogisticRegression()).fit(other, facts).predict_proba(other), expected, atol=1e-3
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
    learner = make_learner(make_pipeline(TfidfVectorizer(), LogisticRegression()), random_state=0).fit(texts, facts)
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
