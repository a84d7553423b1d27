"""Suite `neighbours`: when picks may be asked, and whether items in dense regions come first, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from corollary.experiment.simulation import simulate
from corollary.learning.choosing import best_questions
from corollary.learning.choosing.best_questions import CROWD, CROWD_EACH
from corollary.learning.session.options import Asking

from . import tuning_runs

TARGETS = (0.9, 0.99, 0.999)
PER_ROUND = 25
SEEDS = (1, 2, 3)
#: Items to label: as many as there are, for with few none is like many others.
ITEMS = 1000
#: The power by which items count as they are like others, and how many items for each label it takes to fade.
WAYS = {"never": (0.0, 1.0), "always": (CROWD, float("inf")), "at first": (CROWD, CROWD_EACH)}
DATA = ("digits, one of ten", "digits in a tree")


def cost(data: str, learner: str) -> dict[str, Any]:
    """Cost in yes/no questions to three AUCs, 3 known items a label, `pick="auto"` in diverse rounds; three seeds."""
    figures: dict[str, Any] = {}
    for way, (crowd, each) in WAYS.items():
        with patch.multiple(best_questions, CROWD=crowd, CROWD_EACH=each):
            curves = [
                simulate(
                    tuning_runs.load(data, seed, ITEMS),
                    learner=learner,
                    per_round=PER_ROUND,
                    start=3,
                    until=TARGETS[-1],
                    balanced=False,
                    asking=Asking(pick="auto", diverse=True),
                    random_state=seed,
                )
                for seed in SEEDS
            ]
        for target in TARGETS:
            figures[f"{way}, to {target}"] = round(
                float(np.mean([curve.cost_to(target) for curve in curves])), 1
            )
    return figures


def _case(data: str, learner: str) -> Callable[[], dict[str, Any]]:
    case = partial(cost, data, learner)
    case.__doc__ = f"{learner}: {cost.__doc__}"  # type: ignore[misc]
    return case


CASES = {f"{data}, {learner}": _case(data, learner) for data in DATA for learner in ("crf", "auto")}
