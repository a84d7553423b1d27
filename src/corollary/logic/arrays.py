"""Facts, beliefs and evidence, items x labels, checked: an error names the cell that is wrong.

Arrays and sparse matrices go by position, frames and lists of dicts or Series by name. There, a
missing label and an empty cell are unknown: a fact of -1, a belief of 0.5, evidence of 0. In an
array of facts nan is unknown, too. Among beliefs and evidence nan is an error, since it mostly
comes from a model that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import CorollaryError
from .labelled import by_label, kinds_of, named_row

#: Values of items x labels: an array, a sparse matrix, a frame of pandas or polars, or a list of dicts or Series.
Table = npt.ArrayLike | Any
NUMBERS = "biuf"
#: Finite evidence beyond this is lost in rounding; use a fact instead.
LARGEST_EVIDENCE = 1e6


def check_facts(
    facts: Table, labels: Sequence[str], *, what: str = "facts"
) -> npt.NDArray[np.int8]:
    """Facts as int8: -1 unknown, 0 no, 1 yes; nan, None and NA are unknown, too."""
    array = as_table(
        what, facts, labels, like="numbers (-1 or nan unknown, 0 no, 1 yes)", unsaid=np.nan
    )
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1.0, array)
        wrong = ~np.isin(array, (-1.0, 0.0, 1.0))
    else:
        usual = not array.size or (array.min() >= -1 and array.max() <= 1)
        wrong = np.zeros(0, np.bool_) if usual else (array < -1) | (array > 1)
    if wrong.any():
        i, k = np.argwhere(wrong)[0]
        raise CorollaryError(
            f"{what} must be -1 (unknown), 0 (no) or 1 (yes); {_place(what, i, labels[k])} has {array[i, k]:g}"
        )
    return array.astype(np.int8)


def check_beliefs(
    beliefs: Table, labels: Sequence[str], *, what: str = "beliefs"
) -> npt.NDArray[np.floating]:
    """Beliefs as floats between 0 and 1."""
    array = as_table(what, beliefs, labels, like="numbers between 0 and 1", unsaid=0.5)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        bad = ~((array >= 0) & (array <= 1))
        i, k = np.argwhere(bad)[0]
        hint = "; where nothing is known, write 0.5" if np.isnan(array[i, k]) else ""
        raise CorollaryError(
            f"{what} must lie between 0 and 1; {_place(what, i, labels[k])} has {array[i, k]} "
            f"({int(bad.sum()):,} such cells in all){hint}"
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def check_numbers(what: str, values: Table, labels: Sequence[str]) -> npt.NDArray[np.float64]:
    """Finite numbers as float64."""
    array = as_table(what, values, labels, like="numbers", unsaid=0.0).astype(
        np.float64, copy=False
    )
    if array.size and not np.isfinite(array).all():
        i, k = np.argwhere(~np.isfinite(array))[0]
        raise CorollaryError(
            f"{what} must be finite numbers; item {i}, label {labels[k]!r} has {array[i, k]}"
        )
    return array


def check_odds(odds: Table, labels: Sequence[str]) -> npt.NDArray[np.float64]:
    """Log-odds as float64, within what engines take."""
    array = check_numbers("odds", odds, labels)
    if array.size and not np.abs(array).max() <= 600:
        raise CorollaryError("log-odds must be finite and between -600 and 600")
    return array


def check_evidence(
    evidence: Table, labels: Sequence[str], *, what: str = "evidence"
) -> npt.NDArray[np.float64]:
    """Return log-likelihood ratios as float64: 0 is no opinion, an infinite value is certain."""
    array = as_table(what, evidence, labels, like="log-likelihood ratios", unsaid=0.0).astype(
        np.float64
    )
    usual = not array.size or (array.min() >= -LARGEST_EVIDENCE and array.max() <= LARGEST_EVIDENCE)
    bad = (
        np.zeros(0, np.bool_) if usual else ~(np.abs(array) <= LARGEST_EVIDENCE) & ~np.isinf(array)
    )
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise CorollaryError(
            f"{what} must be log-likelihood ratios between -{LARGEST_EVIDENCE:,.0f} and {LARGEST_EVIDENCE:,.0f}, "
            "or inf or -inf for a certain value: "
            f"{_place(what, i, labels[k])} has {array[i, k]} ({int(bad.sum()):,} such cells in all)"
        )
    return array


def _place(what: str, row: int, column: str) -> str:
    """The cell in words."""
    row_is, column_is = kinds_of(what)
    return f"{row_is} {row}, {column_is} {column!r}"


def as_table(
    what: str, values: Table, labels: Sequence[str], *, like: str, unsaid: float
) -> npt.NDArray[Any]:
    """An array of numbers with one row an item and one column a label; labels without a column are `unsaid`."""
    array = values if type(values) is np.ndarray and values.dtype.kind in NUMBERS else None
    if array is None:
        array = by_label(what, values, labels, unsaid=unsaid)
    if array.dtype.kind not in NUMBERS:
        hint = (
            _UNKNOWN.get(what, "") if named_row(values) is None else f"; for one item pass [{what}]"
        )
        raise CorollaryError(f"{what} must be {like}, got {_given(values, array)}{hint}")
    if np.ma.is_masked(values):
        raise CorollaryError(f"{what} has masked cells; fill them first{_UNKNOWN.get(what, '')}")
    check_shape(what, array, labels)
    return array


_UNKNOWN = {"facts": "; use -1 for unknown"}


def _given(values: object, array: npt.NDArray[Any]) -> str:
    """What was passed, in a few words."""
    return f"an array of {array.dtype}" if array.ndim else type(values).__name__


def check_shape(what: str, array: npt.NDArray[Any], labels: Sequence[str]) -> None:
    """One row an item, one column a label."""
    if array.ndim != 2 or array.shape[1] != len(labels):
        row_is, column_is = kinds_of(what)
        hint = f"; for one {row_is} pass [{what}]" if array.shape == (len(labels),) else ""
        raise CorollaryError(
            f"{what} must be {row_is}s x {len(labels)} {column_is}s, got shape {array.shape}{hint}"
        )


def check_same_shape(
    what: str, array: npt.NDArray[Any], other: str, like: npt.NDArray[Any]
) -> None:
    """Two arrays about the same items."""
    if array.shape != like.shape:
        raise CorollaryError(
            f"{what} and {other} must have one shape, got {array.shape} and {like.shape}"
        )
