"""Embeddings in the field "vector": all items of a campaign have one of the same length, or none.

They are stored apart from the items, in single precision, and read only for training. Items in memory
have none. Older campaigns have them among the fields, and learn from them unchanged.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..logic.errors import CorollaryError

if TYPE_CHECKING:
    from ..logic.engines import Floats

VECTOR = "vector"
LARGEST = 1e15  # because learners square and add numbers, some in single precision
LISTS = (list, tuple, np.ndarray)
NUMBERS = frozenset((int, float))
BYTES = 4  # of a stored number


class SameVectors:
    """A check that vectors are like those of earlier items; without any, the first vector decides."""

    def __init__(self, before: Iterable[Any] = (), *, length: int = 0):
        vectors = list(before)
        self._length = usual_length(vectors) or length if vectors else None

    def check(self, vector: Any) -> None:
        """Raise CorollaryError if the vector of a further item (None: it has none) does not fit."""
        if vector is not None and not is_vector(vector):
            raise CorollaryError(
                f"the field {VECTOR!r} must be a list of numbers from -{LARGEST:g} to {LARGEST:g}, got "
                f"{str(vector)[:40]!r}"
            )
        length = 0 if vector is None else len(vector)
        if self._length is None:
            self._length = length
        if length == self._length:
            return
        if not length:
            raise CorollaryError(
                f"it has no vector, but earlier items have one of {self._length} numbers; add one of the same "
                f"model, in a column or field {VECTOR!r}"
            )
        if not self._length:
            raise CorollaryError(
                "it has a vector, but earlier items have none; leave vectors out (pass ignore= with their "
                "column), or make a new campaign in which every item has one"
            )
        raise CorollaryError(
            f"its vector has {length} numbers, those of earlier items have {self._length}; make it with the same model"
        )


def usual_length(vectors: Iterable[Any]) -> int:
    """Return the most frequent length of vectors; 0 if there are none."""
    lengths = Counter(
        len(vector) for vector in vectors if isinstance(vector, LISTS) and len(vector)
    )
    return max(lengths, key=lengths.__getitem__, default=0)


def matrix_of(vectors: Sequence[Any]) -> Floats | None:
    """Return a row for each vector; None if there are no vectors.

    Items of older campaigns may have vectors that were not checked. A missing vector, or one of
    another length, becomes the mean of the others. A further column marks it, with a FeaturesWarning.
    """
    from ..learning.features.columns import FeaturesWarning

    width = usual_length(vectors)
    X = np.zeros((len(vectors), width))
    there = np.zeros(len(vectors), np.bool_)
    for i, vector in enumerate(vectors):
        if isinstance(vector, LISTS) and len(vector) == width and is_vector(vector):
            X[i] = vector
            there[i] = True
    if there.all():
        return X
    if not there.any():
        return None
    warnings.warn(
        f"{(~there).sum():,} of {len(there):,} items have no vector of {width} numbers: theirs count as missing",
        FeaturesWarning,
        stacklevel=4,
    )
    X[~there] = X[there].mean(axis=0)
    return np.column_stack([X, ~there])


def is_vector(vector: Any) -> bool:
    """Whether this is a list of numbers that can be used as a vector."""
    if not isinstance(vector, LISTS) or not len(vector):
        return False
    if not isinstance(vector, np.ndarray):
        if not NUMBERS.issuperset(map(type, vector)):
            return False
        try:
            vector = np.array(vector, np.float64)
        except OverflowError:  # a whole number of hundreds of digits
            return False
    return bool((np.abs(vector) <= LARGEST).all())  # nan is not


def packed(vector: Any) -> bytes:
    """Return the stored form of a vector: single precision, the lowest byte first."""
    return np.asarray(vector, "<f4").tobytes()


def unpacked(data: bytes) -> npt.NDArray[np.float32]:
    """Return a vector from its stored form."""
    return np.frombuffer(data, "<f4")
