"""Several fields of one ontology as one learner: each weighs as much as it predicts facts that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from .cells import Matrix, check_facts, check_matrix
from .crf import CRF, LARGEST

#: The largest weight of a member: above 1 it sharpens, below 1 it flattens.
HEAVIEST = 3.0
#: Members lighter than this are not worth their time.
LIGHTEST = 1e-3


class Pool(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A log-linear pool of conditional random fields: scores Σ w_m f_m, with weights from 0 to 3.

    The weights minimise the log loss of the known facts under fields fitted without them (`folds` parts of the items,
    an item always in the same part), plus half the squared distance from equal weights: choice of member and
    temperature in one. They are found again when the known cells have grown by `growth`; on at most `at_most` items.
    `members` are the fields; by default a linear one and two Gaussian ones for dense features, two linear for sparse.
    """

    def __init__(
        self,
        onto: Ontology,
        *,
        members: Sequence[CRF] | None = None,
        folds: int = 3,
        at_most: int = 4000,
        growth: float = 1.5,
        random_state: Any = 0,
    ):
        self.onto = onto
        self.members = members
        self.folds = folds
        self.at_most = at_most
        self.growth = growth
        self.random_state = random_state

    def fit(self, X: Any, facts: npt.ArrayLike) -> Self:
        """Learn from the known cells; -1 marks the others."""
        matrix = check_matrix(X)
        known = self.onto.propagate(check_facts(facts, matrix.shape[0]))
        if not hasattr(self, "members_"):
            random = check_random_state(self.random_state)
            self.members_ = [clone(member) for member in self.members or self._default(matrix)]
            self.weights_ = np.full(len(self.members_), 1.0 / len(self.members_))
            self._part = random.randint(self.folds, size=matrix.shape[0])
            self._order = random.permutation(matrix.shape[0])
            self._weighed_at = 0
        if len(self._part) != matrix.shape[0]:
            raise CorollaryError(f"this Pool was fitted on {len(self._part):,} items, got {matrix.shape[0]:,}")
        n_known = int((known >= 0).sum())
        if n_known > self.growth * self._weighed_at:
            self._weigh(matrix, known)
            self._weighed_at = n_known
        for member, weight in zip(self.members_, self.weights_, strict=True):
            if weight >= LIGHTEST:
                member.fit(matrix, known)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label; their posterior is the pool's own marginal."""
        if not hasattr(self, "members_"):
            raise CorollaryError("this Pool is not fitted yet; call fit(X, facts) first")
        matrix = check_matrix(X)
        total = np.zeros((matrix.shape[0], len(self.onto)))
        for member, weight in zip(self.members_, self.weights_, strict=True):
            if weight >= LIGHTEST:
                total += weight * member.decision_function(matrix)
        return np.asarray(expit(np.clip(total, -LARGEST, LARGEST)))

    def _default(self, matrix: Matrix) -> list[CRF]:
        state = self.random_state
        if sparse.issparse(matrix):
            return [CRF(self.onto, l2=0.1, random_state=state), CRF(self.onto, l2=2.0, random_state=state)]
        linear = CRF(self.onto, l2=0.1, random_state=state)
        wide, narrow = (CRF(self.onto, kernel="rbf", gamma=g, l2=0.03, random_state=state) for g in (0.5, 2.0))
        return [linear, wide, narrow]

    def _weigh(self, matrix: Matrix, known: Facts) -> None:
        """Fit every member without each part in turn; then the weights that predict the parts left out best."""
        nothing = self.onto.propagate(np.full((1, len(self.onto)), -1))
        rows = self._order[(known[self._order] != nothing).any(axis=1)][: self.at_most]
        part = self._part[rows]
        if min(np.bincount(part, minlength=self.folds)) < 2:
            return  # too little to tell them apart
        scores = np.empty((len(self.members_), len(rows), len(self.onto)))
        for m, member in enumerate(self.members_):
            for fold in range(self.folds):
                seen = np.full_like(known, -1)
                seen[rows[part != fold]] = known[rows[part != fold]]
                left_out = np.flatnonzero(part == fold)
                scores[m, left_out] = clone(member).fit(matrix, seen).decision_function(matrix[rows[left_out]])
        self.weights_ = best_weights(self.onto, scores, known[rows])


def best_weights(onto: Ontology, scores: Floats, known: Facts) -> Floats:
    """Weights of members with scores (members, N, K) that minimise the log loss of the facts, pulled to equal ones."""
    equal = 1.0 / len(scores)

    def loss(weights: Floats) -> tuple[float, Floats]:
        total = np.clip(np.tensordot(weights, scores, axes=1), -LARGEST, LARGEST)
        free, log_z = onto.marginals(total)
        with_facts, log_facts = onto.marginals(total, known, propagated=True)
        slope = np.tensordot(scores, free - with_facts, axes=([1, 2], [0, 1]))
        away = weights - equal
        return float((log_z - log_facts).sum() + 0.5 * (away**2).sum()), slope + away

    start = np.full(len(scores), equal)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, HEAVIEST)] * len(scores))
    return np.asarray(found.x)
