"""Features that are numbers: a dense float array or CSR, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.errors import CorollaryError
from ..argument_checks import array_of
from .encoded import Encoded

Matrix = Any  # items x features: a dense float array or scipy CSR


#: What to do about features that are no numbers.
TO_NUMBERS = "; learning.features.tables_and_text.default_features turns text, categories and mixed tables into numbers"


class NotNumbers(CorollaryError, TypeError):
    """Features that are no numbers."""


def check_matrix(X: Any) -> Matrix:
    """X as a dense float array or CSR without repeated entries, finite; an error names the column that is not.

    Of items that were read, it is their features.
    """
    if isinstance(X, Encoded):
        return X.features
    names = getattr(X, "columns", None)
    if sparse.issparse(X):
        matrix = X.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        matrix = _as_numbers(array_of("X", X))
    if matrix.ndim != 2:
        raise CorollaryError(
            f"X must be items x features, got shape {matrix.shape}. "
            "Reshape your data: one feature is X[:, None], one item is X[None]"
        )
    if matrix.dtype.kind == "c":
        raise CorollaryError(
            "X must be real numbers. Complex data not supported; pass X.real and X.imag as features"
        )
    if matrix.dtype.kind not in "biuf":
        raise NotNumbers(f"X must be numbers, got {matrix.dtype}{TO_NUMBERS}")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if not sparse.issparse(matrix):
        matrix = np.ascontiguousarray(matrix)
    _check_finite(matrix, names)
    return matrix


def is_numbers(X: Any) -> bool:
    """Whether items are rows of finite numbers, as they are; what was read is not."""
    if isinstance(X, Encoded):
        return False
    try:
        return bool(check_matrix(X).shape[1])
    except CorollaryError:
        return False


def _as_numbers(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects that are numbers as floats; None is nan."""
    if array.dtype.kind != "O":
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotNumbers(f"X must be numbers: {error}{TO_NUMBERS}") from error


def _check_finite(matrix: Matrix, names: Any) -> None:
    values = matrix.data if sparse.issparse(matrix) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(
            values.sum()
        ):  # much cheaper than a look at each; an overflow just means to look
            return
    bad = np.argwhere(~np.isfinite(values))
    if not len(bad):
        return
    if sparse.issparse(matrix):
        entry = bad[0, 0]
        i = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        f = int(matrix.indices[entry])
    else:
        i, f = map(int, bad[0])
    name = f"{f} ({names[f]!r})" if names is not None else str(f)
    raise CorollaryError(
        f"X must be finite, without NaN and inf; column {name} has {matrix[i, f]} at item {i}. "
        "Fill in missing values first, for instance with corollary.learning.features.tables_and_text.default_features"
    )
