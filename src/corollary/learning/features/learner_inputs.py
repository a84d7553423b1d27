"""What every learner starts from: features and facts that fit together, and the labels that cannot be learnt yet."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ..argument_checks import shown
from .encoded import Encoded
from .matrices import Matrix, check_matrix
from .targets import as_array, read_facts


class NotFitted(CorollaryError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """Beliefs were asked for before anything was learnt."""


class Learns:
    """The tags of every learner for scikit-learn.

    It needs y, a class for each item or several labels.
    """

    takes_sparse = True
    #: Whether it sees what items that were read are like, and not their features only.
    reads = False

    def __sklearn_tags__(self) -> Any:  # since scikit-learn 1.6
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the estimator that this is mixed into
        tags.input_tags.sparse = self.takes_sparse
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.classifier_tags = ClassifierTags(
            multi_label=True
        )  # read of whatever gives probabilities
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before
        return {"requires_y": True, "multioutput": True}


def check_facts(y: Any, n_items: int) -> Facts:
    """Facts as int8, items x labels, that have no names; nan is unknown too. An error says which cell is none."""
    shape = y.shape if hasattr(y, "shape") else as_array(y).shape
    if len(shape) != 2:
        raise CorollaryError(f"y must be items x labels, got shape {shape}")
    return read_facts(y, [str(k) for k in range(shape[1])], n_items)


def learn_features(learner: Any, X: Any) -> Matrix:
    """X at a first fit, checked; the learner remembers how many features there are, and their names."""
    matrix = _seen_by(learner, X)
    if not all(matrix.shape):
        raise CorollaryError(
            f"X must have items and features, got {matrix.shape[0]} sample(s) and {matrix.shape[1]} feature(s) "
            f"(shape={matrix.shape}) while a minimum of 1 is required."
        )
    remember(learner, X, reset=True)
    return matrix


def same_features(learner: Any, X: Any) -> Matrix:
    """X later on, checked; it must have the features of the first fit."""
    if not hasattr(learner, "n_features_in_"):
        raise NotFitted(f"this {type(learner).__name__} is not fitted yet; call fit(X, y) first")
    matrix = _seen_by(learner, X)
    if matrix.shape[1] != learner.n_features_in_:
        raise CorollaryError(
            f"X has {matrix.shape[1]} features, but {type(learner).__name__} is expecting {learner.n_features_in_} "
            "features as input: as many as there were when it was fitted"
        )
    remember(learner, X, reset=False)
    return matrix


def _seen_by(learner: Any, X: Any) -> Matrix:
    return X if isinstance(X, Encoded) and learner.reads else check_matrix(X)


def remember(estimator: Any, X: Any, *, reset: bool) -> None:
    """Set, or hold X against, `n_features_in_` and `feature_names_in_`, as scikit-learn does."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6
        check = partial(estimator._validate_data, cast_to_ndarray=False)  # noqa: SLF001
    else:
        check = partial(validate_data, estimator, skip_check_array=True)
    try:
        check(X, reset=reset)
    except (TypeError, ValueError, LookupError) as error:
        message = (
            str(error)
            if isinstance(error, ValueError)
            else f"X must be items x features, got {shown(X)}"
        )
        raise CorollaryError(message) from None


def untrained_labels(facts: Facts) -> tuple[dict[int, str], Floats]:
    """Labels with one answer or none known, each with the reason, and every label's belief without features.

    That belief is the smoothed frequency (yes + 1) / (known + 2).
    """
    yes = (facts == 1).sum(axis=0)
    no = (facts == 0).sum(axis=0)
    reasons = {}
    for k in np.flatnonzero((yes == 0) | (no == 0)):
        if yes[k] == no[k]:
            reasons[int(k)] = "nothing is known yet"
        else:
            reasons[int(k)] = (
                f"only {'yes' if yes[k] else 'no'} is known so far ({int(yes[k] + no[k]):,} items)"
            )
    return reasons, (yes + 1.0) / (yes + no + 2.0)
