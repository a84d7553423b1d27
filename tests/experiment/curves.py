"""Made-up curves that get to their targets after so many questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corollary.experiment.methods import PAPER
from corollary.experiment.simulation import Curve

OURS = "posterior (auto)"


def curve(asked: Sequence[int], auc: Sequence[float]) -> Curve:
    steps, heights = np.array(asked, np.int64), np.array(auc, np.float64)
    return Curve(steps, steps.astype(np.float64), steps, heights, heights, 0.0, 0.0, 0.0, {})


def run(asked: list[int], auc: list[float], **settings: Any) -> Curve:
    record = curve(asked, auc).to_json() | {
        "settings": {"dataset": "d", "learner": "logistic", **settings}
    }
    return Curve.from_json(record)


def runs_to(*questions: int, target: float = 0.999) -> dict[int, Curve]:
    """A run for each seed that is at 0.5 before and at the target after so many questions."""
    return {
        seed: curve([0, n], [0.5, target]) if n else curve([0], [target])
        for seed, n in enumerate(questions)
    }


def seven(questions: int) -> dict[str, dict[int, Curve]]:
    """The paper's methods, of which LOG-CP is the best."""
    return {
        name: runs_to(*[questions if name == "LOG-CP" else 2 * questions] * 3) for name in PAPER
    }
