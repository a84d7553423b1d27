"""The filters of warnings, kept while scikit-learn's threads put them aside and back."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_kept: list[Any] = []  # the filters, once for each of those who are inside
#: Few items of many labellings are no regression by mistake: they are how every labelling begins.
_FEW = (
    "ignore",
    re.compile("The number of unique classes is greater than 50%"),
    UserWarning,
    None,
    0,
)


@contextmanager
def filters_kept() -> Iterator[None]:
    """Put the filters of warnings back at the end, as they were when the first of those who are inside came.

    Each thread that works on trees for scikit-learn empties the filters and puts back what it found. Where several do
    so at once, one finds those that another has emptied, and puts these back: the filters of the whole program are
    gone, and scikit-learn tells of it with every further tree. Inside, that items are few is not told.
    """
    with _lock:
        _kept.append(_kept[0] if _kept else warnings.filters)
        warnings.filters = [_FEW, *_kept[0]]
    try:
        yield
    finally:
        with _lock:
            warnings.filters = _kept.pop()
