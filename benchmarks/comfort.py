"""Suite `comfort`: what orders that are easier for people, and questions for whole items, cost in questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from corollary.experiment.data.datasets import load_dataset
from corollary.experiment.simulation import simulate
from corollary.learning.session.options import grouped
from corollary.logic.errors import CorollaryError

from . import Missing

TARGET = 0.999
SEEDS = 3
DATA = ("segment", "vowel")
WAYS: dict[str, Mapping[str, Any]] = {
    "best question first": {"stay": None},
    "stay on a label": {"stay": "label"},
    "stay on an item": {"stay": "item"},
    "whole items at 2 questions": {"item_cost": 2.0, "stay": None},
    "whole items at 4 questions": {"item_cost": 4.0, "stay": None},
}


def price(name: str) -> dict[str, Any]:
    """Cost to test AUC 0.999 in yes/no questions, mean of three seeds, and in times of the best question first."""
    figures: dict[str, Any] = {}
    for way, options in WAYS.items():
        figures[f"{way}, cost"] = float(
            np.mean([cost(name, seed, options) for seed in range(SEEDS)])
        )
    plain = figures["best question first, cost"]
    for way in list(WAYS)[1:]:
        figures[f"{way}, times"] = figures[f"{way}, cost"] / plain
    return figures


def cost(name: str, seed: int, options: Mapping[str, Any]) -> float:
    try:
        dataset = load_dataset(name, seed=seed or None)
    except CorollaryError as missing:
        raise Missing(str(missing)) from missing
    curve = simulate(
        dataset,
        per_round="auto",
        balanced=False,
        until=TARGET,
        random_state=seed,
        **grouped(options),
    )
    reached = curve.cost_to(TARGET)
    assert reached is not None, "a run ends when all is known"
    return reached


def _case(name: str) -> Callable[[], dict[str, Any]]:
    case = partial(price, name)
    case.__doc__ = f"{name}: {price.__doc__}"  # type: ignore[misc]
    return case


CASES = {name: _case(name) for name in DATA}
