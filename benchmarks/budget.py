"""Suite `budget`: whether the default learner keeps the time it states, at four sizes, and what it learns in it.

All of it is one fit, from nothing: the members, the weights, the beliefs of all items. On a quiet machine.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import corollary as co
from corollary.learning.learners.pool import Pool
from corollary.learning.meaning.reader import read_items
from corollary.logic.errors import CorollaryError

from . import Missing, timed
from .logic import compiled, nell, warm_up

#: The budget may be exceeded so many times.
AT_MOST = 1.5


def fitted(onto: co.Ontology, X: Any, truth: Any, facts: Any, unseen: Any) -> dict[str, Any]:
    """Seconds, of the clock and of the processor, and how well the cells of items not seen are predicted."""
    warm_up()
    learner = Pool(onto)
    began = os.times()
    beliefs, seconds = timed(lambda: learner.fit(X, facts).predict_proba(X))
    ended = os.times()
    posterior = np.clip(onto.posterior(beliefs[unseen]), 1e-12, 1 - 1e-12)
    told = np.where(truth[unseen] == 1, posterior, 1 - posterior)
    return {
        "items, labels": f"{len(beliefs):,} x {len(onto)}",
        "seconds": round(seconds, 1),
        "seconds of all cores together": round(
            ended.user + ended.system - began.user - began.system, 1
        ),
        "times the budget": round(seconds / learner.seconds, 2),
        "members": ", ".join(name for name, weight in learner.weights_.items() if weight),
        "left out": "; ".join(f"{name}: {why}" for name, why in learner.left_out_.items())
        or "none",
        "log loss of a cell not seen": round(float(-np.log(told).mean()), 5),
        "targets": {"times the budget": ("at most", AT_MOST)},
    }


def loaded(name: str) -> co.Dataset:
    try:
        return co.load_dataset(name)
    except CorollaryError as error:
        raise Missing(str(error)) from None


def cellcycle() -> dict[str, Any]:
    """hmc_cellcycle_fun: its training part known, 499 labels of a tree."""
    data = loaded("hmc_cellcycle_fun")
    return fitted(
        data.onto, data.X, data.Y, np.where(data.train[:, None], data.Y, np.int8(-1)), data.test
    )


def letter() -> dict[str, Any]:
    """letter: its training part of 15,000 items known, 26 classes."""
    data = loaded("letter")
    return fitted(
        data.onto, data.X, data.Y, np.where(data.train[:, None], data.Y, np.int8(-1)), data.test
    )


def clinc() -> dict[str, Any]:
    """clinc150: 22,500 texts that are read, 160 labels, 2,400 items known."""
    data = loaded("clinc150")
    rows = np.random.default_rng(0).permutation(len(data))[:22_500]
    facts = np.full((len(rows), len(data.onto)), -1, np.int8)
    facts[:2_400] = data.Y[rows[:2_400]]
    return fitted(
        data.onto,
        read_items(data.onto, list(data.X[rows])),
        data.Y[rows],
        facts,
        slice(2_400, None),
    )


def nell_items() -> dict[str, Any]:
    """NELL's 271 labels, 200,000 made-up items of 64 features, 3,000 of them known."""
    onto = compiled(*nell())
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(200_000, 64)), 0.3 * rng.normal(size=(64, len(onto)))
    truth = np.vstack(
        [onto.most_probable(1 / (1 + np.exp(-part @ weights))) for part in np.array_split(X, 20)]
    )
    facts = np.full(truth.shape, -1, np.int8)
    facts[:3_000] = truth[:3_000]
    return fitted(onto, X, truth, facts, slice(3_000, 23_000))


CASES = {
    "2,500 x 499": cellcycle,
    "22,500 x 160": clinc,
    "200,000 x 272": nell_items,
    "15,000 x 26": letter,
}
