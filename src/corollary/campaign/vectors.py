"""Embeddings made elsewhere, in the field "vector": all items of a campaign have one of the same length, or none.

They are stored apart from the items, in single precision, and read by nobody but those who learn from them: items at
hand in an open campaign have none. Campaigns of before have theirs among the fields, and learn from them as they are.
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
LARGEST = 1e15  # learners square and add numbers, some of them in single precision
LISTS = (list, tuple, np.ndarray)
NUMBERS = frozenset((int, float))
BYTES = 4  # of a number that is stored


class SameVectors:
    """Refuses vectors that are not like those of the items before; without items before the first one decides."""

    def __init__(self, before: Iterable[Any] = (), *, length: int = 0):
        vectors = list(before)
        self._length = usual_length(vectors) or length if vectors else None

    def check(self, vector: Any) -> None:
        """Refuse the vector of a further item, None where it has none, if it does not fit; what to do about it."""
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
                f"it has no vector, but the items before it have one of {self._length} numbers; make one with the same "
                f"model, in a column or field {VECTOR!r}"
            )
        if not self._length:
            raise CorollaryError(
                "it has a vector, but the items before it have none; leave the vectors out (pass ignore= with their "
                "column), or make a new campaign in which every item has one"
            )
        raise CorollaryError(
            f"its vector has {length} numbers, those of the items before it {self._length}; make it with the same model"
        )


def usual_length(vectors: Iterable[Any]) -> int:
    """How many numbers most vectors have, of equals the first; 0 where there are none."""
    lengths = Counter(
        len(vector) for vector in vectors if isinstance(vector, LISTS) and len(vector)
    )
    return max(lengths, key=lengths.__getitem__, default=0)


def matrix_of(vectors: Sequence[Any]) -> Floats | None:
    """A row for each vector; None where there is none to learn from.

    Campaigns may have items from before vectors were checked: where one is missing, or of another length, it is the
    mean of the others, a further column marks it, and a FeaturesWarning tells how many there are.
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
    """Whether this is a list of numbers to learn from."""
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
    """A vector as it is stored: numbers in single precision, the lowest byte first."""
    return np.asarray(vector, "<f4").tobytes()


def unpacked(data: bytes) -> npt.NDArray[np.float32]:
    """A vector that was stored."""
    return np.frombuffer(data, "<f4")
