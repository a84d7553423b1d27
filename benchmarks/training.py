"""Suite `training`: the logistic learner against a loop of scikit-learn's SGDClassifier, with as many sample visits."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
from scipy import sparse

from corollary.learning.learners.paper.logistic import Logistic

from . import data, timed

Figures = dict[str, Any]
BATCH, EPOCHS = 100, 7


def letter() -> tuple[Any, Any, Any]:
    """Features, truth and training rows of letter."""
    import pandas as pd

    table = pd.read_parquet(data("letter/letter.parquet"))
    names = np.array(sorted(table["label"].unique()), object)
    truth = (table["label"].to_numpy(object)[:, None] == names).astype(np.int8)
    X = table.drop(columns=["label", "split"]).to_numpy(np.float64)
    return X, truth, (table["split"] == "train").to_numpy()


def nell13() -> tuple[Any, Any, Any]:
    """Features (text and neighbours; relations leak the category), truth and training rows of nell-13 rebuilt."""
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    labels = pd.read_parquet(data("nell_995/nell13_like_labels.parquet"))
    with gzip.open(data("nell_995/feature_names.txt.gz"), "rt", encoding="utf-8") as file:
        honest = np.array([not name.startswith("r:") for name in file.read().splitlines()])
    X, row = load_svmlight_file(
        str(data("nell_995/features.libsvm.gz")), n_features=len(honest), zero_based=False
    )
    X = X[np.argsort(row)][labels["row"].to_numpy()][:, honest].tocsr()
    train = np.zeros(X.shape[0], bool)
    train[np.random.default_rng(0).permutation(X.shape[0])[:14_000]] = True
    return X, labels.drop(columns="row").to_numpy(np.int8), train


def scaled(X: Any) -> Any:
    """The scaling that the learner does inside, done beforehand for scikit-learn."""
    if sparse.issparse(X):
        return (
            X @ sparse.diags_array(1 / np.maximum(abs(X).max(axis=0).toarray().ravel(), 1e-300))
        ).tocsr()
    return 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1


def log_loss(beliefs: Any, truth: Any) -> float:
    p = np.clip(np.where(truth == 1, beliefs, 1 - beliefs), 1e-15, 1)
    return float(-np.log(p).mean())


def against_sgd(X: Any, truth: Any, train: Any) -> Figures:
    """Both learners on the same rows: seconds (best of five, taken in turn) and log loss."""
    from sklearn.linear_model import SGDClassifier

    n_labels, visits = truth.shape[1], EPOCHS * int(train.sum())
    steps = visits // BATCH
    assert steps * BATCH == visits, "the two would differ in visits"
    facts = np.where(train[:, None], truth, np.int8(-1))
    ready = scaled(X)[train]

    def ours() -> Logistic:
        return Logistic(batch=BATCH, steps=steps, schedule="steady").fit(X, facts)

    def papers() -> Logistic:
        return Logistic(batch=BATCH, steps=steps).fit(X, facts)

    def sgd() -> list[Any]:
        model = {"loss": "log_loss", "max_iter": EPOCHS, "tol": None, "random_state": 0}
        return [SGDClassifier(**model).fit(ready, truth[train, k]) for k in range(n_labels)]

    Logistic(batch=BATCH, steps=1).fit(X, facts)  # no figure contains compiling
    runs = [[timed(function)[1] for function in (ours, papers, sgd)] for _ in range(5)]
    our_seconds, papers_seconds, sgd_seconds = (min(column) for column in zip(*runs, strict=True))
    theirs = np.column_stack([model.predict_proba(scaled(X))[:, 1] for model in sgd()])
    beliefs, papers_beliefs = ours().predict_proba(X), papers().predict_proba(X)
    return {
        "items, features, labels": f"{train.sum():,} x {X.shape[1]:,} x {n_labels}",
        "visits of a label": visits,
        "logistic, seconds": our_seconds,
        "logistic with the paper's step, seconds": papers_seconds,
        "SGDClassifier loop, seconds": sgd_seconds,
        "times faster": sgd_seconds / our_seconds,
        "times faster with the paper's step": sgd_seconds / papers_seconds,
        "log loss, logistic": log_loss(beliefs[train], truth[train]),
        "log loss, paper's step": log_loss(papers_beliefs[train], truth[train]),
        "log loss, SGDClassifier": log_loss(theirs[train], truth[train]),
        "log loss of the two, ratio": log_loss(beliefs[train], truth[train])
        / log_loss(theirs[train], truth[train]),
        "test log loss, logistic": log_loss(beliefs[~train], truth[~train]),
        "test log loss, paper's step": log_loss(papers_beliefs[~train], truth[~train]),
        "test log loss, SGDClassifier": log_loss(theirs[~train], truth[~train]),
        "targets": {
            "times faster": ("at least", 3),
            "times faster with the paper's step": ("at least", 3),
            "log loss of the two, ratio": ("at most", 1.0),
        },
    }


def train_letter() -> Figures:
    """letter: 16 dense features, 26 labels, 7 epochs of the training part."""
    return against_sgd(*letter())


def train_nell13() -> Figures:
    """nell-13 (rebuilt): sparse features, 13 labels, 7 epochs of 14,000 rows."""
    return against_sgd(*nell13())


CASES = {"letter": train_letter, "nell-13": train_nell13}
