"""Suite `classes`: one class for each item in a hierarchy, by classifiers of scikit-learn made consistent; CLINC150."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import corollary as co
from corollary.learning.learners.scikit_learn.classifiers import PerLabel
from corollary.logic.language.constraints import Subsumes

from .meaning import loaded

#: Queries to learn from, drawn from the official training rows; the official test rows are predicted.
KNOWN = 3_000


def softmax(form: str, C: float = 1.0) -> dict[str, Any]:
    """TF-IDF and multinomial logistic regression, fitted once to the narrowest labels."""
    return measured(form, make_pipeline(TfidfVectorizer(), LogisticRegression(C=C, max_iter=1000)))


def one_versus_rest(form: str) -> dict[str, Any]:
    """TF-IDF once, and a logistic regression for each label."""
    return measured(
        form,
        make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LogisticRegression(max_iter=1000))),
    )


def clones(form: str) -> dict[str, Any]:
    """A clone of logistic regression for each label, as where items are known in part; TF-IDF once."""
    return measured(
        form, PerLabel(make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)))
    )


def measured(form: str, estimator: Any) -> dict[str, Any]:
    onto, X, Y, known, others = problem(form)
    started = time.perf_counter()
    model = co.ConsistentClassifier(estimator, onto).fit(X[known], Y[known])
    fitted = time.perf_counter()
    predicted = model.predict(X[others])
    ended = time.perf_counter()
    return {
        "right in full": round(float((predicted == Y[others]).all(axis=1).mean()), 4),
        "without any label": round(float((predicted.sum(axis=1) == 0).mean()), 4),
        "fit, seconds": round(fitted - started, 1),
        "predict, seconds": round(ended - fitted, 1),
    }


def problem(form: str) -> tuple[co.Ontology, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """CLINC150 with `exclusive` or `exactly one` at each level; then what is out of scope has a label of its own."""
    dataset = loaded("clinc150")
    onto, Y = dataset.onto, np.asarray(dataset.Y)
    if form == "exactly one":
        below = {one.parent: one.children for one in onto.constraints if isinstance(one, Subsumes)}
        told = [co.covers(parent, *children) for parent, children in below.items()]
        whole = [*onto.constraints, *told, co.exactly_one(*below, "out_of_scope")]
        onto = co.Ontology([*onto.labels, "out_of_scope"], whole)
        Y = np.column_stack([Y, (Y == 1).sum(axis=1) == 0])
    train = np.flatnonzero(~np.asarray(dataset.test, np.bool_))
    known = np.random.default_rng(0).choice(train, KNOWN, replace=False)
    return (
        onto,
        np.asarray(dataset.X, object),
        Y.astype(np.int8),
        known,
        np.flatnonzero(dataset.test),
    )


def _case(function: Any, *arguments: Any) -> Any:
    case = partial(function, *arguments)
    case.__doc__ = function.__doc__  # type: ignore[misc]
    return case


CASES = {
    "softmax, exclusive": _case(softmax, "exclusive"),
    "softmax, exactly one": _case(softmax, "exactly one"),
    "softmax, exactly one, C=10": _case(softmax, "exactly one", 10.0),
    "one versus rest, exclusive": _case(one_versus_rest, "exclusive"),
    "one versus rest, exactly one": _case(one_versus_rest, "exactly one"),
    "a clone each, exclusive": _case(clones, "exclusive"),
    "a clone each, exactly one": _case(clones, "exactly one"),
}
