"""What a session is given, checked: errors say which argument cannot be, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..logic.engines import Facts
from ..logic.errors import CorollaryError

Beliefs = npt.ArrayLike | Callable[[Facts], npt.ArrayLike]


def check_options(*, refresh: object, stay: object, by_chance: float) -> None:
    """An error that says which option cannot be."""
    if refresh not in ("always", "never"):
        raise CorollaryError(f"refresh must be 'always' or 'never', got {refresh!r}")
    if stay not in (None, "label", "item"):
        raise CorollaryError(f"stay must be 'label', 'item' or None, got {stay!r}")
    if not 0.0 <= by_chance <= 1.0:
        raise CorollaryError(f"by_chance is a share from 0 to 1, got {by_chance!r}")


def count_items(X: Any, beliefs: Beliefs | None, facts: npt.ArrayLike | None) -> int:
    """How many items there are; an error where what is given does not agree, or does not tell."""
    if X is None and beliefs is None:
        raise CorollaryError("a session needs items to learn from (X), or ready-made beliefs")
    sizes = {"X": _length(X), "beliefs": None if callable(beliefs) else _length(beliefs), "facts": _length(facts)}
    given = {name: size for name, size in sizes.items() if size is not None}
    if not given:
        raise CorollaryError("beliefs from a function need X or facts, to tell how many items there are")
    if len(set(given.values())) > 1:
        told = ", ".join(f"{name} has {size:,}" for name, size in given.items())
        raise CorollaryError(f"all must have one row an item, but {told}")
    return next(iter(given.values()))


def check_untaught(untaught: npt.NDArray[np.bool_] | None, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Cells that the learner is not to see, none unless given."""
    if untaught is None:
        return np.zeros(shape, np.bool_)
    if np.shape(untaught) != shape:
        raise CorollaryError(f"untaught must have the shape {shape}, got {np.shape(untaught)}")
    return np.asarray(untaught, np.bool_)


def _length(array: Any) -> int | None:
    if array is None:
        return None
    return int(array.shape[0]) if hasattr(array, "shape") else len(array)
