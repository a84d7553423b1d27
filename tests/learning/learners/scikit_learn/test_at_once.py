"""Classifiers of all classes at once: what they say is the posterior, nothing is cheap, and nothing is fitted twice."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import corollary as co
from corollary.learning.learners.scikit_learn.at_once import AtOnce
from corollary.learning.learners.scikit_learn.classifiers import PerLabel, Whole

from .test_narrowest import NONE_TOO, ONE

LEAVES = ["balance", "transfer", "visa", "flight"]


class Counting(TransformerMixin, BaseEstimator):
    """A transformer that counts how often it is fitted, over all clones."""

    fits = 0

    def fit(self, X, y=None):
        Counting.fits += 1
        return self

    def transform(self, X):
        return np.asarray(X) * 2


@pytest.fixture(autouse=True)
def _nothing_is_fitted_yet():
    Counting.fits = 0


def one_leaf_an_item(onto, leaves=LEAVES, n=120, seed=0):
    rng = np.random.default_rng(seed)
    leaf = np.arange(n) % len(leaves)
    X = rng.normal(size=(len(leaves), 5))[leaf] + rng.normal(0, 0.8, (n, 5))
    facts = np.full((n, len(onto)), -1, np.int8)
    facts[np.arange(n), [onto.index[leaves[k]] for k in leaf]] = 1
    return X, (onto.propagate(facts) == 1).astype(np.int8), np.array(leaves)[leaf]


def test_under_exactly_one_the_posterior_of_the_leaves_is_the_softmax_itself():
    onto = co.Ontology.parse(ONE)
    leaves = [*LEAVES, "out_of_scope"]
    X, Y, leaf = one_leaf_an_item(onto, leaves)
    model = co.ConsistentClassifier(LogisticRegression(), onto).fit(X, Y)
    alone = LogisticRegression().fit(X, leaf)
    told = alone.predict_proba(X)
    columns = [onto.index[name] for name in alone.classes_]
    assert isinstance(model.learner_, AtOnce)
    posterior = model.predict_proba(X)
    np.testing.assert_allclose(posterior[:, columns], told, atol=1e-6)
    money = told[:, [list(alone.classes_).index(name) for name in ("balance", "transfer")]].sum(
        axis=1
    )
    np.testing.assert_allclose(
        posterior[:, onto.index["money"]], money, atol=1e-6
    )  # derived, not scored of itself
    np.testing.assert_array_equal(model.predict(X)[:, columns].argmax(axis=1), told.argmax(axis=1))


def test_none_of_these_is_not_a_cheap_world():
    onto = co.Ontology.parse(NONE_TOO)
    X, Y, leaf = one_leaf_an_item(onto)
    model = co.ConsistentClassifier(LogisticRegression(C=0.01), onto).fit(
        X, Y
    )  # unsure of everything
    labels = model.predict(X)
    assert (labels[:, [onto.index[name] for name in LEAVES]].sum(axis=1) == 1).all()
    alone = LogisticRegression(C=0.01).fit(X, leaf)
    columns = [onto.index[name] for name in alone.classes_]
    np.testing.assert_array_equal(
        labels[:, columns].argmax(axis=1), alone.predict_proba(X).argmax(axis=1)
    )
    open_ = 1 - model.predict_proba(X)[:, [onto.index["money"], onto.index["travel"]]].sum(axis=1)
    np.testing.assert_allclose(
        open_, 1 / 121 / 3, atol=1e-6
    )  # none, money alone and travel alone: one item together


def test_none_is_a_class_where_items_have_it():
    onto = co.Ontology.parse(NONE_TOO)
    X, Y, leaf = one_leaf_an_item(onto)
    rng = np.random.default_rng(1)
    X = np.vstack([X, rng.normal(0, 0.3, (30, 5)) + 4])
    Y = np.vstack([Y, np.zeros((30, len(onto)), np.int8)])
    model = co.ConsistentClassifier(LogisticRegression(), onto).fit(X, Y)
    assert (model.predict(X)[120:].sum(axis=1) == 0).all()
    assert model.score(X, Y) == LogisticRegression().fit(X, [*leaf, *["none"] * 30]).score(
        X, [*leaf, *["none"] * 30]
    )


def test_a_group_is_taken_at_once_and_other_labels_one_by_one():
    onto = co.Ontology.parse("labels: red, green, blue, large\nexactly one: red, green, blue")
    X, Y, leaf = one_leaf_an_item(onto, ["red", "green", "blue"])
    Y[:, 3] = X[:, 0] > 0
    y = Y.copy()
    y[:10, 3] = -1
    model = co.ConsistentClassifier(make_pipeline(Counting(), LogisticRegression()), onto).fit(X, y)
    assert Counting.fits == 1
    alone = LogisticRegression().fit(2 * X, leaf)
    columns = [onto.index[name] for name in alone.classes_]
    np.testing.assert_allclose(
        model.predict_proba(X)[:, columns], alone.predict_proba(2 * X), atol=1e-6
    )
    large = LogisticRegression().fit(2 * X[10:], Y[10:, 3]).predict_proba(2 * X)[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 3], large, atol=1e-6)


def test_what_comes_before_the_classifier_is_fitted_once_label_by_label_too():
    onto = co.Ontology.parse(ONE)
    X, Y, _ = one_leaf_an_item(onto)
    Y[5, 2:] = -1
    Y[5, 0] = -1  # known in part
    y = np.where(np.arange(len(Y))[:, None] % 7 == 0, -1, Y)
    for pipeline in (
        make_pipeline(Counting(), LogisticRegression()),
        make_pipeline(Counting(), LinearSVC()),
    ):
        Counting.fits = 0
        model = co.ConsistentClassifier(pipeline, onto).fit(X, y)
        assert isinstance(model.learner_, PerLabel)
        assert Counting.fits == 1
        assert not onto.closure(model.predict(X))[1].any()


def test_a_session_fits_the_front_of_a_pipeline_once_a_training():
    onto = co.Ontology.parse(ONE)
    X, Y, _ = one_leaf_an_item(onto)
    facts = np.where(np.arange(len(Y))[:, None] < 60, Y, -1)
    session = co.Session(
        onto, X, facts=facts, learner=make_pipeline(Counting(), LogisticRegression())
    )
    Counting.fits = 0
    session.retrain()
    assert Counting.fits == 1
    right = (
        session.posterior[60:, [onto.index[name] for name in LEAVES]].argmax(axis=1)
        == np.arange(60, 120) % 4
    )
    assert right.mean() > 0.7


def test_a_sharing_pipeline_says_what_whole_clones_say_where_every_item_is_known():
    onto = co.Ontology(["a", "b", "c"])
    X, _, _ = one_leaf_an_item(co.Ontology.parse(ONE))
    Y = (X[:, :3] > 0).astype(np.int8)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    model = co.ConsistentClassifier(pipeline, onto).fit(X, Y)
    for k in range(3):
        alone = clone(pipeline).fit(X, Y[:, k]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(model.beliefs(X)[:, k], alone, atol=1e-9)


def test_the_classifier_for_each_label_is_there_by_name():
    onto = co.Ontology.parse(ONE)
    X, Y, _ = one_leaf_an_item(onto, [*LEAVES, "out_of_scope"])
    model = co.ConsistentClassifier(OneVsRestClassifier(LogisticRegression()), onto).fit(X, Y)
    assert isinstance(model.learner_, Whole)
    by_class = co.ConsistentClassifier(LogisticRegression(class_weight={0: 1, 1: 3}), onto).fit(
        X, Y
    )
    assert isinstance(by_class.learner_, PerLabel)  # weights of no and yes are for labels


def test_weights_of_items_go_to_the_one_fit():
    onto = co.Ontology.parse(ONE)
    X, Y, _ = one_leaf_an_item(onto, [*LEAVES, "out_of_scope"])
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    y = np.where(np.arange(len(Y))[:, None] % 9 == 0, -1, Y)
    for estimator, name in (
        (LogisticRegression(), ""),
        (make_pipeline(Counting(), LogisticRegression()), "logisticregression__"),
    ):
        one = co.ConsistentClassifier(estimator, onto).fit(X, y, **{f"{name}sample_weight": weight})
        twice = np.repeat(np.arange(len(X)), weight)
        two = co.ConsistentClassifier(estimator, onto).fit(X[twice], y[twice])
        np.testing.assert_allclose(one.beliefs(X), two.beliefs(X), atol=1e-3)


def test_one_class_seen_and_none_at_all():
    onto = co.Ontology.parse("exactly one: a, b, c")
    X = np.zeros((4, 1))
    model = co.ConsistentClassifier(LogisticRegression(), onto).fit(X, np.tile([1, 0, 0], (4, 1)))
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[4 / 5, 0.1, 0.1]], atol=1e-6)
    nothing = co.ConsistentClassifier(LogisticRegression(), onto).fit(X, np.full((4, 3), -1))
    np.testing.assert_allclose(nothing.predict_proba(X[:1]), [[1 / 3] * 3])


@pytest.mark.parametrize("text", [ONE, NONE_TOO])
def test_a_fitted_classifier_whose_classes_are_labels_is_taken_as_it_is(text):
    frozen = pytest.importorskip(
        "sklearn.frozen", reason="scikit-learn 1.6 and later"
    ).FrozenEstimator
    onto = co.Ontology.parse(text)
    X, Y, leaf = one_leaf_an_item(onto)
    alone = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, leaf)
    model = co.ConsistentClassifier(frozen(alone), onto).fit(X)
    columns = [onto.index[name] for name in alone.classes_]
    np.testing.assert_allclose(
        model.predict_proba(X)[:, columns], alone.predict_proba(X), atol=1e-6
    )
    assert (model.predict(X) == Y).all(axis=1).mean() == alone.score(X, leaf)
    with pytest.raises(co.CorollaryError, match="exclude each other"):
        co.ConsistentClassifier(frozen(alone), co.Ontology(onto.labels)).fit(X)
