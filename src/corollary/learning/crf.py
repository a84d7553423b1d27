"""The learner that fits the logic: a conditional random field whose worlds are the legal labellings."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from .cells import Matrix, check_facts, check_matrix

#: Scores are kept inside of what engines take.
LARGEST = 500.0


class CRF(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Scores f(x), one a label, with P(y | x) ∝ exp(Σ f_k y_k) over the labellings y that satisfy the ontology.

    Trained by maximising the likelihood of the known facts, partial ones included, less `l2`/2 of the squared weights:
    its gradient in f is the posterior with the facts less the posterior without, two calls of the engines for any
    ontology. `kernel="linear"` is linear in the standardised features; `"rbf"` in Nyström features of a Gaussian kernel
    of width `gamma` / number of features on `landmarks` of the items. A further fit starts from the weights.

    Beliefs are the logistic of the scores, so that their posterior under the ontology is the model's own.
    """

    def __init__(
        self,
        onto: Ontology,
        *,
        kernel: str = "linear",
        gamma: float = 2.0,
        landmarks: int = 500,
        l2: float = 0.1,
        iterations: int = 60,
        warm_start: bool = True,
        random_state: Any = 0,
    ):
        self.onto = onto
        self.kernel = kernel
        self.gamma = gamma
        self.landmarks = landmarks
        self.l2 = l2
        self.iterations = iterations
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, facts: npt.ArrayLike) -> Self:
        """Learn from the known cells; -1 marks the others."""
        if self.kernel not in ("linear", "rbf"):
            raise CorollaryError(f"no kernel {self.kernel!r}; there is: linear, rbf")
        matrix = check_matrix(X)
        known = check_facts(facts, matrix.shape[0])
        if known.shape[1] != len(self.onto):
            raise CorollaryError(f"facts has {known.shape[1]} labels, the ontology has {len(self.onto)}")
        if not (self.warm_start and hasattr(self, "weights_")):
            self._start(matrix)
        known = self.onto.propagate(known)
        rows = np.flatnonzero((known != self.onto.propagate(np.full((1, len(self.onto)), -1))).any(axis=1))
        if len(rows):
            self._maximise(self._features(matrix[rows]), known[rows])
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label; their posterior is the model's own marginal."""
        return np.asarray(expit(self.decision_function(X)))

    def decision_function(self, X: Any) -> Floats:
        """The scores f(x) of each item and label."""
        if not hasattr(self, "weights_"):
            raise CorollaryError("this CRF is not fitted yet; call fit(X, facts) first")
        return self._scores(self._features(check_matrix(X)))

    def _start(self, matrix: Matrix) -> None:
        """Learn the scale of the features, and the landmarks, from all items, known or not."""
        self.n_features_in_ = matrix.shape[1]
        if sparse.issparse(matrix):
            self._centre, self._scale = np.zeros(matrix.shape[1]), np.ones(matrix.shape[1])
        else:
            spread = matrix.std(axis=0)
            self._centre = matrix.mean(axis=0)
            self._scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-12)
        if self.kernel == "rbf":
            self._choose_landmarks(matrix)
        width = len(self._landmarks) if self.kernel == "rbf" else self.n_features_in_
        self.weights_ = np.zeros((width + 1, len(self.onto)))  # the last row is the bias

    def _choose_landmarks(self, matrix: Matrix) -> None:
        if sparse.issparse(matrix):
            raise CorollaryError(
                "kernel='rbf' needs dense features; reduce sparse ones first, for instance by TruncatedSVD"
            )
        random = check_random_state(self.random_state)
        rows = random.permutation(matrix.shape[0])[: self.landmarks]
        self._landmarks = self._standardised(matrix[np.sort(rows)])
        values, vectors = np.linalg.eigh(self._affinity(self._landmarks))
        keep = values > 1e-8 * values[-1]
        self._whitening = vectors[:, keep] / np.sqrt(values[keep])

    def _features(self, matrix: Matrix) -> Any:
        if matrix.shape[1] != self.n_features_in_:
            raise CorollaryError(
                f"X has {matrix.shape[1]:,} features but this CRF was fitted on {self.n_features_in_:,}"
            )
        if sparse.issparse(matrix):
            return matrix
        standard = self._standardised(matrix)
        if self.kernel == "linear":
            return standard / np.sqrt(self.n_features_in_)
        projected = self._affinity(standard) @ self._whitening
        return np.pad(projected, ((0, 0), (0, len(self._landmarks) - projected.shape[1])))

    def _standardised(self, matrix: Matrix) -> Floats:
        return np.asarray((matrix - self._centre) * self._scale, np.float64)

    def _affinity(self, standard: Floats) -> Floats:
        squares = (standard**2).sum(axis=1)[:, None] + (self._landmarks**2).sum(axis=1)
        distance = squares - 2.0 * standard @ self._landmarks.T
        return np.asarray(np.exp(-self.gamma / self.n_features_in_ * np.maximum(distance, 0.0)))

    def _scores(self, features: Any) -> Floats:
        scores = np.asarray(features @ self.weights_[:-1]) + self.weights_[-1]
        return np.asarray(np.clip(scores, -LARGEST, LARGEST))

    def _maximise(self, features: Any, known: Facts) -> None:
        shape = self.weights_.shape
        penalty = np.full(shape, self.l2)
        penalty[-1] = 1e-3
        complete = (known >= 0).all(axis=1)
        partial = np.flatnonzero(~complete)

        def loss(flat: Floats) -> tuple[float, Floats]:
            self.weights_ = flat.reshape(shape)
            scores = self._scores(features)
            free, log_z = self.onto.marginals(scores)
            with_facts, log_facts = known.astype(np.float64), np.where(known == 1, scores, 0.0).sum(axis=1)
            if len(partial):
                with_facts[partial], log_facts[partial] = self.onto.marginals(
                    scores[partial], known[partial], propagated=True
                )
            slope = free - with_facts
            gradient = np.vstack([np.asarray(features.T @ slope), slope.sum(axis=0)]) + penalty * self.weights_
            return float((log_z - log_facts).sum() + 0.5 * (penalty * self.weights_**2).sum()), gradient.ravel()

        found = minimize(
            loss, self.weights_.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": self.iterations, "maxcor": 10}
        )
        self.weights_ = found.x.reshape(shape)
        self.loss_ = float(found.fun)
