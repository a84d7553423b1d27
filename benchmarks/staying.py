"""Suite `staying`: questions saved by going on with an item while it is worth it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

import corollary as co
from corollary.experiment.simulation import simulate
from corollary.learning.session.options import grouped
from corollary.logic.errors import CorollaryError

from . import Missing, tuning_runs

TARGETS = (0.95, 0.99, 0.999)
#: Splits that neither the comparison (0 to 2) nor the evidence (0 to 9) uses.
SEEDS = (101, 102)
WAYS: dict[str, Literal["item"] | None] = {"best question first": None, "stay on an item": "item"}
#: Data sets, and of how many items of each label all is known at the start; None: of the whole training part.
DATA = {"vowel": (3, None), "segment": (3, None), "pendigits": (3,), "hmc_imclef07d": (3,)}
#: The same of development data, on which a default may be chosen.
OWN = {"digits, one of ten": (3,), "digits in a tree": (3,)}


def questions(name: str, start: int | None) -> dict[str, Any]:
    """Questions to three AUCs of the test part, mean of two splits, with and without going on with an item."""
    how: dict[str, Any] = {"start": start, "per_round": "auto", "balanced": False, "distinct": True}
    figures: dict[str, Any] = {}
    for way, stay in WAYS.items():
        curves = [
            simulate(load(name, seed), random_state=seed, **grouped({"stay": stay, **how}))
            for seed in SEEDS
        ]
        for target in TARGETS:
            found = [curve.questions_to(target, kept=True) for curve in curves]
            figures[f"{way}, to {target}"] = float(np.mean(found))
    return figures


def load(name: str, seed: int) -> co.Dataset:
    """The data set with the split of a seed."""
    try:
        return tuning_runs.load(name, seed) if name in OWN else co.load_dataset(name, seed=seed)
    except CorollaryError as error:
        raise Missing(str(error)) from None


def _case(name: str, start: int | None) -> Callable[[], dict[str, Any]]:
    case = partial(questions, name, start)
    case.__doc__ = questions.__doc__
    return case


CASES = {
    f"{name}, {'full' if start is None else 'small'} start": _case(name, start)
    for name, starts in (DATA | OWN).items()
    for start in starts
}
