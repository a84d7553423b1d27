"""Tables of items x labels as callers have them: arrays go by position, frames and lists of dicts or Series by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from .errors import CorollaryError, nearest


def is_frame(values: Any) -> bool:
    """Whether this is a frame of pandas or polars."""
    return hasattr(values, "columns") and hasattr(values, "shape")


def is_missing(value: Any) -> bool:
    """Whether a cell has no value: None, nan, or pandas' NA and NaT."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and isnan(value))
    )


def named_row(values: Any) -> Mapping[Any, Any] | None:
    """What one item has, by the names of labels: a dict, or a Series of pandas; else None."""
    if isinstance(values, Mapping):
        return values
    return (
        dict(values.items())
        if hasattr(values, "iloc") and getattr(values, "ndim", 2) == 1
        else None
    )


def kinds_of(what: str) -> tuple[str, str]:
    """What rows and columns of a table are: tables of pairs, named `pair_...`, have relations for columns."""
    return ("pair", "relation") if what.startswith("pair_") else ("item", "label")


def named_rows(values: Any) -> list[Mapping[Any, Any]] | None:
    """A list of dicts or Series, one for each item; else None."""
    if not isinstance(values, list | tuple) or not values:
        return None
    rows = [named_row(row) for row in values]
    return None if any(row is None for row in rows) else rows  # type: ignore[return-value]  # none is None


def by_label(what: str, values: Any, labels: Sequence[str], *, unsaid: float) -> npt.NDArray[Any]:
    """Values as an array with a column for each label.

    The columns of a frame and the keys of a list of dicts or Series are labels, in any order.
    Missing labels and empty cells have the value `unsaid`. Anything else goes by position, and an
    empty cell is nan.
    """
    if sparse.issparse(values):
        return np.asarray(values.toarray())
    if is_frame(values):
        return _of_frame(what, values, labels, unsaid)
    if (rows := named_rows(values)) is not None:
        return _of_dicts(what, rows, labels, unsaid)
    try:
        array = np.asarray(values)
    except (
        TypeError,
        ValueError,
        OverflowError,
    ):  # ragged lists, and objects that will not be arrays
        row_is, column_is = kinds_of(what)
        raise CorollaryError(
            f"{what} must be {row_is}s x {len(labels)} {column_is}s, every row of one length"
        ) from None
    if array.dtype.kind != "O" or array.ndim != 2 or array.shape[1] != len(labels):
        return array
    return np.column_stack(
        [_numbers(what, label, array[:, k], np.nan) for k, label in enumerate(labels)]
    )


def index_of(values: Any) -> list[Any] | None:
    """The index of a pandas frame or Series; None where there is none."""
    return values.index.tolist() if hasattr(values, "iloc") else None


def item_ids(values: Any) -> list[Any] | None:
    """The item ids in the index of a pandas frame or Series; None without one. The default index has no ids."""
    index = index_of(values)
    return None if index is None or index == list(range(len(index))) else index


def same_rows(what: str, values: Any, other: str, ids: Sequence[Any] | None) -> Any:
    """Values with their rows in the order of `ids`, which are those of `other`, if values have an index with ids."""
    own = index_of(values)
    if own is None or ids is None or own == (wanted := list(ids)):
        return values
    default = list(range(len(own))) in (own, wanted)
    if set(own) != set(wanted) or len(own) != len(wanted):
        if default:
            return values
        odd = sorted(set(own) ^ set(wanted), key=str)
        where = f": {odd[0]!r} is in one of them only" if odd else ""
        raise CorollaryError(
            f"the index of {what} and the item ids of {other} must be the same{where}"
        )
    if default or len(set(own)) != len(own):
        raise CorollaryError(
            f"{what} and {other} have the same ids in another order, and some are row numbers or occur twice: "
            f"pass {what}.loc[{other}.index] to match rows by id, or {what}.to_numpy() to match them by position"
        )
    place = {one: row for row, one in enumerate(own)}
    return values.iloc[[place[one] for one in wanted]]


def like_frame(what: str, values: Any, other: str, frame: Any) -> Any:
    """Values in the order of a frame, label by label and item by item, if both are frames; else as they are."""
    if not (is_frame(values) and is_frame(frame)):
        return values
    names = [str(name) for name in frame.columns]
    return by_label(what, same_rows(what, values, other, index_of(frame)), names, unsaid=np.nan)


def _of_frame(what: str, frame: Any, labels: Sequence[str], unsaid: float) -> npt.NDArray[Any]:
    names = [str(name) for name in frame.columns]
    _check_names(what, "column", names, labels)
    place = {name: j for j, name in enumerate(names)}
    if len(place) < len(names):
        twice = next(name for j, name in enumerate(names) if place[name] != j)
        raise CorollaryError(f"the column {twice!r} of {what} is there twice; leave one out")

    def column(label: str) -> npt.NDArray[Any]:
        if label not in place:
            return np.full(frame.shape[0], unsaid)
        found = frame.iloc[:, place[label]] if hasattr(frame, "iloc") else frame[:, place[label]]
        return _numbers(what, label, np.asarray(found), unsaid)

    return (
        np.column_stack([column(label) for label in labels])
        if labels
        else np.empty((frame.shape[0], 0))
    )


def _of_dicts(
    what: str, rows: Sequence[Mapping[Any, Any]], labels: Sequence[str], unsaid: float
) -> npt.NDArray[np.float64]:
    place = {label: k for k, label in enumerate(labels)}
    found = np.full((len(rows), len(labels)), unsaid)
    for i, row in enumerate(rows):
        _check_names(f"{what}[{i}]", "key", [str(name) for name in row], place)
        for name, value in row.items():
            found[i, place[str(name)]] = _numbers(
                what, str(name), np.array([value], object), unsaid
            )[0]
    return found


def _check_names(what: str, kind: str, names: Sequence[str], labels: Any) -> None:
    for name in names:
        if name not in labels:
            hint = nearest(name, labels) or (
                "; a frame goes by the names of its columns, frame.to_numpy() by position"
                if kind == "column"
                else ""
            )
            column_is = kinds_of(what)[1]
            raise CorollaryError(
                f"the {kind} {name!r} of {what} is no {column_is} of the ontology{hint}"
            )


def _numbers(what: str, label: str, values: npt.NDArray[Any], unsaid: float) -> npt.NDArray[Any]:
    """A column as numbers, `unsaid` where a cell is empty; an error names the value that is no number."""
    try:
        if values.dtype.kind in "biu":
            return values
        if values.dtype.kind == "f":
            return np.where(np.isnan(values), np.asarray(unsaid, values.dtype), values)
        return np.array(
            [unsaid if is_missing(value) else float(value) for value in values], np.float64
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise CorollaryError(f"{what} must be numbers, label {label!r}: {error}") from error
