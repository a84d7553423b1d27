"""Items of the training part that occur in the test part too: a learner need only remember them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Mask = npt.NDArray[np.bool_]


def repeated(X: Any, train: Mask) -> Mask:
    """Which rows for training, (N,), have the very features, or the very text, of a row that is not."""
    rows = _as_keys(X)
    elsewhere = {row for row, known in zip(rows, train.tolist(), strict=True) if not known}
    return np.array(
        [known and row in elsewhere for row, known in zip(rows, train.tolist(), strict=True)],
        np.bool_,
    )


def _as_keys(X: Any) -> list[Any]:
    if sparse.issparse(X):
        ordered = sparse.csr_array(X, copy=True)
        ordered.sum_duplicates()
        ordered.eliminate_zeros()
        bounds = zip(ordered.indptr[:-1], ordered.indptr[1:], strict=True)
        return [(ordered.indices[a:b].tobytes(), ordered.data[a:b].tobytes()) for a, b in bounds]
    if X.ndim == 1:
        return list(X)
    return [row.tobytes() for row in np.ascontiguousarray(X)]
