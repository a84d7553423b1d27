"""Suite `stopping`: label each data set of the paper until the forecast promises 99 % of the items; then the truth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from corollary.experiment.data.datasets import load_dataset
from corollary.experiment.methods import PAPER_ROUNDS
from corollary.experiment.stopping import label_until_sure
from corollary.logic.errors import CorollaryError

from . import Missing

TARGET = 0.99


def promise(name: str) -> dict[str, Any]:
    """Questions until the stop, what was promised, what is so, and how often the interval held along the run."""
    try:
        dataset = load_dataset(name)
    except CorollaryError as missing:
        raise Missing(str(missing)) from missing
    stopped = label_until_sure(dataset, target=TARGET)
    last = stopped.checks[-1]
    return {
        "questions at the stop": stopped.asked,
        "questions when it was first so": stopped.needed,
        "promised at least": last.low,
        "promised at most": last.high,
        "true accuracy": last.true,
        "held": float(stopped.held),
        "in the interval, share of the rounds": stopped.coverage,
        "rounds": len(stopped.checks),
        "targets": {"held": ("at least", 1)},
    }


def _case(name: str) -> Callable[[], dict[str, Any]]:
    case = partial(promise, name)
    case.__doc__ = f"{name}: {promise.__doc__}"  # type: ignore[misc]
    return case


CASES = {name: _case(name) for name in PAPER_ROUNDS}
