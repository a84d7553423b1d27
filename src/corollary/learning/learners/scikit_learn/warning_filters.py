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
    """Put the filters of warnings back at the end, as they were when the first thread entered.

    Each thread that works on trees for scikit-learn empties the filters and then restores them. If
    several do so at once, one restores the filters that another has emptied. Then the filters of
    the whole program are gone, and scikit-learn warns with every further tree. Inside, warnings
    about few items are not shown.
    """
    with _lock:
        _kept.append(_kept[0] if _kept else warnings.filters)
        warnings.filters = [_FEW, *_kept[0]]
    try:
        yield
    finally:
        with _lock:
            warnings.filters = _kept.pop()
