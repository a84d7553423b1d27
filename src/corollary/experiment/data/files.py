"""The user's own data: a table or libsvm file of features, the true labels of each row, and an ontology."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology
from .contents import truth_of
from .datasets import Dataset, Truth, check_features, draw_split, ever_true, fill_missing
from .tables import numbers, read_libsvm, read_table, suffix

AnyPath = str | PathLike[str]
LIBSVM = (".libsvm", ".svm", ".svmlight")


def read_dataset(
    path: AnyPath,
    *,
    ontology: Ontology | AnyPath,
    labels: AnyPath | None = None,
    label_column: str | None = None,
    separator: str = "@",
    ignore: Iterable[str] = (),
    train: float = 0.5,
    seed: int = 0,
) -> Dataset:
    """Read a data set from your own files, split at random.

    The true labels are columns of 0 and 1, one for each label of the ontology. Or they are one
    column with the names of the true labels, joined by the separator. In a libsvm file they are the
    first field of a line; a lone separator means no label.

    Parameters
    ----------
    path
        A table (.parquet, .csv, .tsv) or a libsvm file (.libsvm, .svm, .svmlight). Columns that are
        not labels are features and must be numbers. Missing values become the mean of the training
        rows.
    ontology
        The ontology, or its file.
    labels
        A table with the true labels, if `path` does not have them; items in the same order.
    label_column
        The column with the names of the true labels, by default `labels`.
    separator
        The text between the names of labels.
    ignore
        Columns that are not features.
    train
        The share of rows for training, or from 1 their number.
    seed
        The seed of the split.

    Raises
    ------
    CorollaryError
        If a file cannot be read, or its columns do not fit the ontology.
    """
    path = Path(path)
    form = Form(
        ontology if isinstance(ontology, Ontology) else Ontology.load(ontology),
        label_column,
        separator,
    )
    if labels is None:
        X, Y = (
            _read_libsvm(path, form) if suffix(path) in LIBSVM else _read_table(path, form, ignore)
        )
    else:
        X, Y = _read_both(path, Path(labels), form, ignore)
    mask = draw_split(Y, _training_rows(train, len(Y)), seed=seed)
    X, notes = fill_missing(X, mask)
    if lost := [
        label
        for label, known in zip(form.onto.labels, ever_true(Y[mask]), strict=True)
        if not known
    ]:
        few = ", ".join(lost[:5]) + (", ..." if len(lost) > 5 else "")
        notes.append(
            f"{len(lost)} of {len(form.onto)} labels are never true in the training part: {few}"
        )
    return Dataset(X, Y, form.onto, train=mask, name=path.name.partition(".")[0], notes=notes)


class Form(NamedTuple):
    """How the truth is written down: of which labels, in which column, joined by what."""

    onto: Ontology
    column: str | None
    separator: str


def _read_libsvm(path: Path, form: Form) -> tuple[Any, Truth]:
    if form.column is not None:
        raise CorollaryError(
            f"{path} is a libsvm file and has no columns; label_column needs a table of labels"
        )
    names, X = read_libsvm(path, zero_based="auto")
    return check_features(X), truth_of(
        names, form.onto.labels, separator=form.separator, file=str(path)
    )


def _read_table(path: Path, form: Form, ignore: Iterable[str]) -> tuple[Any, Truth]:
    features, Y = _take_labels(_without(read_table(path), ignore, path), path, form)
    return _features(features, path), Y


def _read_both(path: Path, labels: Path, form: Form, ignore: Iterable[str]) -> tuple[Any, Truth]:
    if suffix(path) in LIBSVM:
        X = check_features(read_libsvm(path, zero_based="auto")[1])
    else:
        frame = _without(read_table(path), ignore, path)
        _refuse_leak(frame.columns, form.onto, path)
        X = _features(frame, path)
    _, Y = _take_labels(read_table(labels), labels, form)
    if len(Y) != X.shape[0]:
        raise CorollaryError(
            f"the rows do not match: {path} has {X.shape[0]:,}, {labels} has {len(Y):,}; they must be the same items "
            "in the same order"
        )
    return X, Y


def _take_labels(frame: Any, path: Path, form: Form) -> tuple[Any, Truth]:
    """The columns that are left, and the truth."""
    if not len(frame):
        raise CorollaryError(f"{path} has no rows")
    onto = form.onto
    column = form.column
    if column is None and "labels" in frame and not any(name in onto for name in frame.columns):
        column = "labels"
    if column is None:
        return frame.drop(columns=list(onto.labels), errors="ignore"), _label_columns(
            frame, path, onto
        )
    if column not in frame:
        raise CorollaryError(f"{path} has no column {column!r}{nearest(column, frame.columns)}")
    left = frame.drop(columns=column)
    _refuse_leak(left.columns, onto, path)
    joined = frame[column].astype(object).where(frame[column].notna(), "").map(str)
    return left, truth_of(joined, onto.labels, separator=form.separator, file=str(path))


def _label_columns(frame: Any, path: Path, onto: Ontology) -> Truth:
    if lost := [label for label in onto.labels if label not in frame]:
        spare = [column for column in frame.columns if column not in onto]
        raise CorollaryError(
            f"{path} has no column for {len(lost)} of the {len(onto)} labels, the first is "
            f"{lost[0]!r}{nearest(lost[0], spare)}; if one column names the true labels, pass label_column="
        )
    truth = frame[list(onto.labels)]
    for label in onto.labels:
        bad = ~truth[label].isin([0, 1]).to_numpy(bool)
        if bad.any():
            i = int(np.argmax(bad))
            raise CorollaryError(
                f"{path}, row {i}: the label column {label!r} must be 0 or 1, got {truth[label].iloc[i]!r}"
            )
    Y: Truth = truth.to_numpy(np.int8)
    return Y


def _refuse_leak(columns: Iterable[str], onto: Ontology, path: Path) -> None:
    """Labels among the features would tell a learner the truth."""
    if leak := [column for column in columns if column in onto]:
        raise CorollaryError(
            f"the column {leak[0]!r} of {path} is a label of the ontology, but the truth was to be read elsewhere; "
            "rename it, or ignore it"
        )


def _without(frame: Any, ignore: Iterable[str], path: Path) -> Any:
    ignore = [ignore] if isinstance(ignore, str) else list(ignore)
    for column in ignore:
        if column not in frame:
            raise CorollaryError(
                f"{path} has no column {column!r} to ignore{nearest(column, frame.columns)}"
            )
    return frame.drop(columns=ignore)


def _features(frame: Any, path: Path) -> Any:
    """The features as an array, nan where missing."""
    if not len(frame.columns):
        raise CorollaryError(f"{path} has no column left for features")
    for column in frame.columns:
        if frame[column].isna().all():
            raise CorollaryError(f"the column {column!r} of {path} has no value at all; ignore it")
    try:
        return check_features(numbers(frame, path), missing=True)
    except CorollaryError as error:
        raise CorollaryError(f"{path}: {error}") from None


def _training_rows(train: float, n: int) -> int:
    if isinstance(train, bool) or not isinstance(train, (int, float, np.number)) or not train > 0:
        raise CorollaryError(
            f"train must be a share between 0 and 1 or a number of rows, got {train!r}"
        )
    if train < 1:
        return round(float(train) * n)
    if train != int(train) or train >= n:
        raise CorollaryError(
            f"train must be a share between 0 and 1 or fewer than the {n:,} rows, got {train!r}"
        )
    return int(train)
