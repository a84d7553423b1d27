"""Facts and beliefs as arrays, items x labels: what they must be, and errors that name the cell that is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import CorollaryError


def check_facts(facts: npt.ArrayLike, labels: Sequence[str]) -> npt.NDArray[np.int8]:
    """Facts as int8: -1 unknown, 0 no, 1 yes."""
    array = np.asarray(facts)
    if array.dtype.kind not in "iub":
        raise CorollaryError(
            f"facts must be whole numbers (-1 unknown, 0 no, 1 yes), got {array.dtype}; use -1 for unknown"
        )
    check_shape("facts", array, labels)
    bad = (array != 0) & (array != 1) & (array != -1) if array.dtype.kind == "i" else array > 1
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise CorollaryError(
            f"facts must be -1 (unknown), 0 (no) or 1 (yes); item {i}, label {labels[k]!r} has {array[i, k]}"
        )
    return array.astype(np.int8)


def check_beliefs(beliefs: npt.ArrayLike, labels: Sequence[str]) -> npt.NDArray[np.floating]:
    """Beliefs as floats between 0 and 1."""
    array = np.asarray(beliefs)
    if array.dtype.kind not in "fiub":
        raise CorollaryError(f"beliefs must be numbers between 0 and 1, got an array of {array.dtype}")
    check_shape("beliefs", array, labels)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        bad = ~((array >= 0) & (array <= 1))
        i, k = np.argwhere(bad)[0]
        raise CorollaryError(
            f"beliefs must lie between 0 and 1; item {i}, label {labels[k]!r} has {array[i, k]} "
            f"({int(bad.sum()):,} such cells in all)"
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def check_shape(what: str, array: npt.NDArray[Any], labels: Sequence[str]) -> None:
    """One row an item, one column a label."""
    if array.ndim != 2 or array.shape[1] != len(labels):
        hint = f"; for one item pass [{what}]" if array.shape == (len(labels),) else ""
        raise CorollaryError(f"{what} must be items x {len(labels)} labels, got shape {array.shape}{hint}")
