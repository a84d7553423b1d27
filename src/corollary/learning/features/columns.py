"""The columns of a table as arrays, whatever kind of table it is, and what each column holds."""

from __future__ import annotations

import datetime
import numbers
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.errors import CorollaryError
from ...logic.labelled import is_frame, is_missing
from ...logic.language.constraints import first_repeated
from ..argument_checks import shown

NUMBER = "number"
CATEGORY = "category"
TEXT = "text"
EMPTY = "empty"
Values = npt.NDArray[Any]  # one for each item; None, nan, NaT or NA where there is none
DAY = np.timedelta64(1, "D")
LARGEST = 1e150  # a number that can be learnt from: its square is still a number


class FeaturesWarning(UserWarning):
    """A column that could not be used, or only in part."""


@dataclass(frozen=True)
class Column:
    """The values of a column, and its kind where the table declares it."""

    values: Values
    kind: str | None = None


def is_matrix(table: Any) -> bool:
    """Whether the table is numbers already: a sparse matrix, or an array or nested list without nan."""
    if sparse.issparse(table):
        return True
    if not isinstance(table, np.ndarray) and not (
        _is_nested(table) and len({len(row) for row in table}) == 1
    ):
        return False
    array = np.asarray(table)
    return (
        array.ndim == 2
        and array.dtype.kind in "biuf"
        and not (array.dtype.kind == "f" and np.isnan(array).any())
    )


def read_columns(table: Any) -> dict[str, Column]:
    """The columns by name; a series or a list of single values is one column, and is text if it holds strings."""
    if is_frame(table):
        names = [str(name) for name in table.columns]
        columns = [
            _series(table.iloc[:, j] if hasattr(table, "iloc") else table[:, j])
            for j in range(len(names))
        ]
    elif isinstance(table, Mapping):
        names = [str(name) for name in table]
        columns = [Column(_objects(values)) for values in table.values()]
    elif isinstance(table, np.ndarray) and table.ndim == 2:
        names = [str(j) for j in range(table.shape[1])]
        columns = [Column(values) for values in table.T]
    elif hasattr(table, "to_numpy") and hasattr(table, "name"):  # a series
        names = [str(table.name or "value")]
        columns = [_alone(_series(table))]
    elif isinstance(table, np.ndarray) and table.ndim == 1:
        names = ["value"]
        columns = [_alone(Column(table))]
    elif isinstance(table, list | tuple):
        names, columns = _from_list(list(table))
    elif isinstance(table, str):
        raise CorollaryError(
            f"items must be a list of texts, got one text; for one item pass [{shown(table)}]"
        )
    else:
        raise CorollaryError(
            f"cannot read a {type(table).__name__} as a table; pass an array, a pandas or polars frame, "
            "a list of strings or a list of dicts"
        )
    return _checked(names, columns)


def kind_of(name: str, column: Column) -> str:
    """What a column holds: number (dates are days), category (also yes/no), text, or nothing at all.

    Strings are text if they have four words on average or if more than half of them differ; else they are categories.
    """
    values = column.values
    if values.dtype.kind in "iufmM":
        return EMPTY if values.dtype.kind in "fmM" and np.isnan(values).all() else NUMBER
    there = [value for value in values.tolist() if not is_missing(value)]
    if not there:
        return EMPTY
    if column.kind is not None:
        return column.kind
    if all(isinstance(value, bool) for value in there):
        return CATEGORY
    if all(_is_number(value) for value in there):
        return NUMBER
    _check_readable(name, values)
    texts = [str(value) for value in there]
    words = sum(len(text.split()) for text in texts) / len(texts)
    return TEXT if words >= 4 or 2 * len(set(texts)) > len(texts) else CATEGORY


def numbers_of(name: str, values: Values) -> npt.NDArray[np.float64]:
    """A column of numbers as floats, nan where there is none; dates are days since 1970, spans are days."""
    try:
        if values.dtype.kind in "mM":
            since = (
                values - np.datetime64(0, "D").astype(values.dtype)
                if values.dtype.kind == "M"
                else values
            )
            found = np.asarray(since / DAY, np.float64)
        elif values.dtype.kind == "O":
            found = np.array(
                [np.nan if is_missing(value) else _number(value) for value in values], np.float64
            )
        else:
            found = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise CorollaryError(
            f"column {name!r} held numbers at fit; now it does not: {error}"
        ) from error
    if (large := np.abs(found) > LARGEST).any():
        i = int(np.argmax(large))
        raise CorollaryError(
            f"column {name!r} has {found[i]:g} at item {i}; numbers must lie within {LARGEST:g}"
        )
    return found


