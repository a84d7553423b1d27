"""Trees as members of a pool: a forest or boosting over the labellings seen, as scores of a field."""

from __future__ import annotations

from math import sqrt
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator

from ...logic.engines import Facts, Floats
from ...logic.engines.rows import cores
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import check_choice, check_whole, random_of
from ..features.learner_inputs import learn_features, same_features
from ..features.matrices import Matrix
from ..features.targets import read_target
from .fields import Field
from .projection import Projection
from .scikit_learn.warning_filters import filters_kept

#: The share of the prediction that is the frequency of worlds, whatever the features.
DOUBT = 0.01
KINDS = ("forest", "boosting")
#: With more labels than this, trees are grown by this number of random mixtures of labels.
MIXTURES = 32
#: Items that are predicted at once.
AT_ONCE = 4_096
#: From this number of items on, threads are worth their cost.
MANY = 100_000


class Trees(Field, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Extremely randomised trees or gradient boosting that predict which of the legal worlds seen an item is.

    They learn from the items of which every label is known. Their prediction, minus a little doubt,
    is a distribution over legal worlds. The scores are those of the field with its marginals
    (`Projection`).

    `kind="forest"` grows `size` trees, `"boosting"` has `size` rounds of one small tree for each
    world. If a forest has seen more worlds than there are labels, its trees are grown by labels in
    place of worlds. If there are many labels, they are grown by random mixtures of labels, which
    keep distances. A leaf holds the worlds of its items either way. Without an ontology, y has the
    labels, see `read_target`; `onto_` is the one in use.
    """

    takes_sparse = False

    def __init__(
        self,
        onto: Ontology | None = None,
        *,
        kind: str = "forest",
        size: int = 150,
        random_state: Any = 0,
    ):
        self.onto = onto
        self.kind = kind
        self.size = size
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the items whose labelling is known; every fit starts afresh."""
        check_choice("kind", self.kind, KINDS)
        check_whole("size", self.size, least=1)
        matrix = _dense(learn_features(self, X))
        facts, onto, _ = read_target(y, self.onto, matrix.shape[0], who="Trees")
        known = onto.propagate(facts)
        if onto != getattr(self, "onto_", None):
            self._projection = Projection(onto)
        self.onto_ = onto
        rows = np.flatnonzero((known >= 0).all(axis=1))
        self.worlds_, world = np.unique(known[rows], axis=0, return_inverse=True)
        # One more item, that could be any legal world, keeps what was never seen possible.
        self._frequency = (known[rows].sum(axis=0, dtype=np.float64) + self._projection.even[0]) / (
            len(rows) + 1
        )
        self.model_ = None
        if len(self.worlds_) > 1:
            seed = int(random_of(self.random_state).randint(2**31))
            model = self._model(matrix.shape[1], seed)
            target = _mixed(known[rows], seed) if self._by_label() else world
            with _few_threads(len(rows)), filters_kept():
                self.model_ = model.fit(matrix[rows], target)
            if self._by_label():
                self._leaves = _Leaves(self.model_, matrix[rows], world, self.worlds_)
        return self

    def decision_function(self, X: Any) -> Floats:
        """The scores of each item and label."""
        matrix = _dense(same_features(self, X))
        if self.model_ is None:  # nothing to tell apart
            return np.tile(self._projection.scores(self._frequency[None]), (matrix.shape[0], 1))
        if self._by_label():
            predicted = self._leaves.predict(matrix)
        else:
            with _few_threads(matrix.shape[0]), filters_kept():
                predicted = self.model_.predict_proba(matrix) @ self.worlds_
        return self._projection.scores((1 - DOUBT) * predicted + DOUBT * self._frequency)

    def _by_label(self) -> bool:
        # of one label a regression has one dimension, not one column
        return self.kind == "forest" and len(self.worlds_) > len(self.onto_) > 1

    def _model(self, n_columns: int, seed: int) -> Any:
        from sklearn.ensemble import (
            ExtraTreesClassifier,
            ExtraTreesRegressor,
            HistGradientBoostingClassifier,
        )

        if self.kind == "forest":
            grow = ExtraTreesRegressor if self._by_label() else ExtraTreesClassifier
            return grow(self.size, max_features=tried(n_columns), n_jobs=cores(), random_state=seed)
        return HistGradientBoostingClassifier(
            max_iter=self.size,
            max_leaf_nodes=15,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )


def _mixed(known: Facts, seed: int) -> Floats:
    """Labels to grow trees by: all of them, or random mixtures."""
    n_labels = known.shape[1]
    if n_labels <= MIXTURES:
        return known.astype(np.float64)
    return np.asarray(known @ np.random.RandomState(seed).normal(size=(n_labels, MIXTURES)))


class _Leaves:
    """What the leaves of a grown forest hold: the worlds of the items it was grown by."""

    def __init__(self, forest: Any, matrix: Matrix, world: npt.NDArray[np.int64], worlds: Facts):
        self._forest = forest
        nodes = [tree.tree_.node_count for tree in forest.estimators_]
        self._first = np.cumsum([0, *nodes[:-1]])
        leaf = self._fallen_in(matrix)
        held = sparse.coo_array(
            (np.ones(leaf.size), (leaf.ravel(), np.repeat(world, len(nodes)))),
            shape=(sum(nodes), len(worlds)),
        ).tocsr()
        size = np.maximum(held.sum(axis=1), 1.0)
        self._held = sparse.diags_array(1.0 / (size * len(nodes))) @ held
        self._worlds = worlds.astype(np.float64)

    def predict(self, matrix: Matrix) -> Floats:
        """The mean of the worlds in the leaves that each item falls in."""
        found = np.empty((matrix.shape[0], self._worlds.shape[1]))
        for start in range(0, len(found), AT_ONCE):
            leaf = self._fallen_in(matrix[start : start + AT_ONCE])
            ends = np.arange(len(leaf) + 1) * leaf.shape[1]
            falls = sparse.csr_array(
                (np.ones(leaf.size), leaf.ravel(), ends), shape=(len(leaf), self._held.shape[0])
            )
            found[start : start + AT_ONCE] = (falls @ self._held) @ self._worlds
        return found

    def _fallen_in(self, matrix: Matrix) -> npt.NDArray[np.int64]:
        """The leaf of each tree that each item falls in, by its place among all nodes."""
        with filters_kept():
            return np.asarray(self._forest.apply(matrix) + self._first)


def _few_threads(n_items: int) -> Any:
    """One thread of OpenMP, unless items are many: boosting has it start and wait thousands of times, at full speed."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1 if n_items < MANY else None, user_api="openmp")


def tried(n_columns: int) -> int:
    """How many features a forest looks at for each split: half of them, or, where there are many, 32 or their root."""
    return max(1, min(n_columns // 2, max(32, int(sqrt(n_columns)))))


def _dense(matrix: Matrix) -> Matrix:
    if sparse.issparse(matrix):
        raise CorollaryError(
            "trees need dense features; reduce sparse ones first, for instance by TruncatedSVD"
        )
    return matrix
