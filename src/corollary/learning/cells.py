"""What every learner starts from: features and facts that fit together, and the labels that cannot be learnt yet."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError

Matrix = Any  # items x features: a dense float array or scipy CSR


def check_facts(facts: npt.ArrayLike, n_items: int) -> Facts:
    """Facts as int8, items x labels; an error says which cell is none."""
    array = np.asarray(facts)
    if array.ndim != 2:
        raise CorollaryError(f"facts must be items x labels, got shape {array.shape}")
    if array.shape[0] != n_items:
        raise CorollaryError(f"X has {n_items:,} rows but facts has {array.shape[0]:,}; both need one for each item")
    if array.dtype.kind not in "biuf":
        raise CorollaryError(f"facts must be numbers, -1 unknown, 0 no, 1 yes; got an array of {array.dtype}")
    wrong = (array < -1) | (array > 1) if array.dtype.kind == "i" else ~np.isin(array, (-1, 0, 1))
    if wrong.any():
        i, k = np.argwhere(wrong)[0]
        raise CorollaryError(f"facts must be -1 (unknown), 0 (no) or 1 (yes); item {i}, label {k} has {array[i, k]}")
    return np.ascontiguousarray(array, dtype=np.int8)


def check_matrix(X: Any) -> Matrix:
    """X as a dense float array or CSR without repeated entries, finite; an error names the column that is not."""
    names = getattr(X, "columns", None)
    if sparse.issparse(X):
        matrix = X.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise CorollaryError(f"X must be items x features, got shape {matrix.shape}; one feature is X[:, None]")
    if matrix.dtype.kind not in "biuf":
        raise CorollaryError(
            f"X must be numbers, got {matrix.dtype}; "
            "corollary.learning.features turns text, categories and mixed tables into numbers"
        )
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if not sparse.issparse(matrix):
        matrix = np.ascontiguousarray(matrix)
    _check_finite(matrix, names)
    return matrix


def _check_finite(matrix: Matrix, names: Any) -> None:
    values = matrix.data if sparse.issparse(matrix) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # much cheaper than a look at each; an overflow just means to look
            return
    bad = np.argwhere(~np.isfinite(values))
    if not len(bad):
        return
    if sparse.issparse(matrix):
        entry = bad[0, 0]
        i, f = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1, int(matrix.indices[entry])
    else:
        i, f = map(int, bad[0])
    name = f"{f} ({names[f]!r})" if names is not None else str(f)
    raise CorollaryError(
        f"X must be finite; column {name} has {matrix[i, f]} at item {i}. "
        "Fill in missing values first, for instance with corollary.learning.features"
    )


def untrained_labels(facts: Facts) -> tuple[dict[int, str], Floats]:
    """Labels with one answer or none known, each with the reason, and every label's belief without features.

    That belief is the smoothed frequency (yes + 1) / (known + 2).
    """
    yes, no = (facts == 1).sum(axis=0), (facts == 0).sum(axis=0)
    reasons = {}
    for k in np.flatnonzero((yes == 0) | (no == 0)):
        if yes[k] == no[k]:
            reasons[int(k)] = "nothing is known yet"
        else:
            reasons[int(k)] = f"only {'yes' if yes[k] else 'no'} is known so far ({int(yes[k] + no[k]):,} items)"
    return reasons, (yes + 1.0) / (yes + no + 2.0)
