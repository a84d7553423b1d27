"""Suite `diverse`: rounds of 150 questions, with items like those already asked about waiting, and without."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import corollary as co
from corollary.experiment.simulation import Curve, simulate
from corollary.learning.session.options import Asking

TARGET = 0.999
PER_ROUND = 150
SEEDS = 3
ONTOLOGIES = {
    "digits, one of ten": "exclusive: " + ", ".join(f"d{d}" for d in range(10)),
    "digits in a tree": "curved > exclusive: round, bent\nround > exclusive: d0, d6, d8, d9\n"
    "bent > exclusive: d2, d3, d5\nstraight > exclusive: d1, d4, d7\nexclusive: curved, straight",
}


def spread(text: str, learner: str) -> dict[str, Any]:
    """From 3 known items a label to test AUC 0.999: questions, and the mean AUC on the way, over three seeds."""
    plain, diverse = (run_all(text, learner, diverse=diverse) for diverse in (False, True))
    until = [curve.questions_to(TARGET) or int(curve.asked[-1]) for curve in plain]
    figures: dict[str, Any] = {}
    for name, curves in (("plain", plain), ("diverse", diverse)):
        figures[f"{name}, questions"] = float(
            np.mean([curve.questions_to(TARGET) for curve in curves])
        )
        means = [_mean_auc(curve, upto) for curve, upto in zip(curves, until, strict=True)]
        figures[f"{name}, mean test AUC on the way"] = float(np.mean(means))
    return figures


def run_all(text: str, learner: str, *, diverse: bool) -> list[Curve]:
    return [
        simulate(
            digits(text),
            learner=learner,
            per_round=PER_ROUND,
            start=3,
            balanced=False,
            random_state=seed,
            asking=Asking(diverse=diverse, stay=None),
        )
        for seed in range(SEEDS)
    ]


def digits(text: str) -> co.Dataset:
    """Scikit-learn's digits under an ontology, a third for training."""
    onto, data = co.Ontology.parse(text), load_digits()
    facts = np.full((len(data.target), len(onto)), -1, np.int8)
    facts[np.arange(len(facts)), [onto.index[f"d{d}"] for d in data.target]] = 1
    truth = (onto.propagate(facts) == 1).astype(np.int8)
    return co.Dataset(data.data, truth, onto, train=np.arange(len(facts)) % 3 == 0, name="digits")


def _mean_auc(curve: Curve, upto: int) -> float:
    return float(np.interp(np.linspace(0, upto, 200), curve.asked, curve.auc_test).mean())


def _case(text: str, learner: str) -> Callable[[], dict[str, Any]]:
    case = partial(spread, text, learner)
    case.__doc__ = f"{learner}: {spread.__doc__}"  # type: ignore[misc]
    return case


CASES = {
    f"{name}, {learner}": _case(text, learner)
    for name, text in ONTOLOGIES.items()
    for learner in ("crf", "auto")
}
