"""What arguments must be: each check gives back the value, or an error that names the argument and says what it is."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..logic.errors import CorollaryError, NotExpressedWarning
from ..logic.ontology import Ontology

LARGEST_WHOLE = 2**62


def check_onto(onto: Any, *, pairs: bool = False) -> Ontology:
    """An ontology; with relations a warning, if only labels of items are asked about and no `pairs`."""
    if not isinstance(onto, Ontology):
        raise CorollaryError(
            f"the ontology must be an Ontology, as Ontology.parse makes one, got {shown(onto)}"
        )
    if onto.relations and not pairs:
        warnings.warn(
            f"relations ({len(onto.relations):,}) are left out: only labels of items are asked about. "
            "Session(onto, X, pairs=co.Pairs(head, tail)) asks about pairs, too",
            NotExpressedWarning,
            stacklevel=3,
        )
    return onto


def check_choice(name: str, value: Any, choices: Sequence[str | None]) -> None:
    """One of some words."""
    if not isinstance(value, str | None) or value not in choices:
        *some, last = (repr(choice) for choice in choices)
        raise CorollaryError(f"{name} must be {', '.join(some)} or {last}, got {shown(value)}")


def check_flag(name: str, value: Any) -> bool:
    """True or False."""
    if not is_flag(value):
        raise CorollaryError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def is_flag(value: Any) -> bool:
    """Whether a value is True or False; 1 and 0 are."""
    return isinstance(value, bool | np.bool_ | Real) and value in (0, 1)


def check_whole(name: str, value: Any, *, least: int = 0) -> int:
    """A whole number from `least` on."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= LARGEST_WHOLE:
        raise CorollaryError(f"{name} must be a whole number from {least}, got {shown(value)}")
    return int(value)


def check_number(name: str, value: Any) -> None:
    """A number from 0 on."""
    if not is_number(value) or value < 0:
        raise CorollaryError(f"{name} must be a number from 0, got {shown(value)}")


def check_device(device: Any) -> None:
    """The name of a device; whether it is there PyTorch knows."""
    if not isinstance(device, str):
        raise CorollaryError(
            f"device must be the name of one, such as 'cpu' or 'cuda'; got {shown(device)}"
        )


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # a whole number of some hundred digits
        return False


def array_of(name: str, value: Any) -> npt.NDArray[Any]:
    """Whatever is like an array as an array."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorollaryError(
            f"{name} must be like an array, every row of one length: {error}"
        ) from None


def list_of(name: str, values: Any) -> list[Any]:
    """The values of a list, a set or the like; a text or a dict is none."""
    try:
        found = None if isinstance(values, str | bytes | Mapping) else list(values)
    except TypeError:
        found = None
    if found is None:
        raise CorollaryError(f"{name} must be a list, got {shown(values)}")
    return found


def random_of(random_state: Any) -> Any:
    """The source of randomness that a learner's `random_state` stands for."""
    from sklearn.utils import check_random_state  # slow to import

    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**32))
    try:
        return check_random_state(random_state)
    except (TypeError, ValueError):
        raise CorollaryError(
            f"random_state must be a whole number from 0, None, a Generator or a RandomState, got {shown(random_state)}"
        ) from None


def seed_of(random_state: Any) -> int:
    """Return `random_state` as a whole number, or a number drawn from it, so that a log can repeat the run."""
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if whole:
        return check_whole("random_state", random_state)
    if random_state is None:  # not numpy's global one, which would make runs depend on one another
        random_state = np.random.default_rng()
    return int(random_of(random_state).randint(2**31))


def shown(value: Any) -> str:
    """Return a value as messages show it, shortened if it is long."""
    try:
        text = repr(value)
    except (
        Exception
    ):  # a number of more digits than Python writes, or an object that cannot say what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."
