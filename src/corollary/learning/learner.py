"""Learners: what fits facts and gives beliefs. The Protocol, and any scikit-learn classifier as a learner."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import check_random_state

from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from .cells import check_facts, untrained_labels
from .crf import CRF
from .logistic import Logistic
from .pool import Pool


@runtime_checkable
class Learner(Protocol):
    """Fits facts and gives beliefs.

    `fit` does not use cells that are -1; called again it continues where the learner can. `predict_proba` gives a
    belief for every label: those with one answer or none known get (yes + 1) / (known + 2) and are in `untrained_`.
    """

    def fit(self, X: Any, facts: npt.ArrayLike) -> Self:
        """Learn from the known cells of facts (items x labels; -1 unknown, 0 no, 1 yes)."""
        ...

    def predict_proba(self, X: Any) -> Floats:
        """Beliefs, items x labels."""
        ...


def make_learner(spec: object, *, onto: Ontology | None = None, random_state: Any = 0) -> Learner:
    """A learner of its own for `spec`: a name, a learner, or a scikit-learn classifier or pipeline.

    Names: "auto" (a pool of fields over the legal worlds and trees, see `Pool`; without an ontology "logistic"),
    "logistic" (the paper's), "crf" (a linear field over the legal worlds).

    Estimators are cloned, so that what one session learns does not leak into the next; other objects serve as they are.
    """
    if spec == "auto" and onto is not None:
        return Pool(onto, random_state=random_state)
    if spec in ("auto", "logistic"):
        return Logistic(random_state=random_state)
    if spec == "crf":
        if onto is None:
            raise CorollaryError("the learner 'crf' fits the logic: it needs the ontology too")
        return CRF(onto, random_state=random_state)
    if isinstance(spec, str):
        raise CorollaryError(f"no learner {spec!r}; there is: auto, logistic, crf, or pass a learner or classifier")
    if isinstance(spec, type):
        raise CorollaryError(f"{spec.__name__} is a class; pass an instance: {spec.__name__}()")
    if isinstance(spec, BaseEstimator) and is_classifier(spec):
        _check_gives_beliefs(spec)
        return PerLabel(clone(spec), random_state=random_state)
    if not isinstance(spec, Learner):
        raise CorollaryError(
            f"{spec!r} is no learner: it needs fit(X, facts) and predict_proba(X), or to be a scikit-learn classifier"
        )
    return clone(spec) if isinstance(spec, BaseEstimator) else spec


class PerLabel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Any scikit-learn classifier or pipeline with predict_proba, cloned for each label.

    A clone sees the rows where its label is known, as they are in X: an array, a sparse matrix, a pandas or polars
    frame, or a list. Every fit starts afresh. Where the classifier's own `random_state` is None, this one decides.
    Labels with one answer or none known are in `untrained_`, with the reason; their belief is (yes + 1) / (known + 2).
    """

    def __init__(self, estimator: Any, *, random_state: Any = 0):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, facts: npt.ArrayLike) -> Self:
        """Fit one clone for each label that has both answers."""
        _check_gives_beliefs(self.estimator)
        known = check_facts(facts, _n_items(X))
        rows_of = X.tocsr() if sparse.issparse(X) else X
        random = check_random_state(self.random_state)
        seeds = random.randint(2**31, size=known.shape[1])
        self.untrained_, self._constant = untrained_labels(known)
        self.estimators_: list[Any] = []
        for k in range(known.shape[1]):
            if k in self.untrained_:
                self.estimators_.append(None)
                continue
            rows = np.flatnonzero(known[:, k] >= 0)
            estimator = _seeded(clone(self.estimator), int(seeds[k]))
            self.estimators_.append(estimator.fit(_take(rows_of, rows), known[rows, k].astype(np.int64)))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label."""
        if not hasattr(self, "estimators_"):
            raise CorollaryError("this PerLabel is not fitted yet; call fit(X, facts) first")
        beliefs = np.empty((_n_items(X), len(self.estimators_)))
        for k, estimator in enumerate(self.estimators_):
            if estimator is None:
                beliefs[:, k] = self._constant[k]
            else:
                beliefs[:, k] = estimator.predict_proba(X)[:, list(estimator.classes_).index(1)]
        return beliefs


def _check_gives_beliefs(estimator: Any) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise CorollaryError(
            f"{estimator!r} has no predict_proba, so it gives no beliefs; "
            "wrap it in sklearn.calibration.CalibratedClassifierCV or choose another classifier"
        )


def _n_items(X: Any) -> int:
    if hasattr(X, "shape"):
        if len(X.shape) == 0:
            raise CorollaryError(f"X must have one row for each item, got {X!r}")
        return int(X.shape[0])
    if not hasattr(X, "__len__"):
        raise CorollaryError(f"X must have one row for each item, got a {type(X).__name__}")
    return len(X)


def _take(X: Any, rows: npt.NDArray[np.int64]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in rows]


def _seeded(estimator: Any, seed: int) -> Any:
    """Set what the estimator and its parts leave to chance."""
    chance = [
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return estimator.set_params(**dict.fromkeys(chance, seed))