def strings_of(values: Values, *, missing: str) -> list[str]:
    """A column as strings, `missing` where there is no value."""
    return [missing if is_missing(value) else str(value) for value in values.tolist()]


def _is_nested(table: Any) -> bool:
    return (
        isinstance(table, list | tuple)
        and bool(table)
        and all(isinstance(row, list | tuple) for row in table)
    )


def _series(series: Any) -> Column:
    """The values of a pandas or polars series; columns of their own kinds become plain arrays."""
    kind = str(series.dtype)
    if kind.lower().startswith(("category", "categorical", "enum")):
        return Column(
            _objects(
                series.astype(object).tolist() if hasattr(series, "iloc") else series.to_list()
            ),
            CATEGORY,
        )
    if not hasattr(series, "iloc") or isinstance(series.dtype, np.dtype):
        return Column(np.asarray(series.to_numpy()))
    if kind.startswith("datetime64"):  # with a time zone
        return Column(np.asarray(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()))
    return Column(_objects(series.astype(object).tolist()))


def _alone(column: Column) -> Column:
    if all(isinstance(value, str) or is_missing(value) for value in column.values.tolist()):
        return Column(column.values, TEXT)
    return column


def _objects(values: Any) -> Values:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise CorollaryError(
            f"a column must be a list of values, one for each item, got {shown(values)}"
        )
    values = list(values)
    column = np.empty(len(values), object)
    for i, value in enumerate(values):  # cell by cell: numpy would spread values that are lists
        column[i] = value
    return column


def _from_list(rows: list[Any]) -> tuple[list[str], list[Column]]:
    if rows and all(isinstance(row, Mapping) for row in rows):
        keys = list(dict.fromkeys(key for row in rows for key in row))
        return [str(key) for key in keys], [
            Column(_objects(row.get(key) for row in rows)) for key in keys
        ]
    if _is_nested(rows):
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise CorollaryError(
                f"the rows of a table must have one length, got {min(widths)} to {max(widths)} values"
            )
        return [str(j) for j in range(len(rows[0]))], [
            Column(_objects(values)) for values in zip(*rows, strict=True)
        ]
    if rows and all(isinstance(row, str) or is_missing(row) for row in rows):
        return ["value"], [Column(_objects(rows), TEXT)]
    if not rows:
        raise CorollaryError("the list of items is empty: it needs at least one item")
    kinds = ", ".join(sorted({type(row).__name__ for row in rows}))
    raise CorollaryError(
        f"a list of items must hold strings, dicts or rows of values, all of one kind; got {kinds}"
    )


def _checked(names: list[str], columns: list[Column]) -> dict[str, Column]:
    if (twice := first_repeated(names)) is not None:
        raise CorollaryError(
            f"the column {twice!r} is there twice; every column needs a name of its own"
        )
    lengths = {name: len(column.values) for name, column in zip(names, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        raise CorollaryError(f"the columns must have one length, got {lengths}")
    if not lengths or not next(iter(lengths.values())):
        raise CorollaryError("the table is empty: it needs at least one item and one column")
    return dict(zip(names, columns, strict=True))


def _is_number(value: Any) -> bool:
    known = numbers.Number | datetime.date | datetime.timedelta | np.datetime64 | np.timedelta64
    return isinstance(value, known) and not isinstance(value, bool | complex)


def _number(value: Any) -> float:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if isinstance(value, datetime.date):
        value = np.datetime64(value)
    if isinstance(value, datetime.timedelta):
        value = np.timedelta64(value)
    if isinstance(value, np.datetime64):
        value = value - np.datetime64(0, "D")
    try:
        return float(value / DAY) if isinstance(value, np.timedelta64) else float(value)
    except OverflowError:  # a whole number of some hundred digits
        return float("inf")


def _check_readable(name: str, values: Values) -> None:
    kinds = set()
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            continue
        if not isinstance(value, str | bool) and not _is_number(value):
            raise CorollaryError(
                f"column {name!r} has a {type(value).__name__} at item {i}; "
                "a cell must be text, a number, a date, yes/no or missing"
            )
        kinds.add(isinstance(value, str))
    if len(kinds) > 1:
        message = f"column {name!r} mixes text and other values; all are read as text"
        warnings.warn(message, FeaturesWarning, stacklevel=2)
