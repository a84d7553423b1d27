"""Makes any classifier consistent: its labels satisfy the ontology, its probabilities are the posterior."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.exceptions import DataConversionWarning

from ....logic.engines import Facts, Floats
from ....logic.errors import CorollaryError
from ....logic.labelled import index_of, is_frame, same_rows
from ....logic.ontology import Ontology
from ...features.columns import read_columns
from ...features.learner_inputs import NotFitted, remember
from ...features.tables_and_text import Features
from ...features.targets import Target, as_array, read_facts, read_target
from ...meaning.label_texts import label_texts
from ...meaning.reader import Reader, can_be_read
from ..crf import CRF, informative_rows
from ..forest import Trees
from ..learner import make_learner
from ..meaning import Meaning
from ..paper.logistic import Logistic
from ..pool import Pool, can_read, with_onto
from .at_once import AtOnce, ReadyClasses, groups_at_once, has_classes_of
from .classifiers import (
    OfClasses,
    PerLabel,
    Ready,
    Whole,
    n_items,
    takes_matrix,
    with_rows,
)

#: Our own learners, which take numbers only: text and tables are turned into numbers for them.
OWN = (CRF, Logistic, Meaning, Pool, Trees)
#: The estimator if X holds the beliefs themselves.
BELIEFS = "beliefs"


class ConsistentClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn classifier whose predictions always satisfy the ontology.

    `predict_proba` is the posterior: the beliefs of the estimator, made consistent.

    Parameters
    ----------
    estimator
        The source of the beliefs:

        - None, "auto", "crf", "logistic", or a learner such as `CRF(kernel="rbf")`. They use every
          known cell.
        - A scikit-learn classifier or pipeline, see Notes.
        - A fitted classifier as `sklearn.frozen.FrozenEstimator(classifier)`, or a function of X
          that returns beliefs (N, K), such as `classifier.predict_proba`. Then nothing is learnt,
          and y may be left out. Its classes may be names of labels that exclude each other.
        - "beliefs": X holds the beliefs, an array (N, K) or a frame with a column for each label.
    onto
        The labels and constraints. Without it, the columns of y are labels without constraints. A
        y of one dimension, or of one column, then has the class of each item. Exactly one class
        holds, and `predict` returns classes.
    encoder
        Turns texts into numbers, as in `Reading`, for learners that read ("auto", "meaning").
    meaning
        A text for each label, as in `Reading`.
    random_state
        The seed of all random choices.
    device
        With "cuda", PyTorch computes the posterior on a GPU, and trains learners named "auto" or
        "crf" there.

    Attributes
    ----------
    onto_ : Ontology
        The ontology in use.
    labels_ : array of str
        The names of labels, in the order of columns.
    classes_ : array
        The classes, or [0, 1] for each label, as in scikit-learn's multilabel classifiers.
    learner_ : object
        The fitted learner.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `y` is items x labels: an array, a sparse matrix, a list of dicts, or a pandas or polars frame
    with columns named like labels. 1 is yes, 0 no; -1, nan, None, NA and labels without a column
    are unknown. If X and y are frames with an index, rows are matched by it. Consequences of y are
    added before fitting. A row that cannot be true raises Contradiction.

    A classifier that takes several labels at once (OneVsRest, MultiOutput, a forest) is fitted to
    all labels, if items are fully known. A classifier with probabilities of many classes is fitted
    once if exactly one narrowest label holds and items are fully known. Examples are multinomial
    logistic regression, naive Bayes, and pipelines that end in one. Then the posterior equals its
    probabilities. In all other cases each label gets a clone, fitted to the items with that label
    known. Steps of a pipeline that need no labels are fitted once. Without predict_proba, the
    belief is the logistic of decision_function. A label with at most one known value has the belief
    (yes + 1) / (known + 2).

    `cross_val_predict(model, X, params={"y": y}, method="predict_proba")` takes any y, unknown
    cells included. If y is passed by position, scikit-learn renumbers the values of each label
    first. That is right only for a fully known array with both values of each label.

    Examples
    --------
    >>> import corollary as co
    >>> onto = co.Ontology.parse("animal > exclusive: bird, fish")
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> y = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]]
    >>> co.ConsistentClassifier("crf", onto).fit(X, y).predict(X).tolist() == y
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        onto: Ontology | None = None,
        *,
        encoder: Any = "auto",
        meaning: Any = "auto",
        random_state: Any = 0,
        device: str = "cpu",
    ):
        self.estimator = estimator
        self.onto = onto
        self.encoder = encoder
        self.meaning = meaning
        self.random_state = random_state
        self.device = device

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit the estimator to the known cells of y.

        Parameters
        ----------
        X
            The items.
        y
            The labels, items x labels, or the class of each item.
        **params
            Arguments of the estimator's fit, such as `sample_weight`.

        Returns
        -------
        ConsistentClassifier
            Itself.

        Raises
        ------
        Contradiction
            If a row of y breaks a constraint.
        """
        if not isinstance(self.onto, Ontology | None):
            raise CorollaryError(f"onto must be an Ontology or None, got {self.onto!r}")
        remember(self, X, reset=True)
        X = with_rows(X)
        y = _one_dimension(y) if self.onto is None else y
        y = same_rows("y", y, "X", index_of(X))
        target = self._target(X, y)
        self.onto_ = target.onto
        self.labels_ = np.array(target.onto.labels)
        self.classes_ = (
            np.tile(np.arange(2), (len(target.onto), 1))
            if target.classes is None
            else target.classes
        )
        self._by_class = target.classes is not None
        self.features_: Features | Reader | None = None
        self.learner_ = self._fitted(X, y, target, self._routed(params))
        return self

    def predict(self, X: Any, *, facts: Any = None) -> npt.NDArray[Any]:
        """Return the most probable labelling of each item that keeps all constraints.

        Parameters
        ----------
        X
            The items.
        facts
            Known labels of the items, (N, K); -1 or nan if unknown.

        Returns
        -------
        array
            1 and 0 for each item and label, or the class of each item if y had classes.
        """
        if getattr(self, "_by_class", False):
            return np.asarray(self.classes_[self.predict_proba(X, facts=facts).argmax(axis=1)])
        beliefs = self.beliefs(X)
        return self.onto_.most_probable(beliefs, self._known(X, facts)).astype(np.int64)

    def predict_proba(self, X: Any, *, facts: Any = None) -> Floats:
        """Return the probability of each label, given the ontology and known labels.

        Parameters
        ----------
        X
            The items.
        facts
            Known labels of the items, (N, K); -1 or nan if unknown.

        Returns
        -------
        array of items x labels
        """
        beliefs = self.beliefs(X)
        known = self._known(X, facts)
        if self.device == "cpu":
            return self.onto_.posterior(beliefs, known)
        from ....torch.arrays import Scorer

        return Scorer(self.onto_, self.device).posterior(beliefs, known)

    def beliefs(self, X: Any) -> Floats:
        """Return the estimator's probability of each label, before logic.

        Parameters
        ----------
        X
            The items.

        Returns
        -------
        array of items x labels

        Raises
        ------
        NotFitted
            Before `fit`.
        """
        if not hasattr(self, "learner_"):
            raise NotFitted("this ConsistentClassifier is not fitted yet; call fit(X, y) first")
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise CorollaryError(
                f"X must be items x {self.n_features_in_} features, got shape {X.shape}. "
                "Reshape your data: one item is X[None]"
            )
        remember(self, X, reset=False)
        X = with_rows(X)
        if isinstance(self.estimator, str) and self.estimator == BELIEFS:
            X = self.onto_.check_beliefs(X)
        found = self.learner_.predict_proba(self._learnt_from(X))
        return np.asarray(self.onto_.check_beliefs(found), np.float64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of items whose known labels are all predicted right.

        Parameters
        ----------
        X
            The items.
        y
            The true labels.
        sample_weight
            The weight of each item.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        if self._by_class:
            right = predicted == np.asarray(_one_dimension(y))
        else:
            known = read_facts(
                same_rows("y", y, "X", index_of(X)), self.onto_.labels, len(predicted)
            )
            right = ((known < 0) | (known == predicted)).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    # -- fitting -----------------------------------------------------------------------------------------------------

    def _target(self, X: Any, y: Any) -> Target:
        """Read y; an estimator without a fit needs none."""
        if y is None and self._is_ready() and self.onto is not None:
            return Target(np.empty((0, len(self.onto)), np.int8), self.onto, None)
        return read_target(y, self.onto, n_items(X), who="ConsistentClassifier")

    def _is_ready(self) -> bool:
        """Whether the estimator needs no fit."""
        spec = self.estimator
        return (
            (isinstance(spec, str) and spec == BELIEFS)
            or type(spec).__name__ == "FrozenEstimator"  # scikit-learn has it since 1.6
            or (callable(spec) and not hasattr(spec, "fit"))
        )

    def _fitted(self, X: Any, y: Any, target: Target, params: dict[str, Any]) -> Any:
        """Return the estimator as a fitted learner."""
        spec = "auto" if self.estimator is None else self.estimator
        if self._is_ready() and target.classes is None:
            if has_classes_of(spec, target.onto):
                return ReadyClasses(spec, target.onto)
            return Ready(np.asarray if isinstance(spec, str) else spec, len(target.onto))
        known = target.onto.propagate(target.facts)
        if isinstance(spec, BaseEstimator) and is_classifier(spec):
            return self._classifier(spec, X, known if target.classes is None else y, target, params)
        if params:
            raise CorollaryError(
                f"{spec!r} takes no {', '.join(params)}; a scikit-learn classifier may"
            )
        spec = with_onto(spec, target.onto) if isinstance(spec, OWN) else spec
        learner = make_learner(
            spec, onto=target.onto, random_state=self.random_state, device=self.device
        )
        named = self.encoder != "auto" and isinstance(learner, CRF | Logistic)
        if (can_read(learner) or named) and can_be_read(X):
            said = label_texts(target.onto.labels, self.meaning)
            self.features_ = Reader(target.onto, said, encoder=self.encoder).fit(X)
        elif isinstance(learner, OWN) and _is_table(X):
            self.features_ = Features().fit(X)
        return learner.fit(self._learnt_from(X), known)

    def _learnt_from(self, X: Any) -> Any:
        """Return the items in the form that the learner takes."""
        if isinstance(self.features_, Reader):
            return self.features_.read(X)
        return X if self.features_ is None else self.features_.transform(X)

    def _classifier(self, spec: Any, X: Any, y: Any, target: Target, params: dict[str, Any]) -> Any:
        """Fit a scikit-learn classifier: to classes, to all labels at once, or label by label."""
        if target.classes is not None:
            return OfClasses(spec, random_state=self.random_state).fit(X, y, **params)
        rows = y[informative_rows(target.onto, y)]
        both = (rows == 0).any(axis=0) & (rows == 1).any(axis=0)
        if takes_matrix(spec):
            if both.sum() > 1 and (rows >= 0).all():
                return Whole(spec, random_state=self.random_state).fit(X, y, **params)
        elif groups := groups_at_once(spec, target.onto, rows):
            at_once = AtOnce(spec, groups, random_state=self.random_state).fit(X, y, **params)
            if at_once.gives_all_classes(X):
                return at_once
        return PerLabel(spec, margins=True, random_state=self.random_state).fit(X, y, **params)

    def _known(self, X: Any, facts: Any) -> Facts | None:
        facts = same_rows("facts", facts, "X", index_of(X))
        return (
            None
            if facts is None
            else read_facts(facts, self.onto_.labels, n_items(X), what="facts")
        )

    # -- metadata for scikit-learn -----------------------------------------------------------------------------------

    def get_metadata_routing(self) -> Any:
        """Return the parameters of fit for the estimator, and that predict takes facts."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        if not isinstance(self.estimator, BaseEstimator):
            return router
        return router.add(
            estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        from sklearn import get_config
        from sklearn.utils.metadata_routing import process_routing

        if not (
            params
            and get_config()["enable_metadata_routing"]
            and isinstance(self.estimator, BaseEstimator)
        ):
            return params
        return dict(process_routing(self, "fit", **params).estimator.fit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        tags.target_tags.required = not self._is_ready()
        if isinstance(self.estimator, BaseEstimator):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        else:
            tags.input_tags.sparse = not self._is_ready()
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        inner = self.estimator._get_tags() if isinstance(self.estimator, BaseEstimator) else {}  # noqa: SLF001
        return {
            "multilabel": True,
            "multioutput": True,
            "requires_y": not self._is_ready(),
            "allow_nan": inner.get("allow_nan", False),
        }


def _one_dimension(y: Any) -> Any:
    """Turn a y of one column into one dimension, with a warning, as scikit-learn does."""
    if y is None:
        return y
    y = y if hasattr(y, "shape") else as_array(y)
    if len(y.shape) != 2 or y.shape[1] != 1:
        return y
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected: its values are read as classes. "
        "Pass y.ravel(), or an ontology if it is one label",
        DataConversionWarning,
        stacklevel=3,
    )
    return np.asarray(y.toarray() if hasattr(y, "toarray") else y).ravel()


def _is_table(X: Any) -> bool:
    """Return whether X is text, or a table with other columns than numbers."""
    if is_frame(X):
        return any(column.values.dtype.kind not in "biuf" for column in read_columns(X).values())
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "OUT"
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], str | dict)
