"""What y says: facts of every item and label, from a matrix with unknown cells, a frame, or one class for each item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets

from ...logic.arrays import check_facts
from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.labelled import is_frame, is_missing, named_row, named_rows
from ...logic.language.constraints import exactly_one
from ...logic.ontology import Ontology
from ..argument_checks import shown

#: What to do with the names of each item's labels.
TO_MATRIX = "; sklearn.preprocessing.MultiLabelBinarizer(classes=onto.labels) makes a matrix of lists of names"

#: What cross_val_predict does to a y before any classifier sees it.
RENUMBERED = (
    "If this is in cross_val_predict(model, X, y, method='predict_proba'): scikit-learn numbers the values of each "
    "label anew there. cross_val_predict(model, X, params={'y': y}, method='predict_proba') leaves them as they are"
)


class Target(NamedTuple):
    """Facts (N, K), their ontology, and the class of each label if y had one class for each item."""

    facts: Facts
    onto: Ontology
    classes: npt.NDArray[Any] | None


def read_target(y: Any, onto: Ontology | None, n_items: int, *, who: str) -> Target:
    """Read the target y of `n_items` items.

    With an ontology y is items x labels: an array, a sparse matrix, a list of dicts, or a pandas or
    polars frame with columns named like labels. 1 is yes, 0 no; -1, nan, None and NA are unknown.
    Labels without a column are unknown, too. Without an ontology, the columns of a matrix are
    labels without constraints. A y of one dimension then has the class of each item: every class is
    a label, and exactly one of them holds.
    """
    if y is None:
        raise CorollaryError(
            f"{who} requires y to be passed, but the target y is None; pass facts, items x labels"
        )
    if onto is None:
        names = _names_in(y)
        shape = () if names else (y if sparse.issparse(y) else as_array(y)).shape
        if not shape and not names:
            raise CorollaryError(
                f"y must be items x labels, or the class of each item, got {shown(y)}"
            )
        if len(shape) == 1:
            return _of_classes(as_array(y), n_items)
        onto = Ontology(names or [str(k) for k in range(shape[-1])])
    facts = read_facts(y, onto.labels, n_items)
    return Target(facts, onto, None)


def read_facts(y: Any, labels: Sequence[str], n_items: int, *, what: str = "y") -> Facts:
    """Return facts, int8 (N, K), -1 if unknown, from any table with a value for each item and label."""
    named = is_frame(y) or named_rows(y) is not None
    if not named and not sparse.issparse(y) and as_array(y, what).ndim == 1:
        of_one = len(y) == len(labels) != n_items or any(
            name in labels for name in named_row(y) or ()
        )
        hint = f"; for one item pass [{what}]" if of_one else TO_MATRIX
        raise CorollaryError(
            f"{what} must be items x {len(labels)} labels, got a list of {len(y):,} values{hint}"
        )
    try:
        facts = check_facts(y, labels, what=what)
    except CorollaryError as error:
        if (
            isinstance(y, np.ndarray)
            and y.dtype.kind == "i"
            and y.size
            and (y.min(), y.max()) == (0, 2)
        ):
            raise CorollaryError(f"{error}. {RENUMBERED}") from None
        raise
    if len(facts) != n_items:
        raise CorollaryError(
            f"X has {n_items:,} rows but {what} has {len(facts):,}; both need one for each item"
        )
    return facts


def _names_in(y: Any) -> list[str]:
    """The names that a table has for its columns: none where it goes by position."""
    if is_frame(y):
        return [str(name) for name in y.columns]
    return list(dict.fromkeys(str(name) for row in named_rows(y) or () for name in row))


def as_array(y: Any, what: str = "y") -> npt.NDArray[Any]:
    """A list, or anything like an array, as an array."""
    try:
        return np.asarray(y)
    except (TypeError, ValueError) as error:
        raise CorollaryError(
            f"{what} must be items x labels, every row of one length{TO_MATRIX}"
        ) from error


def _of_classes(y: npt.NDArray[Any], n_items: int) -> Target:
    if len(y) != n_items:
        raise CorollaryError(
            f"X has {n_items:,} rows but y has {len(y):,}; both need one for each item"
        )
    if (y.dtype.kind == "f" and not np.isfinite(y).all()) or (
        y.dtype.kind == "O" and any(map(is_missing, y))
    ):
        raise CorollaryError(
            "Input y contains NaN, None or infinity: in a y of one dimension every value is a class. "
            "Leave items out whose class is unknown, or pass a matrix, items x labels, with -1 for unknown"
        )
    check_classification_targets(y)
    classes, of_item = np.unique(y, return_inverse=True)
    names = [_name(value) for value in classes.tolist()]
    facts = np.zeros((n_items, len(classes)), np.int8)
    facts[np.arange(n_items), of_item] = 1
    return Target(facts, Ontology(names, [exactly_one(*names)] if names else []), classes)


def _name(value: object) -> str:
    """A class as the name of a label."""
    name = str(value)
    return name if name.isprintable() and name.strip() == name != "" else repr(value)
