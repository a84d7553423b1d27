"""scikit-learn's classifiers as learners: a clone for each label, or one for all labels together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from ....logic.engines import Facts, Floats
from ....logic.errors import CorollaryError
from ...argument_checks import random_of
from ...features.learner_inputs import NotFitted, check_facts, untrained_labels
from .pipelines import split_front


class PerLabel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Any scikit-learn classifier or pipeline with predict_proba, cloned for each label.

    A clone sees the rows where its label is known, as they are in X: an array, a sparse matrix, a
    pandas or polars frame, or a list. The front of a pipeline, all steps that need no labels, is
    fitted once, to the rows of which anything is known. Every fit starts afresh. Where the
    classifier's own `random_state` is None, this one decides. Labels with one answer or none known
    are in `untrained_`, with the reason; their belief is (yes + 1) / (known + 2). With `margins`, a
    classifier without predict_proba gives the logistic of its decision_function.
    """

    def __init__(self, estimator: Any, *, margins: bool = False, random_state: Any = 0):
        self.estimator = estimator
        self.margins = margins
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit one clone for each label that has both answers.

        `params` go to the fit of each; what has one entry for each item is cut to the items the clone sees.
        """
        if not (self.margins and hasattr(self.estimator, "decision_function")):
            check_gives_beliefs(self.estimator)
        known = check_facts(y, n_items(X))
        random = random_of(self.random_state)
        seeds = random.randint(2**31, size=known.shape[1])
        self._front, each, X, place = fit_front(self.estimator, X, known, params, random)
        self.untrained_, self._constant = untrained_labels(known)
        self.estimators_: list[Any] = []
        for k in range(known.shape[1]):
            if k in self.untrained_:
                self.estimators_.append(None)
                continue
            rows = np.flatnonzero(known[:, k] >= 0)
            estimator = seeded(clone(each), int(seeds[k]))
            values = known[rows, k].astype(np.int64)
            one_column = values[:, None] if _takes_matrices_only(estimator) else values
            some = cut_params(params, rows, len(known))
            self.estimators_.append(estimator.fit(take(X, place[rows]), one_column, **some))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        if not hasattr(self, "estimators_"):
            raise NotFitted("this PerLabel is not fitted yet; call fit(X, facts) first")
        X = X if self._front is None else self._front.transform(X)
        beliefs = np.empty((n_items(X), len(self.estimators_)))
        for k, estimator in enumerate(self.estimators_):
            beliefs[:, k] = (
                self._constant[k] if estimator is None else read_beliefs(estimator, X, 1)[:, 0]
            )
        return beliefs


class Whole(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn classifier that takes several labels, fitted to all of them at once.

    It sees the items of which every label is known, and the labels of which both answers are. Labels with one answer
    are in `untrained_`, with the reason; their belief is (yes + 1) / (known + 2).
    """

    def __init__(self, estimator: Any, *, random_state: Any = 0):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit a clone; what has one entry for each item in `params` is cut to the items it sees."""
        if not hasattr(self.estimator, "decision_function"):
            check_gives_beliefs(self.estimator)
        known = check_facts(y, n_items(X))
        rows = np.flatnonzero((known >= 0).all(axis=1))
        self.untrained_, self._constant = untrained_labels(known[rows])
        self._trained = np.array(
            [k for k in range(known.shape[1]) if k not in self.untrained_], np.int64
        )
        seed = int(random_of(self.random_state).randint(2**31))
        values = known[np.ix_(rows, self._trained)].astype(np.int64)
        some = cut_params(params, rows, len(known))
        self.estimator_ = seeded(clone(self.estimator), seed).fit(
            take(rows_of(X), rows), values, **some
        )
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        beliefs = np.tile(self._constant, (n_items(X), 1))
        beliefs[:, self._trained] = read_beliefs(self.estimator_, X, len(self._trained))
        return beliefs


class OfClasses(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn classifier whose classes are labels of which exactly one holds.

    Its field has the logarithms of its probabilities as scores, so that the posterior of the
    beliefs equals the classifier's prediction.
    """

    def __init__(self, estimator: Any, *, random_state: Any = 0):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit a clone to the class of each item."""
        seed = int(random_of(self.random_state).randint(2**31))
        self.estimator_ = seeded(clone(self.estimator), seed).fit(X, y, **params)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and class."""
        if hasattr(self.estimator_, "predict_proba"):
            found = np.asarray(self.estimator_.predict_proba(X), np.float64)
            return np.asarray(found / (1.0 + found))
        margins = np.asarray(self.estimator_.decision_function(X), np.float64)
        return np.asarray(
            expit(margins if margins.ndim == 2 else np.column_stack([-margins / 2, margins / 2]))
        )


