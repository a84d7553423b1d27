"""Suite `seconds`: a person's time by yes/no alone, by whole items alone, and by whichever tells more for its time.

How long an answer takes is assumed, not measured: 2 seconds for yes or no, and three prices of a whole item.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from corollary.experiment.data.datasets import Dataset, load_dataset
from corollary.experiment.simulation import Curve, simulate
from corollary.learning.choosing.picks import Pick
from corollary.learning.session.options import Asking
from corollary.logic.errors import CorollaryError

from . import Missing
from .diverse import ONTOLOGIES, digits

TARGETS = (0.99, 0.999)
SEEDS = 3
#: Known items of each label at the start.
START = 3
YES_NO, WHOLE = 2.0, (3.0, 6.0, 12.0)
#: Data sets and their learners: the default one where it reads texts, else a cheap one.
DATA = {
    "segment": "crf",
    "vowel": "crf",
    "digits in a tree": "crf",
    "hmc_imclef07d": "crf",
    "things": "auto",
}


def seconds(name: str) -> dict[str, Any]:
    """A person's seconds to two AUCs of the test part, seed by seed, by how long a whole item takes."""
    data = [loaded(name, seed) for seed in range(SEEDS)]
    figures: dict[str, Any] = {}

    def tell(way: str, curves: list[Curve], unit: float) -> None:
        for target in TARGETS:
            costs = [curve.cost_to(target) for curve in curves]
            assert None not in costs, "a run ends when all is known"
            figures[f"{way}, to {target}"] = [round(unit * cost, 1) for cost in costs]

    tell("yes/no only", runs(name, data, pick="never"), YES_NO)
    only = runs(
        name, data, pick="always", item_cost=1.0
    )  # the same questions, whatever each of them costs
    for whole in WHOLE:
        tell(f"whole items only, {whole:g} s each", only, whole)
        either = runs(name, data, pick="auto", item_cost=whole / YES_NO)
        tell(f"either, whole items {whole:g} s each", either, YES_NO)
    return figures


def runs(
    name: str, data: list[Dataset], *, pick: Pick, item_cost: float | None = None
) -> list[Curve]:
    return [
        simulate(
            dataset,
            learner=DATA[name],
            per_round="auto",
            start=START,
            balanced=False,
            distinct=True,
            asking=Asking(pick=pick, item_cost=item_cost),
            random_state=seed,
        )
        for seed, dataset in enumerate(data)
    ]


def loaded(name: str, seed: int) -> Dataset:
    """The data set, of seed 0 in its official split where it has one."""
    if name in ONTOLOGIES:
        return digits(ONTOLOGIES[name])
    try:
        return load_dataset(name, seed=seed or None)
    except CorollaryError as error:
        raise Missing(str(error)) from None


def _case(name: str) -> Callable[[], dict[str, Any]]:
    case = partial(seconds, name)
    case.__doc__ = seconds.__doc__
    return case


CASES = {name: _case(name) for name in DATA}
