"""The paper's data sets with one exclusive group of classes, from tables or the public LIBSVM originals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.errors import CorollaryError
from ...logic.language.constraints import exclusive
from ...logic.ontology import Ontology
from . import classics
from .contents import Contents, truth_of
from .tables import numbers, read_libsvm, read_table

#: The classes in the order of their numbers in the originals, each with its number of rows.
CLASSES: dict[str, dict[str, int]] = {
    "iris": dict.fromkeys(("Iris-setosa", "Iris-versicolor", "Iris-virginica"), 50),
    "vowel": dict.fromkeys("hid hId hEd hAd hYd had hOd hod hUd hud hed".split(), 90),
    "satimage": {
        "red soil": 1072,
        "cotton crop": 479,
        "grey soil": 961,
        "damp grey soil": 415,
        "vegetation stubble": 470,
        "very damp grey soil": 1038,
    },
    "shuttle": {
        "Rad.Flow": 34108,
        "Fpv.Close": 37,
        "Fpv.Open": 132,
        "High": 6748,
        "Bypass": 2458,
        "Bpv.Close": 6,
        "Bpv.Open": 11,
    },
    "segment": dict.fromkeys("brickface sky foliage cement window path grass".split(), 330),
    "pendigits": dict(
        zip("0123456789", (1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055), strict=True)
    ),
    "letter": dict(
        zip(
            "ABCDEFGHIJKLM",
            (789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792),
            strict=True,
        )
    )
    | dict(
        zip(
            "NOPQRSTUVWXYZ",
            (783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734),
            strict=True,
        )
    ),
}

#: The originals: LIBSVM's file, then its test file where the paper uses that too.
LIBSVM_FILES: dict[str, tuple[str, ...]] = {
    "iris": ("iris.scale",),
    "vowel": ("vowel.scale", "vowel.scale.t"),
    "satimage": ("satimage.scale",),
    "shuttle": ("shuttle.scale",),
    "segment": ("segment.scale",),
    "pendigits": ("pendigits", "pendigits.t"),
    "letter": ("letter.scale", "letter.scale.t"),
}

#: Sets of which the paper uses the training file alone, and splits that.
TRAINING_FILE_ONLY = {"satimage", "shuttle"}


def read(place: Path, name: str) -> Contents:
    """The data set: its Parquet table if the folder has one, or the table of the package, else LIBSVM's originals."""
    if (table := place / f"{name}.parquet").exists():
        X, names, official = _from_table(table, name)
    elif (packaged := place / classics.file_of(name)).exists():
        X, names, split = classics.read(packaged)
        official = _official(np.array(split))
    else:
        X, names, official = _from_originals(place, name)
    labels = tuple(CLASSES[name])
    if (found := Counter(names)) != CLASSES[name]:
        raise CorollaryError(
            f"{place} has other classes than {name}: expected {CLASSES[name]}, got {dict(found)}; fetch it again"
        )
    Y = truth_of(names, labels, separator="\0", file=str(place))
    notes = ["features scaled to [-1, 1]"]
    if name in TRAINING_FILE_ONLY:
        notes.append("the training file of the original alone, as in the paper")
    if official is None or official.all():
        official = None
    onto = Ontology(labels, [exclusive(*labels)])
    return Contents(_scaled(X, official), Y, onto, official, tuple(notes))


Table = tuple[npt.NDArray[np.float64], list[str], npt.NDArray[np.bool_] | None]


def _from_table(path: Path, name: str) -> Table:
    frame = read_table(path)
    if lost := {"label", "split"} - set(frame.columns):
        raise CorollaryError(f"{path} has no column {lost.pop()!r}; it is not a table of {name}")
    if name in TRAINING_FILE_ONLY:
        frame = frame[frame["split"] == "train"]
    features = frame.drop(columns=["label", "split"])
    return numbers(features, path), frame["label"].tolist(), _official(frame["split"].to_numpy())


def _official(split: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """The rows for training, where there is a split."""
    return None if (split == "all").all() else split == "train"


def _from_originals(place: Path, name: str) -> Table:
    parts = [read_libsvm(original(place, file)) for file in LIBSVM_FILES[name]]
    width = max(X.shape[1] for _, X in parts)
    for _, X in parts:
        X.resize((X.shape[0], width))
    numbers = [_number(field, place) for fields, _ in parts for field in fields]
    # Some count from 0 and some from 1: the n-th smallest number is the n-th class.
    rank = {number: n for n, number in enumerate(sorted(set(numbers)))}
    classes = list(CLASSES[name])
    if len(rank) != len(classes):
        raise CorollaryError(
            f"{place} has {len(rank)} classes, {name} has {len(classes)}; fetch it again"
        )
    first = np.arange(len(numbers)) < parts[0][1].shape[0]
    return (
        sparse.vstack([X for _, X in parts]).toarray(),
        [classes[rank[number]] for number in numbers],
        first,
    )


def original(place: Path, file: str) -> Path:
    """The file of this name, or the one that is compressed."""
    return next(
        (path for path in (place / file, place / f"{file}.bz2") if path.exists()), place / file
    )


def _number(field: str, place: Path) -> float:
    try:
        return float(field)
    except ValueError:
        raise CorollaryError(
            f"{place}: a class must be a number, got {field!r}; fetch it again"
        ) from None


def _scaled(X: Any, official: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.float64]:
    """X with each column in [-1, 1] over the official training rows, as LIBSVM scales; a constant column is 0."""
    rows = X if official is None else X[official]
    low = rows.min(axis=0)
    high = rows.max(axis=0)
    span = np.where(high > low, high - low, 1)
    return np.where(high > low, (2 * X - low - high) / span, 0.0)