class Ready(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Beliefs that are there already: a fitted classifier, or a function of X that gives them."""

    def __init__(self, source: Any, n_labels: int):
        self.source = source
        self.n_labels = n_labels

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        if hasattr(self.source, "predict_proba") or hasattr(self.source, "decision_function"):
            return read_beliefs(self.source, X, self.n_labels)
        return as_beliefs(self.source(X), self.n_labels)


def takes_matrix(estimator: Any) -> bool:
    """Whether a scikit-learn classifier takes a matrix of labels; its tags tell, or those of what it is made of."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

    last = last_step(estimator)
    if isinstance(last, OneVsRestClassifier | MultiOutputClassifier | ClassifierChain):
        return True
    if hasattr(last, "__sklearn_tags__"):
        tags = last.__sklearn_tags__()
        return bool(
            tags.target_tags.multi_output
            or (tags.classifier_tags and tags.classifier_tags.multi_label)
        )
    more = last._get_tags()  # noqa: SLF001  # before scikit-learn 1.6
    return bool(more["multioutput"] or more["multilabel"])


def _takes_matrices_only(estimator: Any) -> bool:
    from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

    return isinstance(last_step(estimator), MultiOutputClassifier | ClassifierChain)


def last_step(estimator: Any) -> Any:
    """The classifier itself, behind the steps of a pipeline and a search for its settings."""
    from sklearn.pipeline import Pipeline

    if isinstance(estimator, Pipeline):
        return last_step(estimator.steps[-1][1])
    return (
        last_step(estimator.estimator) if hasattr(estimator, "refit") else estimator
    )  # all searches have that


def read_beliefs(estimator: Any, X: Any, n_labels: int) -> Floats:
    """Return the beliefs of a fitted classifier, (N, K), whatever the form of its prediction."""
    if hasattr(estimator, "predict_proba"):
        found = estimator.predict_proba(X)
        if (
            n_labels == 1 and not isinstance(found, list) and found.shape[1] == 2
        ):  # of no and of yes
            return np.asarray(found[:, list(estimator.classes_).index(1)], np.float64)[:, None]
        return as_beliefs(found, n_labels)
    margins = np.asarray(estimator.decision_function(X), np.float64)
    return as_beliefs(expit(margins.reshape(len(margins), -1)), n_labels)


def as_beliefs(found: Any, n_labels: int) -> Floats:
    """Beliefs (N, K) from a matrix, or from a list with the probability of no and of yes for each label."""
    if isinstance(found, list | tuple) and len(found) == n_labels and np.ndim(found[0]) == 2:
        for k, each in enumerate(found):
            if np.shape(each)[1] != 2:
                raise CorollaryError(
                    f"label {k} has {np.shape(each)[1]} columns of probabilities; expected two, of no and of yes"
                )
        return np.column_stack([np.asarray(each, np.float64)[:, 1] for each in found])
    beliefs = np.asarray(found.toarray() if sparse.issparse(found) else found, np.float64)
    if beliefs.ndim != 2 or beliefs.shape[1] != n_labels:
        raise CorollaryError(
            f"beliefs must be items x {n_labels} labels, got shape {beliefs.shape}"
        )
    return beliefs


def check_gives_beliefs(estimator: Any) -> None:
    """An error where a classifier has no predict_proba."""
    by_default = (
        getattr(estimator, "final_estimator", estimator) is None
    )  # a stack, which has it once it is fitted
    if not hasattr(estimator, "predict_proba") and not by_default:
        raise CorollaryError(
            f"{estimator!r} has no predict_proba, so it gives no beliefs; "
            "wrap it in sklearn.calibration.CalibratedClassifierCV or choose another classifier"
        )


def with_rows(X: Any) -> Any:
    """X as it is where it has rows, else as the array that it says it is."""
    return X if hasattr(X, "shape") or hasattr(X, "__len__") else np.asarray(X)


def n_items(X: Any) -> int:
    """The number of rows of an array, a frame or a list."""
    if hasattr(X, "shape"):
        if len(X.shape) == 0:
            raise CorollaryError(f"X must have one row for each item, got {X!r}")
        return int(X.shape[0])
    if not hasattr(X, "__len__"):
        raise CorollaryError(f"X must have one row for each item, got a {type(X).__name__}")
    return len(X)


def fit_front(
    estimator: Any, X: Any, known: Facts, params: dict[str, Any], random: np.random.RandomState
) -> tuple[Any | None, Any, Any, npt.NDArray[np.int64]]:
    """Return the fitted front of a pipeline, its rest, the rest's features, and each item's row.

    The front is fitted to items with known labels; the others have no row, -1. Without a front to
    share, the features are X.
    """
    front, rest = split_front(estimator, params)
    some = np.flatnonzero((known >= 0).any(axis=1))
    if front is None or not len(some):
        return None, estimator, rows_of(X), np.arange(len(known))
    place = np.full(len(known), -1)
    place[some] = np.arange(len(some))
    front = seeded(clone(front), int(random.randint(2**31)))
    return front, rest, rows_of(front.fit_transform(take(rows_of(X), some))), place


def rows_of(X: Any) -> Any:
    """X in a form of which rows can be taken."""
    return X.tocsr() if sparse.issparse(X) else X


def cut_params(params: dict[str, Any], rows: npt.NDArray[np.int64], n: int) -> dict[str, Any]:
    """Parameters of fit, those with an entry for each of n items cut to some of them."""
    return {name: _cut(value, rows, n) for name, value in params.items()}


def _cut(value: Any, rows: npt.NDArray[np.int64], n: int) -> Any:
    """The entries of some items where there is one for each, else the value as it is."""
    for_each = hasattr(value, "__len__") and not isinstance(value, str | dict) and len(value) == n
    return take(value, rows) if for_each else value


def take(X: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Some rows of an array, a frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in rows]


def seeded(estimator: Any, seed: int) -> Any:
    """Set what the estimator and its parts leave to chance."""
    chance = [
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if chance:
        estimator.set_params(**dict.fromkeys(chance, seed))
    return estimator
