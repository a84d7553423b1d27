"""Query strategies in the shapes of scikit-activeml and modAL, on the shape alone and, where installed, inside them."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import corollary as co
from corollary.learning.query_strategies import best_cells, best_items

from ..logic.ontologies import ontologies, worlds

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
)
K = len(ONTO)


def problem(n=60, seed=0):
    rng = np.random.default_rng(seed)
    Y = (ONTO.propagate(2 * np.eye(K, dtype=np.int8) - 1) == 1).astype(np.int8)[
        rng.permutation(n) % K
    ]
    X = Y @ rng.normal(0, 1, (K, 5)) + rng.normal(0, 0.6, (n, 5))
    facts = np.where(rng.random(Y.shape) < 0.2, Y, -1)
    return X, Y, facts


# -- the choice --------------------------------------------------------------------------------------------------------


def test_facts_go_by_name_and_item_id():
    X, Y, facts = problem()
    ids = [f"i{i}" for i in range(len(X))]
    pool, known = pd.DataFrame(X, index=ids), pd.DataFrame(facts, columns=ONTO.labels, index=ids)
    mixed = known[known.columns[::-1]][::-1]
    model = co.ConsistentClassifier("logistic", ONTO).fit(
        pool, pd.DataFrame(Y, columns=ONTO.labels, index=ids)
    )
    for found, expected in zip(
        co.constraint_sampling(model, pool, 5, facts=mixed),
        co.constraint_sampling(model, pool, 5, facts=facts),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
    by_name, by_place = (
        co.ConstraintSampling(ONTO).query(pool, y, model, batch_size=5, fit_clf=False)
        for y in (mixed, facts)
    )
    np.testing.assert_array_equal(by_name, by_place)
    with pytest.raises(co.CorollaryError, match="facts must be items x 7 labels"):
        co.constraint_sampling(model, pool, facts=["bird"])


@settings(max_examples=40)
@given(ontologies(max_labels=5, max_constraints=4), st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_best_cells_by_brute_force_and_as_a_session_asks(ontology, seed, n):
    labels, constraints = ontology
    legal = worlds(labels, constraints).astype(np.int8)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    onto = co.Ontology(labels, constraints)
    beliefs = rng.uniform(0.05, 0.95, (4, len(labels)))
    known = onto.propagate(
        np.where(rng.random(beliefs.shape) < 0.2, legal[rng.integers(len(legal), size=4)], -1)
    )
    worth = co.score("posterior", beliefs, onto, known)
    expected, free = [], worth.copy()
    while len(expected) < n and (free > -np.inf).any():
        i, k = np.unravel_index(free.argmax(), free.shape)
        expected.append([i, k])
        agree = legal[((legal == known[i]) | (known[i] < 0)).all(axis=1)]
        for value in (0, 1):
            left = agree[agree[:, k] == value]
            free[i, (left == left[0]).all(axis=0)] = -np.inf
    chosen = best_cells(worth, onto, known, n)
    np.testing.assert_array_equal(chosen, np.reshape(expected, (-1, 2)))
    asked = co.Session(onto, beliefs=beliefs, facts=known).ask(n)
    assert [(q.item, onto.index[q.label]) for q in asked] == [
        tuple(pair) for pair in chosen.tolist()
    ]


def test_the_best_items_are_in_order_and_open():
    np.testing.assert_array_equal(best_items(np.array([1.0, 3.0, -np.inf, 3.0]), 3), [1, 3, 0])
    assert len(best_items(np.array([-np.inf]), 2)) == 0


# -- scikit-activeml's shape -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["nan", "-1", "frame"])
def test_a_query_names_pairs_of_item_and_label(form):
    X, _, facts = problem()
    y = facts if form == "-1" else np.where(facts < 0, np.nan, facts)
    y = pd.DataFrame(y, columns=list(ONTO.labels)) if form == "frame" else y
    classifier = co.ConsistentClassifier("crf", ONTO)
    pairs = co.ConstraintSampling().query(X, y, classifier, batch_size=5)
    assert pairs.shape == (5, 2)
    known = ONTO.propagate(facts)
    assert (known[tuple(pairs.T)] < 0).all()
    beliefs = clone(classifier).fit(X, facts).beliefs(X)
    asked = co.Session(ONTO, beliefs=beliefs, facts=facts).ask(5)
    assert [(q.item, ONTO.index[q.label]) for q in asked] == [
        tuple(pair) for pair in pairs.tolist()
    ]
    assert not hasattr(classifier, "learner_")  # fitted on a clone


def test_utilities_are_what_the_choice_was_made_from():
    X, _, facts = problem()
    pairs, utilities = co.ConstraintSampling(ONTO, score="gain").query(
        X, facts, LogisticRegression(), batch_size=6, return_utilities=True
    )
    assert utilities.shape == (6, *facts.shape)
    known = ONTO.propagate(facts)
    assert np.isnan(utilities[0][known >= 0]).all()
    assert not np.isnan(utilities[0][known < 0]).any()
    for step, (i, k) in enumerate(pairs):
        assert utilities[step, i, k] == np.nanmax(utilities[step])
        assert np.isnan(utilities[step + 1 :, i, k]).all()


def test_whole_items_are_asked_by_their_entropy():
    X, Y, facts = problem()
    facts[:10] = Y[:10]
    strategy = co.ConstraintSampling(ask="item")
    model = co.ConsistentClassifier("crf", ONTO).fit(X, facts)
    items, utilities = strategy.query(
        X, facts, model, fit_clf=False, batch_size=4, return_utilities=True
    )
    entropy = ONTO.joint_entropy(model.beliefs(X), facts)
    assert items.shape == (4,)
    np.testing.assert_array_equal(items, np.argsort(-entropy, kind="stable")[:4])
    closed = (ONTO.propagate(facts) >= 0).all(axis=1)
    np.testing.assert_allclose(utilities[0, ~closed], entropy[~closed])
    assert np.isnan(utilities[:, closed]).all()
    assert closed[:10].all()
    assert np.isnan(utilities[3, items[:3]]).all()
    assert (strategy.query(X, facts, model, candidates=[20, 21], batch_size=9) >= 20).all()
    assert len(strategy.query(X, Y, model)) == 0  # nothing is open


def test_candidates_limit_the_choice():
    X, _, facts = problem()
    pairs = co.ConstraintSampling().query(
        X, facts, co.ConsistentClassifier("crf", ONTO), candidates=[3, 7], batch_size=4
    )
    assert set(pairs[:, 0]) <= {3, 7}


@pytest.mark.parametrize(
    ("clf", "onto"),
    [
        (co.ConsistentClassifier("logistic"), ONTO),
        (co.ConsistentClassifier("logistic", ONTO), ONTO),
        (LogisticRegression(), ONTO),
        ("crf", ONTO),
        (LogisticRegression(), None),
    ],
)
def test_classifiers_of_every_kind_serve(clf, onto):
    X, _, facts = problem()
    first = co.ConstraintSampling(onto).query(X, facts, clf, batch_size=3)
    np.testing.assert_array_equal(
        co.ConstraintSampling(onto).query(X, facts, clf, batch_size=3), first
    )
    assert first.shape == (3, 2)


def test_a_fitted_classifier_serves_as_it_is():
    X, Y, facts = problem()
    fitted = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    beliefs = np.column_stack([each[:, 1] for each in fitted.predict_proba(X)])
    pair = co.ConstraintSampling(ONTO).query(X, facts, fitted, fit_clf=False)
    worth = co.score("posterior", beliefs, ONTO, facts)
    np.testing.assert_array_equal(pair, [np.unravel_index(worth.argmax(), worth.shape)])


def test_chance_comes_from_random_state():
    X, _, facts = problem()
    model = co.ConsistentClassifier("logistic", ONTO)
    one, two, other = (
        co.ConstraintSampling(score="random", random_state=s).query(X, facts, model)
        for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_a_loop_from_nothing_to_all_known():
    X, Y, _ = problem(20)
    y = np.full(Y.shape, np.nan)
    strategy, model = co.ConstraintSampling(), co.ConsistentClassifier(LogisticRegression(), ONTO)
    questions = 0
    while len(pairs := strategy.query(X, y, model, batch_size=10)):
        y[tuple(pairs.T)] = Y[tuple(pairs.T)]
        questions += len(pairs)
    np.testing.assert_array_equal(ONTO.propagate(np.where(np.isnan(y), -1, y).astype(int)), Y)
    assert questions < Y.size / 2  # the rest followed


@pytest.mark.parametrize(
    ("strategy", "arguments", "message"),
    [
        (co.ConstraintSampling(ask="all"), {}, "ask must be 'label' or 'item'"),
        (co.ConstraintSampling(ask="item", score="gain"), {}, "needs score='posterior'"),
        (co.ConstraintSampling(score="best"), {}, "no score 'best'"),
        (co.ConstraintSampling(co.Ontology(["a"])), {}, "another ontology"),
        (co.ConstraintSampling(), {"batch_size": 0}, "at least one question"),
        (co.ConstraintSampling(), {"candidates": [99]}, "whole numbers from 0 to 59"),
        (co.ConstraintSampling(), {"candidates": [[0.5, 1.0]]}, "rows of X"),
    ],
)
def test_bad_questions_are_told(strategy, arguments, message):
    X, _, facts = problem()
    with pytest.raises(co.CorollaryError, match=message):
        strategy.query(X, facts, co.ConsistentClassifier("logistic", ONTO), **arguments)


def test_a_fitted_classifier_without_an_ontology_is_told():
    X, Y, facts = problem()
    fitted = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(co.CorollaryError, match="which ontology"):
        co.ConstraintSampling().query(X, facts, fitted, fit_clf=False)
    with pytest.raises(co.CorollaryError, match="which ontology"):
        co.constraint_sampling(fitted, X)


def test_inside_scikit_activeml():
    try:
        from skactiveml import pool
        from skactiveml.classifier import SklearnClassifier
    except ImportError as error:
        pytest.skip(f"scikit-activeml is not installed, or not for this scikit-learn: {error}")
    X, _, facts = problem()
    theirs = inspect.signature(pool.UncertaintySampling.query).parameters
    ours = inspect.signature(co.ConstraintSampling.query).parameters
    assert list(ours)[:4] == list(theirs)[:4] == ["self", "X", "y", "clf"]
    assert set(ours) <= set(theirs)
    assert all(ours[name].default == theirs[name].default for name in ours)
    wrapped = SklearnClassifier(LogisticRegression(), classes=[0, 1], random_state=0)
    pairs, utilities = co.ConstraintSampling(ONTO).query(
        X, facts, wrapped, batch_size=3, return_utilities=True
    )
    plain = co.ConstraintSampling(ONTO).query(X, facts, LogisticRegression(), batch_size=3)
    np.testing.assert_array_equal(pairs, plain)
    assert utilities.shape == (3, *facts.shape)


# -- modAL's shape -----------------------------------------------------------------------------------------------------


def test_the_function_gives_items_and_their_entropy():
    X, Y, facts = problem()
    model = co.ConsistentClassifier("crf", ONTO).fit(X, facts)
    items, entropy = co.constraint_sampling(model, X, n_instances=5)
    expected = ONTO.joint_entropy(model.beliefs(X))
    np.testing.assert_array_equal(items, np.argsort(-expected, kind="stable")[:5])
    np.testing.assert_allclose(entropy, expected[items])
    known = np.where(np.arange(60)[:, None] < 50, Y, -1)
    assert (co.constraint_sampling(model, X, n_instances=60, facts=known)[0] >= 50).all()


def test_the_function_looks_into_pipelines_and_takes_any_classifier():
    X, Y, _ = problem()
    each = OneVsRestClassifier(LogisticRegression())
    line = make_pipeline(StandardScaler(), co.ConsistentClassifier(each, ONTO)).fit(X, Y)
    expected = ONTO.joint_entropy(line[-1].beliefs(line[0].transform(X)))
    items, entropy = co.constraint_sampling(line, X, 3)
    np.testing.assert_allclose(entropy, np.sort(expected)[::-1][:3])
    fitted = MultiOutputClassifier(LogisticRegression()).fit(line[0].transform(X), Y)
    again, _ = co.constraint_sampling(fitted, line[0].transform(X), 3, onto=ONTO)
    np.testing.assert_array_equal(again, items)


def test_classes_are_asked_by_their_entropy():
    X, Y, _ = problem()
    model = co.ConsistentClassifier(LogisticRegression()).fit(X, Y[:, 0])
    p = model.predict_proba(X)
    items, entropy = co.constraint_sampling(model, X, 2)
    expected = -(p * np.log(p)).sum(axis=1)
    np.testing.assert_allclose(entropy, np.sort(expected)[::-1][:2], atol=1e-9)
    assert items[0] == expected.argmax()


def test_inside_modal():
    try:
        from modAL import models
    except ImportError as error:
        pytest.skip(f"modAL is not installed, or not for this scikit-learn: {error}")
    X, Y, _ = problem()
    learner = models.ActiveLearner(
        co.ConsistentClassifier("crf", ONTO),
        co.constraint_sampling,
        X_training=X[:20],
        y_training=Y[:20],
    )
    alone = co.ConsistentClassifier("crf", ONTO).fit(X[:20], Y[:20])
    items, rows = learner.query(X[20:], n_instances=2)
    np.testing.assert_array_equal(items, co.constraint_sampling(alone, X[20:], 2)[0])
    np.testing.assert_array_equal(rows, X[20:][items])
    items, _, entropy = learner.query(X[20:], n_instances=3, return_metrics=True)
    np.testing.assert_array_equal(entropy, co.constraint_sampling(alone, X[20:], 3)[1])
    assert not ONTO.closure(learner.predict(X))[1].any()
    other = models.ActiveLearner(
        MultiOutputClassifier(LogisticRegression()),
        co.constraint_sampling,
        X_training=X[:30],
        y_training=Y[:30],
    )
    assert len(other.query(X[30:], n_instances=2, onto=ONTO)[0]) == 2
