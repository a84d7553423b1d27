"""The consistent classifier: legal by brute force, every kind of estimator, y and X, and scikit-learn's manners."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.fixes import parse_version

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.paper.logistic import Logistic
from corollary.learning.learners.pool import Pool
from corollary.learning.learners.scikit_learn.classifiers import PerLabel, Whole, as_beliefs

from ....logic.ontologies import ontologies, worlds
from ..centres import ONTO, K, is_legal, partly, problem

SMALL = Pool(members=[("linear", CRF()), ("gaussian", CRF(kernel="rbf", landmarks=20))])


#: Whether this scikit-learn can read the names of this polars' columns: by narwhals, or by the protocol of before.
READS_POLARS = parse_version(sklearn.__version__) >= parse_version("1.9") or hasattr(
    pl.DataFrame, "__dataframe__"
)
ESTIMATORS = {
    "crf": "crf",
    "logistic": "logistic",
    "a learner": CRF(kernel="rbf", landmarks=30),
    "a pool": SMALL,
    "trees": Trees(size=10),
    "a classifier": LogisticRegression(),
    "one versus rest": OneVsRestClassifier(LogisticRegression()),
    "multi-output": MultiOutputClassifier(LogisticRegression()),
    "a chain": ClassifierChain(LogisticRegression()),
    "a forest": RandomForestClassifier(10),
    "neighbours": KNeighborsClassifier(3),
    "a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "a pipeline of many": make_pipeline(StandardScaler(), MultiOutputClassifier(GaussianNB())),
    "a search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "margins": LinearSVC(),
    "margins of many": OneVsRestClassifier(LinearSVC()),
}


# -- the ontology always holds -----------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_labels_and_probabilities_by_brute_force(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints).astype(np.int8)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    beliefs = rng.uniform(0.01, 0.99, (3, len(labels)))
    facts = np.where(
        rng.random((3, len(labels))) < 0.3, legal[rng.integers(len(legal), size=3)], -1
    )
    model = co.ConsistentClassifier("beliefs", co.Ontology(labels, constraints)).fit(beliefs)
    for given_facts in (None, facts):
        labelling = model.predict(beliefs, facts=given_facts)
        posterior = model.predict_proba(beliefs, facts=given_facts)
        for i, theta in enumerate(beliefs):
            agree = (
                legal
                if given_facts is None
                else legal[((legal == facts[i]) | (facts[i] < 0)).all(axis=1)]
            )
            weight = np.where(agree == 1, theta, 1 - theta).prod(axis=1)
            assert (agree == labelling[i]).all(axis=1).any()
            np.testing.assert_allclose(
                np.where(labelling[i] == 1, theta, 1 - theta).prod(), weight.max(), rtol=1e-9
            )
            np.testing.assert_allclose(posterior[i], weight @ agree / weight.sum(), atol=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize("unknown", ["nothing", "cells", "a label"])
def test_every_estimator_learns_and_is_legal(estimator, unknown):
    X, Y = problem()
    y = Y if unknown == "nothing" else partly(Y, 0.7)
    if unknown == "a label":
        y = y.copy()
        y[:, 1] = -1  # bird; what follows from the others is drawn all the same
        y[:, 5] = np.where(Y[:, 5] == 1, -1, y[:, 5])  # of city only a no
    given_y = y.copy()
    model = co.ConsistentClassifier(estimator, ONTO).fit(X[:120], y[:120])
    np.testing.assert_array_equal(y, given_y)
    labelling, posterior = model.predict(X[120:]), model.predict_proba(X[120:])
    assert is_legal(labelling)
    assert labelling.shape == posterior.shape == (40, K)
    assert ((posterior >= 0) & (posterior <= 1)).all()
    np.testing.assert_allclose(posterior, ONTO.posterior(model.beliefs(X[120:])))
    columns = [0, 2, 3, 4, 6] if unknown == "a label" else range(K)
    if unknown == "nothing" or not isinstance(
        estimator, Trees
    ):  # trees learn from items known in full only
        assert (labelling == Y[120:])[:, columns].mean() > 0.85
    again = clone(model).fit(X[:120], y[:120])
    np.testing.assert_array_equal(again.predict_proba(X[120:]), posterior)


def test_the_default_is_the_pool():
    X, Y = problem(60)
    model = co.ConsistentClassifier(onto=ONTO).fit(X, partly(Y))
    assert isinstance(model.learner_, Pool)
    assert is_legal(model.predict(X))


# -- what the estimator sees -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["one versus rest", "multi-output", "a chain", "neighbours", "a pipeline of many"]
)
def test_known_in_full_the_classifier_is_fitted_as_it_would_be_alone(name):
    X, Y = problem()
    y = Y.copy()
    y[100:] = -1  # items of which nothing is known are left out
    model = co.ConsistentClassifier(ESTIMATORS[name], ONTO).fit(X, y)
    alone = clone(ESTIMATORS[name]).fit(X[:100], Y[:100].astype(np.int64)).predict_proba(X)
    expected = np.column_stack([each[:, 1] for each in alone]) if isinstance(alone, list) else alone
    assert isinstance(model.learner_, Whole)
    np.testing.assert_allclose(model.beliefs(X), expected)


@pytest.mark.parametrize("name", ["a classifier", "one versus rest", "multi-output", "a chain"])
def test_with_unknown_cells_every_label_learns_from_its_own(name):
    X, Y = problem()
    y = partly(Y, 0.6)
    model = co.ConsistentClassifier(ESTIMATORS[name], ONTO).fit(X, y)
    known = ONTO.propagate(y)
    assert isinstance(model.learner_, PerLabel)
    for k in range(K):
        rows = known[:, k] >= 0
        alone = LogisticRegression().fit(X[rows], known[rows, k]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(model.beliefs(X)[:, k], alone, atol=1e-6)


def test_margins_are_believed_by_their_logistic():
    X, Y = problem()
    model = co.ConsistentClassifier(LinearSVC(), ONTO).fit(X, Y)
    margin = (
        LinearSVC(random_state=model.learner_.estimators_[0].random_state)
        .fit(X, Y[:, 0])
        .decision_function(X)
    )
    np.testing.assert_allclose(model.beliefs(X)[:, 0], 1 / (1 + np.exp(-margin)))


def test_a_label_with_one_answer_has_its_smoothed_frequency():
    X, Y = problem(40)
    y = np.where(np.arange(K) == 0, -1, Y[:1].repeat(40, axis=0))
    y = co.ConsistentClassifier(LogisticRegression()).fit(X, y).beliefs(X)
    np.testing.assert_allclose(
        y,
        np.where(np.arange(K) == 0, 0.5, np.where(Y[0] == 1, 41 / 42, 1 / 42))[None].repeat(40, 0),
    )


def test_a_learner_takes_the_ontology_of_the_classifier():
    X, Y = problem(40)
    learner = CRF(l2=3.0)
    model = co.ConsistentClassifier(learner, ONTO).fit(X, Y)
    assert (model.learner_.onto_, model.learner_.l2, learner.onto) == (ONTO, 3.0, None)
    with pytest.raises(co.CorollaryError, match="another ontology"):
        co.ConsistentClassifier(CRF(co.Ontology(["a"])), ONTO).fit(X, Y)


def test_weights_count_as_repetitions_and_are_cut_to_the_known_items():
    X, Y = problem(60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    twice = np.repeat(np.arange(60), weight)
    for y in (Y, partly(Y, 0.8)):
        for classifier in (GaussianNB(), MultiOutputClassifier(GaussianNB())):
            for weights in (weight, pd.Series(weight), weight.tolist()):
                one = co.ConsistentClassifier(classifier, ONTO).fit(X, y, sample_weight=weights)
                two = co.ConsistentClassifier(classifier, ONTO).fit(X[twice], y[twice])
                np.testing.assert_allclose(one.beliefs(X), two.beliefs(X), rtol=1e-6, atol=1e-9)
    with pytest.raises(co.CorollaryError, match="'crf' takes no sample_weight"):
        co.ConsistentClassifier("crf", ONTO).fit(X, Y, sample_weight=weight)
    with pytest.raises(TypeError, match="sample_weight"):
        co.ConsistentClassifier(KNeighborsClassifier(), ONTO).fit(X, Y, sample_weight=weight)


def test_metadata_is_routed():
    X, Y = problem(60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    plain = co.ConsistentClassifier(GaussianNB(), ONTO).fit(X, Y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = co.ConsistentClassifier(GaussianNB().set_fit_request(sample_weight=True), ONTO)
        np.testing.assert_allclose(
            asked.fit(X, Y, sample_weight=weight).beliefs(X), plain.beliefs(X)
        )
        asked.set_score_request(sample_weight=False)
        found = cross_validate(
            asked, X, Y, params={"sample_weight": weight}, cv=2, error_score="raise"
        )
        assert (found["test_score"] > 0.5).all()
        with pytest.raises(ValueError, match="sample_weight"):
            co.ConsistentClassifier(GaussianNB(), ONTO).fit(X, Y, sample_weight=weight)


# -- estimators that are fitted already --------------------------------------------------------------------------------


def test_a_fitted_classifier_or_a_function_gives_the_beliefs():
    X, Y = problem()
    fitted = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    many = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    expected = ONTO.most_probable(fitted.predict_proba(X))
    for source in (
        fitted.predict_proba,
        many.predict_proba,
        lambda rows: sparse.csr_array(fitted.predict_proba(rows)),
    ):
        model = co.ConsistentClassifier(source, ONTO).fit(X)
        np.testing.assert_allclose(model.beliefs(X), fitted.predict_proba(X))
        np.testing.assert_array_equal(clone(model).fit(X, Y).predict(X), expected)


def test_a_frozen_estimator_is_not_fitted_again():
    frozen = pytest.importorskip(
        "sklearn.frozen", reason="scikit-learn 1.6 and later"
    ).FrozenEstimator
    X, Y = problem()
    for fitted in (
        OneVsRestClassifier(LogisticRegression()).fit(X, Y),
        MultiOutputClassifier(GaussianNB()).fit(X, Y),
    ):
        model = co.ConsistentClassifier(frozen(fitted), ONTO).fit(X[:5], Y[:5])
        alone = as_beliefs(fitted.predict_proba(X), K)
        np.testing.assert_array_equal(model.beliefs(X), alone)
    one = LogisticRegression().fit(X, Y[:, 0])
    model = co.ConsistentClassifier(frozen(one)).fit(X[:20], Y[:20, 0])
    np.testing.assert_allclose(model.predict_proba(X), one.predict_proba(X), atol=1e-9)


def test_beliefs_in_a_frame_are_matched_by_name():
    beliefs = np.random.default_rng(0).random((4, K))
    frame = pd.DataFrame(beliefs, columns=ONTO.labels)
    model = co.ConsistentClassifier("beliefs", ONTO).fit(frame)
    np.testing.assert_array_equal(model.predict(frame), ONTO.most_probable(beliefs))
    even = beliefs.copy()
    even[:, ONTO.index["bird"]] = 0.5
    some = frame.drop(columns="bird")
    np.testing.assert_array_equal(
        co.ConsistentClassifier("beliefs", ONTO).fit(some).predict(some), ONTO.most_probable(even)
    )


def test_rows_of_y_and_of_facts_go_by_the_index():
    X, Y = problem(60)
    frame, y = (pd.DataFrame(one, index=[f"i{i}" for i in range(60)]) for one in (X, Y))
    y.columns = ONTO.labels
    expected = co.ConsistentClassifier("crf", ONTO).fit(frame, Y)
    found = co.ConsistentClassifier("crf", ONTO).fit(frame, y[::-1])
    np.testing.assert_array_equal(found.beliefs(frame), expected.beliefs(frame))
    assert (found.predict(frame, facts=y[::-1]) == Y).all()


@pytest.mark.parametrize(
    "estimator",
    [*ESTIMATORS.values(), LinearSVC(), StackingClassifier([("a", GaussianNB())], cv=3)],
)
def test_probabilities_are_cross_validated(estimator):
    X, Y = problem(60)
    model = co.ConsistentClassifier(estimator, ONTO)
    found = cross_val_predict(model, X, Y, method="predict_proba", cv=3)
    assert isinstance(found, np.ndarray)
    assert found.shape == Y.shape
    assert ((found > 0.5) == Y).mean() > 0.8


def test_unknown_cells_that_were_numbered_anew_are_told():
    X, Y = problem(60)
    model = co.ConsistentClassifier(LogisticRegression(), ONTO)
    with pytest.raises(
        co.CorollaryError,
        match="has 2. If this is in cross_val_predict.*params=",
    ):
        cross_val_predict(
            model, X, np.where(np.arange(60)[:, None] % 4, Y, -1), method="predict_proba", cv=3
        )


@pytest.mark.parametrize(
    "estimator",
    [*ESTIMATORS.values(), LinearSVC(), StackingClassifier([("a", GaussianNB())], cv=3)],
)
def test_probabilities_are_cross_validated_with_unknown_cells(estimator):
    X, Y = problem(60)
    y = np.where(np.random.default_rng(0).random(Y.shape) < 0.1, -1, Y)
    y[:, 0] = np.where(Y[:, 0] == 1, 1, -1)  # never a no: its number would be another
    model = co.ConsistentClassifier(estimator, ONTO)
    folds = KFold(3)
    found = cross_val_predict(model, X, params={"y": y}, method="predict_proba", cv=folds)
    for train, test in folds.split(X):
        expected = clone(model).fit(X[train], y[train]).predict_proba(X[test])
        np.testing.assert_array_equal(found[test], expected)


def test_a_classifier_that_gives_no_beliefs_is_told():
    X, Y = problem(60)
    with pytest.raises(co.CorollaryError, match="has no predict_proba, so it gives no beliefs"):
        co.ConsistentClassifier(MultiOutputClassifier(LinearSVC()), ONTO).fit(X, Y)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (np.zeros((3, 2)), "items x 7 labels, got shape .3, 2."),
        ([np.zeros((3, 1))] * 7, "label 0 has 1 columns of probabilities; expected two"),
        (np.full((3, 7), 1.5), "beliefs must lie between 0 and 1"),
    ],
)
def test_what_is_no_belief_is_told(told, message):
    model = co.ConsistentClassifier(lambda _: told, ONTO).fit(np.zeros((3, 1)))
    with pytest.raises(co.CorollaryError, match=message):
        model.predict(np.zeros((3, 1)))


# -- what y may be -----------------------------------------------------------------------------------------------------


def test_a_y_that_cannot_be_true_names_the_item():
    X, Y = problem(20)
    Y[7] = 1
    with pytest.raises(co.Contradiction) as caught:
        co.ConsistentClassifier(LogisticRegression(), ONTO).fit(X, Y)
    assert caught.value.item == 7


def test_settings_that_are_none_are_told():
    X, Y = problem(20)
    with pytest.raises(co.CorollaryError, match="onto must be an Ontology"):
        co.ConsistentClassifier("crf", "animals").fit(X, Y)
    with pytest.raises(co.CorollaryError, match="no learner 'best'"):
        co.ConsistentClassifier("best", ONTO).fit(X, Y)
    with pytest.raises(co.CorollaryError, match="is a class"):
        co.ConsistentClassifier(LogisticRegression, ONTO).fit(X, Y)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        co.ConsistentClassifier("crf", ONTO).predict(X)


# -- without an ontology -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_are_what_the_classifier_alone_would_say(n_classes):
    X, Y = problem()
    y = np.array(["no", "yes", "perhaps"])[np.minimum(Y[:, 0] + 2 * Y[:, 1], n_classes - 1)]
    alone = LogisticRegression().fit(X, y)
    model = co.ConsistentClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(model.classes_, alone.classes_)
    assert model.score(X, y) == alone.score(X, y)
    margins = co.ConsistentClassifier(LinearSVC()).fit(X, y)
    np.testing.assert_array_equal(
        margins.predict(X), LinearSVC(random_state=0).fit(X, y).predict(X)
    )
    for own in ("crf", "logistic", Trees(size=5)):
        model = co.ConsistentClassifier(own).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        assert model.score(X, y) > 0.8


def test_a_single_column_is_read_as_classes_with_a_warning():
    X, Y = problem(40)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = co.ConsistentClassifier("crf").fit(X, Y[:, :1])
    assert model.predict(X).shape == (40,)
    one = co.ConsistentClassifier("crf", co.Ontology(["animal"])).fit(X, Y[:, :1])
    assert one.predict(X).shape == (40, 1)


def test_columns_without_an_ontology_are_free_labels():
    X, Y = problem()
    frame = pd.DataFrame(partly(Y), columns=list(ONTO.labels))
    model = co.ConsistentClassifier(LogisticRegression()).fit(X, frame)
    assert tuple(model.labels_) == ONTO.labels
    np.testing.assert_allclose(model.predict_proba(X), model.beliefs(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.beliefs(X) > 0.5)


def test_learners_read_classes_too():
    X, Y = problem()
    y = np.array(["low", "high"])[Y[:, 0]]
    for learner in (CRF(), Logistic(), Trees(size=5), clone(SMALL)):
        beliefs = learner.fit(X, y).predict_proba(X)
        assert beliefs.shape == (len(X), 2)
        assert ((beliefs[:, 0] > beliefs[:, 1]) == (y == "high")).mean() > 0.9
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        CRF().fit(X, X[:, 0])
    with pytest.raises(co.CorollaryError, match="Input y contains NaN"):
        CRF().fit(X, np.where(Y[:, 0], np.nan, 0.0))
    with pytest.raises(co.CorollaryError, match="X has 160 rows but y has 3"):
        CRF().fit(X, y[:3])


def test_a_further_fit_goes_on_only_with_the_same_labels():
    X, Y = problem()
    learner = CRF(iterations=2).fit(X, Y[:, 0])
    first = learner.loss_
    assert learner.fit(X, Y[:, 0]).loss_ < first
    assert learner.fit(X, Y).predict_proba(X).shape == Y.shape
    pool = clone(SMALL).set_params(warm_start=False).fit(X, Y)
    expected = clone(SMALL).fit(X[:50], Y[:50]).predict_proba(X)
    np.testing.assert_array_equal(pool.fit(X[:50], Y[:50]).predict_proba(X), expected)


# -- what X may be -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator", ["crf", "logistic", SMALL, LogisticRegression(), RandomForestClassifier(5)]
)
def test_frames_and_sparse_matrices_are_taken(estimator):
    X, Y = problem(80)
    y = partly(Y)
    columns = [f"f{j}" for j in range(5)]
    expected = co.ConsistentClassifier(estimator, ONTO).fit(X, y).predict_proba(X)
    for frame in (
        pd.DataFrame(X, columns=columns, index=np.arange(80)[::-1]),
        pl.DataFrame(X, schema=columns),
    ):
        model = co.ConsistentClassifier(estimator, ONTO).fit(frame, y)
        assert model.n_features_in_ == 5
        np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-6)
        if isinstance(frame, pl.DataFrame) and not READS_POLARS:
            continue
        assert list(model.feature_names_in_) == columns
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame[columns[::-1]])
    for thin in (sparse.csr_matrix(X), sparse.coo_array(X)):
        assert is_legal(co.ConsistentClassifier(estimator, ONTO).fit(thin, y).predict(thin))
    with pytest.raises(
        ValueError, match="X has 2 features, but .* is expecting 5 features as input"
    ):
        co.ConsistentClassifier(estimator, ONTO).fit(X, y).predict(X[:, :2])


@pytest.mark.parametrize(
    "estimator", ["crf", "logistic", make_pipeline(TfidfVectorizer(), LogisticRegression())]
)
def test_texts_are_taken(estimator):
    onto = co.Ontology(["fruit", "car"], [co.exactly_one("fruit", "car")])
    texts = ["a red apple", "one green apple", "the red car", "my blue car"] * 5
    y = np.array([[1, -1], [1, 0], [0, -1], [-1, 1]] * 5)
    model = co.ConsistentClassifier(estimator, onto).fit(texts, y)
    np.testing.assert_array_equal(model.predict(["an apple", "that car"]), [[1, 0], [0, 1]])


def test_tables_of_numbers_and_words_are_taken_by_our_learners():
    onto = co.Ontology(["heavy", "red"])
    table = pd.DataFrame(
        {
            "kg": [1.0, 9, 2, None, 1, 8] * 5,
            "colour": ["red", "blue", "red", "red", "blue", "blue"] * 5,
        }
    )
    y = np.column_stack([table["kg"].fillna(0) > 5, table["colour"] == "red"]).astype(int)
    model = co.ConsistentClassifier("crf", onto).fit(table, y)
    np.testing.assert_array_equal(model.predict(table), y)
    assert list(model.feature_names_in_) == ["kg", "colour"]


# -- at home among scikit-learn's tools --------------------------------------------------------------------------------


def test_clone_pickle_and_settings():
    X, Y = problem(40)
    model = co.ConsistentClassifier(LogisticRegression(C=3), ONTO, random_state=4)
    assert clone(model).get_params()["estimator__C"] == 3
    assert clone(model).onto is ONTO
    model.set_params(estimator__C=5).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_chance_comes_from_random_state_alone():
    X, Y = problem(60)

    def fit(seed):
        forest = co.ConsistentClassifier(RandomForestClassifier(3), ONTO, random_state=seed)
        return forest.fit(X, Y).beliefs(X)

    np.testing.assert_array_equal(fit(1), fit(1))
    assert not np.array_equal(fit(1), fit(2))


def test_searches_scores_and_calibration():
    X, Y = problem()
    model = co.ConsistentClassifier(LogisticRegression(), ONTO)
    search = GridSearchCV(model, {"estimator__C": [0.01, 10.0]}, cv=2, error_score="raise").fit(
        X, Y
    )
    assert search.best_params_ == {"estimator__C": 10.0}
    assert (cross_val_score(model, X, Y, cv=2, scoring="f1_macro", error_score="raise") > 0.7).all()
    two = co.Ontology(["a", "b"], [co.implies("a", "b")])
    y = np.column_stack([Y[:, 1], Y[:, 0]])  # a bird is an animal
    found = cross_val_score(
        co.ConsistentClassifier("crf", two), X, y, cv=2, scoring="roc_auc", error_score="raise"
    )
    assert (found > 0.9).all()
    calibrated = CalibratedClassifierCV(co.ConsistentClassifier("crf"), cv=2).fit(X, Y[:, 0])
    assert calibrated.score(X, Y[:, 0]) > 0.9


def test_the_score_looks_at_known_cells_only():
    X, Y = problem()
    model = co.ConsistentClassifier("crf", ONTO).fit(X, Y)
    y = partly(Y, 0.4)
    right = [(y[i] < 0) | (y[i] == model.predict(X[i : i + 1])[0]) for i in range(len(X))]
    assert model.score(X, y) == np.mean([row.all() for row in right])
    weight = np.arange(len(X))
    assert np.isclose(
        model.score(X, y, weight), np.average([row.all() for row in right], weights=weight)
    )


def test_a_classifier_of_ones_own_without_tags_learns_label_by_label():
    class Frequency(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            assert y.ndim == 1
            self.classes_ = np.unique(y)
            self.share_ = np.mean(y)
            return self

        def predict_proba(self, X):
            return np.tile([1 - self.share_, self.share_], (len(X), 1))

    X, Y = problem(40)
    beliefs = co.ConsistentClassifier(Frequency(), ONTO).fit(X, Y).beliefs(X)
    np.testing.assert_allclose(beliefs, np.tile(Y.mean(axis=0), (40, 1)))
