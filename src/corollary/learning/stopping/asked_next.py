"""The question that an item is asked next where a forecast plays it through: about one label, or the whole item."""

from __future__ import annotations

import numpy as np

from ...logic.compiled.posterior import binary_entropy
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from .calibration import Ints


def asked_next(
    onto: Ontology, beliefs: Floats, posterior: Floats, known: Facts, cost: Floats | None
) -> tuple[Ints, Floats]:
    """The best question of each item, K for the whole item, and its worth: entropy for its cost, as sessions choose.

    `cost` (K+1,) is infinite where nothing is asked of that kind; None: yes or no about labels that cost the same.
    """
    n, k = known.shape
    worth = np.column_stack([binary_entropy(posterior), np.zeros(n)])
    if may_pick(cost):
        worth[:, k] = onto.infer(beliefs, known).joint_entropy
    if cost is not None:
        worth /= cost
    worth[:, :k][known >= 0] = -np.inf
    worth[:, [k] if cost is None else np.isinf(cost)] = -np.inf
    best = worth.argmax(axis=1)
    return best, worth[np.arange(n), best]


def may_pick(cost: Floats | None) -> bool:
    """Whether items can be asked about as a whole."""
    return cost is not None and bool(np.isfinite(cost[-1]))
