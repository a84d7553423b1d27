"""Which question next, in the shapes of other libraries: scikit-activeml's strategy object, modAL's function."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.labelled import index_of, same_rows
from ..logic.ontology import Ontology
from .choosing.scores import ScoreName, Surprise, score
from .features.targets import read_facts
from .learners.scikit_learn.consistent import ConsistentClassifier

Ints = npt.NDArray[np.int64]


class ConstraintSampling(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A query strategy in scikit-activeml's shape, for labels that constraints tie together.

    Parameters
    ----------
    onto
        The labels and constraints; by default those of the classifier.
    ask
        "label" asks whether an item has a label: `query` returns pairs (item, label), (n, 2).
        No answer to a pair of a batch could settle another pair. "item" asks for all labels of
        an item: `query` returns items, (n,), by the entropy of their whole labelling.
    score
        The score of pairs, a name of `co.score`.
    random_state
        The seed of random choices.
    """

    def __init__(
        self,
        onto: Ontology | None = None,
        *,
        ask: Literal["label", "item"] = "label",
        score: ScoreName | Surprise = "posterior",
        random_state: int = 0,
    ):
        self.onto = onto
        self.ask = ask
        self.score = score
        self.random_state = random_state

    def query(
        self,
        X: Any,
        y: Any,
        clf: Any,
        *,
        fit_clf: bool = True,
        candidates: npt.ArrayLike | None = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Ints | tuple[Ints, Floats]:
        """Return the best questions about the rows of X, the best first, fewer if fewer are open.

        Parameters
        ----------
        X
            The items.
        y
            Items x labels; nan or -1 if unknown.
        clf
            A ConsistentClassifier, or an estimator that it can wrap.
        fit_clf
            Whether to fit `clf` first.
        candidates
            The rows to choose from; by default all.
        batch_size
            The number of questions.
        return_utilities
            Whether to return the worth of all questions, too.

        Returns
        -------
        queries : array
            Pairs (n, 2), or items (n,).
        utilities : array
            (n, N, K), or (n, N) for items: the worth when each was chosen, nan if it cannot be
            asked.
        """
        if self.ask not in ("label", "item"):
            raise CorollaryError(f"ask must be 'label' or 'item', got {self.ask!r}")
        if self.ask == "item" and self.score != "posterior":
            raise CorollaryError(
                "a whole item is weighed by its entropy: ask='item' needs score='posterior'"
            )
        model = self._model(X, y, clf, fit_clf=fit_clf)
        beliefs = model.beliefs(X)
        onto = model.onto_
        known = onto.propagate(
            read_facts(same_rows("y", y, "X", index_of(X)), onto.labels, len(beliefs))
        )
        if self.ask == "item":
            worth = _open_entropy(onto, beliefs, known)
        else:
            worth = score(self.score, beliefs, onto, known, random_state=self.random_state)
        worth[~_among(candidates, len(worth))] = -np.inf
        chosen = (
            best_items(worth, batch_size)
            if self.ask == "item"
            else best_cells(worth, onto, known, batch_size)
        )
        if not return_utilities:
            return chosen
        return chosen, _utilities(worth, chosen, onto, known)

    def _model(self, X: Any, y: Any, clf: Any, *, fit_clf: bool) -> ConsistentClassifier:
        """The classifier, fitted, with the ontology of this strategy where it has none."""
        if not isinstance(clf, ConsistentClassifier):
            if fit_clf:
                return ConsistentClassifier(clf, self.onto, random_state=self.random_state).fit(
                    X, y
                )
            if self.onto is None:
                raise CorollaryError(
                    "which ontology? Pass it, ConstraintSampling(onto), or a ConsistentClassifier"
                )
            return ConsistentClassifier(clf.predict_proba, self.onto).fit(X)
        if self.onto is not None and clf.onto is not None and clf.onto != self.onto:
            raise CorollaryError(
                f"the classifier has another ontology ({clf.onto!r}) than the strategy"
            )
        if fit_clf:
            clf = clone(clf).set_params(onto=clf.onto or self.onto).fit(X, y)
        model: ConsistentClassifier = clf
        return model


def constraint_sampling(
    classifier: Any,
    X_pool: Any,
    n_instances: int = 1,
    *,
    onto: Ontology | None = None,
    facts: Any = None,
) -> tuple[Ints, Floats]:
    """Return the items whose whole labelling is least certain: a query strategy in modAL's shape.

    With modAL: `ActiveLearner(ConsistentClassifier(...), query_strategy=constraint_sampling)`.
    Fully known items are not asked about.

    Parameters
    ----------
    classifier
        modAL's ActiveLearner around a ConsistentClassifier, that classifier, or a pipeline that
        ends in it. With `onto`, any classifier with predict_proba (N, K).
    X_pool
        The items to choose from.
    n_instances
        The number of items.
    onto
        The labels and constraints; by default those of the classifier.
    facts
        Known labels of the pool, (N, K); nan or -1 if unknown.

    Returns
    -------
    rows : array
        The rows of the items, the least certain first.
    entropy : array
        The entropy of each one's labelling, in nats.
    """
    model, X = _inside(classifier, X_pool)
    if not isinstance(model, ConsistentClassifier):
        if onto is None:
            raise CorollaryError(
                f"which ontology? Pass onto=..., or a ConsistentClassifier in place of {model!r}"
            )
        model = ConsistentClassifier(model.predict_proba, onto).fit(X)
    beliefs = model.beliefs(X)
    onto = model.onto_
    facts = same_rows("facts", facts, "X_pool", index_of(X_pool))
    if facts is None:
        given = np.full(beliefs.shape, -1, np.int8)
    else:
        given = read_facts(facts, onto.labels, len(beliefs), what="facts")
    worth = _open_entropy(onto, beliefs, onto.propagate(given))
    chosen = best_items(worth, n_instances)
    return chosen, worth[chosen]


def best_items(worth: Floats, n: int) -> Ints:
    """The n items worth most, best first, of equals the first; those of -inf never."""
    order = np.argsort(-worth, kind="stable")[: _count(n)]
    return order[worth[order] > -np.inf]


def best_cells(worth: Floats, onto: Ontology, known: Facts, n: int) -> Ints:
    """The n cells worth most, (n, 2), best first; none could be settled by the answer to one before it."""
    n_labels = len(onto)
    flat = worth.ravel()
    enough = min(
        flat.size, _count(n) * n_labels
    )  # a question settles at most the labels of its own item
    least = -np.partition(-flat, enough - 1)[enough - 1] if enough else np.inf
    cells = np.flatnonzero((flat >= least) & (flat > -np.inf))
    chosen: list[tuple[int, int]] = []
    settled: set[tuple[int, int]] = set()
    for cell in cells[np.argsort(-flat[cells], kind="stable")].tolist():
        i, k = divmod(cell, n_labels)
        if (i, k) in settled:
            continue
        chosen.append((i, k))
        if len(chosen) == n:
            break
        settled.update((i, other) for other in _settled_by(onto, known[i], k).tolist())
    return np.array(chosen, np.int64).reshape(-1, 2)


def _settled_by(onto: Ontology, known: Facts, k: int) -> Ints:
    """The open labels of an item that a yes, or a no, to one of them settles, itself among them."""
    rows = np.repeat(known[None], 2, axis=0)
    rows[:, k] = 1, 0
    return np.flatnonzero((onto.propagate(rows) >= 0).any(axis=0) & (known < 0))


def _utilities(worth: Floats, chosen: Ints, onto: Ontology, known: Facts) -> Floats:
    """The worth of every question when each was chosen, nan where it could not be."""
    now = np.where(worth > -np.inf, worth, np.nan)
    steps = np.empty((len(chosen), *worth.shape))
    for step, question in enumerate(chosen.tolist()):
        steps[step] = now
        if worth.ndim == 1:
            now[question] = np.nan
        else:
            i, k = question
            now[i, _settled_by(onto, known[i], k)] = np.nan
    return steps


def _open_entropy(onto: Ontology, beliefs: Floats, known: Facts) -> Floats:
    """The entropy of each item's whole labelling; -inf where all of it is known."""
    worth = onto.infer(beliefs, known, propagated=True).joint_entropy
    return np.where((known >= 0).all(axis=1), -np.inf, worth)


def _among(candidates: npt.ArrayLike | None, n: int) -> npt.NDArray[np.bool_]:
    """Which rows are candidates."""
    rows = np.arange(n) if candidates is None else np.asarray(candidates)
    if (
        rows.ndim != 1
        or rows.dtype.kind not in "iu"
        or (rows.size and not (rows.min() >= 0 and rows.max() < n))
    ):
        raise CorollaryError(f"candidates must be rows of X, whole numbers from 0 to {n - 1:,}")
    return np.isin(np.arange(n), rows)


def _count(n: int) -> int:
    if not isinstance(n, int | np.integer) or n < 1:
        raise CorollaryError(f"a batch has at least one question, got {n!r}")
    return int(n)


def _inside(classifier: Any, X: Any) -> tuple[Any, Any]:
    """The classifier inside an active learner and a pipeline, and X as it sees it."""
    if isinstance(classifier, ConsistentClassifier):
        return classifier, X
    inner = getattr(classifier, "estimator", classifier)
    if isinstance(inner, Pipeline) and isinstance(inner.steps[-1][1], ConsistentClassifier):
        return inner.steps[-1][1], inner[:-1].transform(X)
    return (inner, X) if isinstance(inner, ConsistentClassifier) else (classifier, X)
