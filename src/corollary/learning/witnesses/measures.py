"""How right each witness is, label by label, with intervals that own up to what nobody can know without the truth.

Two things make an estimate uncertain. It comes from so many cells and no more: that is little where there are many.
And what is probably true may be wrong, all over: two halves of the witnesses, each heard alone, differ where that is
so, and if they err apart, by about twice what each is off. That does not shrink with the number of items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...logic.engines import Floats
from ..reliability import Reliability
from .parts import Parts

LEVEL = 0.9
#: Standard deviations to each side that hold LEVEL of a normal distribution.
REACH = 1.6449
Measured = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Measures:
    """Estimate, lowest and highest of each, witnesses x labels; nan where a witness said nothing."""

    accuracy: Measured
    sensitivity: Measured
    specificity: Measured


def measure(parts: Parts, posterior: Floats, differ: Floats) -> Measures:
    """All of it from what is probably true and from how probably halves of the witnesses differ, both (N, K)."""
    trust = Reliability(len(parts.weight), posterior.shape[1])
    counts, right = parts.counts(posterior)
    trust.count(counts, right)
    total = counts.sum(0)
    with np.errstate(invalid="ignore"):
        accuracy = right.sum(0) / total
    spoke = total > 0
    return Measures(
        _measured(accuracy, total, _off(differ, np.ones_like(posterior)), spoke),
        _measured(trust.sensitivity, counts[1], _off(differ, posterior), spoke),
        _measured(trust.specificity, counts[0], _off(differ, 1.0 - posterior), spoke),
    )


def _off(differ: Floats, weight: Floats) -> Floats:
    """By how much rates of each label may be off, if halves differ so; a label leans on all labels."""
    own = (differ * weight).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-9)
    every = (differ * weight).sum() / max(weight.sum(), 1e-9)
    return np.asarray((own + every) / 4)


def _measured(rate: Floats, counts: Floats, off: Floats, spoke: np.ndarray) -> Measured:
    spread = np.sqrt(rate * (1.0 - rate) / (counts + 1.0) + off**2)
    low = (rate - REACH * spread).clip(0.0, 1.0)
    high = (rate + REACH * spread).clip(0.0, 1.0)
    return (
        np.where(spoke, rate, np.nan),
        np.where(spoke, low, np.nan),
        np.where(spoke, high, np.nan),
    )
