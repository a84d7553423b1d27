"""Suite `staying`: questions saved by going on with an item while it is worth it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

import corollary as co
from corollary.experiment.simulation import simulate
from corollary.logic.errors import CorollaryError

from . import Missing

TARGETS = (0.95, 0.99, 0.999)
#: Splits that the comparison does not use.
SEEDS = (3, 4)
WAYS: dict[str, Literal["item"] | None] = {"best question first": None, "stay on an item": "item"}
#: Data sets, and of how many items of each label all is known at the start; None: of the whole training part.
DATA = {"vowel": (3, None), "segment": (3, None), "pendigits": (3,), "hmc_imclef07d": (3,)}


def questions(name: str, start: int | None) -> dict[str, Any]:
    """Questions to three AUCs of the test part, mean of two splits, with and without going on with an item."""
    try:
        data = co.load_dataset(name)
    except CorollaryError as error:
        raise Missing(str(error)) from None
    how: dict[str, Any] = {"start": start, "per_round": "auto", "balanced": False, "distinct": True}
    figures: dict[str, Any] = {}
    for way, stay in WAYS.items():
        curves = [simulate(data, stay=stay, random_state=seed, **how) for seed in SEEDS]
        for target in TARGETS:
            found = [curve.questions_to(target, kept=True) for curve in curves]
            figures[f"{way}, to {target}"] = float(np.mean(found))
    return figures


def _case(name: str, start: int | None) -> Callable[[], dict[str, Any]]:
    case = partial(questions, name, start)
    case.__doc__ = questions.__doc__
    return case


CASES = {
    f"{name}, {'full' if start is None else 'small'} start": _case(name, start)
    for name, starts in DATA.items()
    for start in starts
}
