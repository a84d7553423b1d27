"""Embeddings made elsewhere, in the field "vector": all items of a campaign have one of the same length, or none."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..logic.errors import CorollaryError

if TYPE_CHECKING:
    from ..logic.engines import Floats

VECTOR = "vector"
LARGEST = 1e15  # learners square and add numbers, some of them in single precision


class SameVectors:
    """Refuses vectors that are not like those of the items before; without items before the first one decides."""

    def __init__(self, before: Iterable[Any] = ()):
        vectors = list(before)
        self._length = usual_length(vectors) if vectors else None

    def check(self, vector: Any) -> None:
        """Refuse the vector of a further item, None where it has none, if it does not fit; what to do about it."""
        if vector is not None and not _is_vector(vector):
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
    lengths = Counter(len(vector) for vector in vectors if isinstance(vector, list | tuple) and vector)
    return max(lengths, key=lengths.__getitem__, default=0)


def matrix_of(vectors: Sequence[Any]) -> Floats | None:
    """A row for each vector; None where there is none to learn from.

    Campaigns may have items from before vectors were checked: where one is missing, or of another length, it is the
    mean of the others, a further column marks it, and a FeaturesWarning tells how many there are.
    """
    from ..learning.features.columns import FeaturesWarning

    width = usual_length(vectors)
    X, there = np.zeros((len(vectors), width)), np.zeros(len(vectors), np.bool_)
    for i, vector in enumerate(vectors):
        if isinstance(vector, list | tuple) and len(vector) == width and _is_vector(vector):
            X[i], there[i] = vector, True
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


def _is_vector(vector: Any) -> bool:
    return isinstance(vector, list | tuple) and bool(vector) and all(_is_number(value) for value in vector)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST
