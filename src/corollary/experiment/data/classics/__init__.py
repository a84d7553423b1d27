"""Three classic data sets that come with the package, as tables of text.

ATTRIBUTION.md names their authors.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....logic.errors import CorollaryError
from ..tables import read_lines

FOLDER = Path(__file__).parent
NAMES = ("iris", "vowel", "segment")
#: What each row begins with; the features follow.
FIRST = ("label", "split")

Numbers = npt.NDArray[np.float64]


def file_of(name: str) -> str:
    """The name of a data set's file."""
    return f"{name}.tsv.gz"


def read(path: Path) -> tuple[Numbers, list[str], list[str]]:
    """The features, the label and the split (train, test or all) of each row."""
    header, *rows = csv.reader(read_lines(path), delimiter="\t")
    if tuple(header[:2]) != FIRST or any(len(row) != len(header) for row in rows):
        raise CorollaryError(
            f"{path} is damaged: each row must have a label, a split and the same features"
        )
    try:
        X = np.array([row[2:] for row in rows], np.float64)
    except ValueError as error:
        raise CorollaryError(f"{path} is damaged: {error}") from None
    return X, [row[0] for row in rows], [row[1] for row in rows]


def write(
    path: Path, X: Numbers, labels: list[str], splits: list[str], features: list[str]
) -> None:
    """The same, written: each number as the shortest text that reads back as it, and the same bytes every time."""
    shortest = [[repr(value).removesuffix(".0") for value in row] for row in X.tolist()]
    rows = [
        [label, split, *row] for label, split, row in zip(labels, splits, shortest, strict=True)
    ]
    text = "".join("\t".join(row) + "\n" for row in ([*FIRST, *features], *rows))
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
