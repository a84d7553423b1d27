"""The accuracy of each witness, label by label, with honest intervals.

The intervals include errors of the estimated labels. An estimate is uncertain for two reasons. The
number of cells is limited; this error is small if there are many cells. And the probable labels may
be wrong everywhere. Then two halves of the witnesses, each used alone, give different labels. If
they err independently, they differ by about twice the error. This error does not shrink with more
items.
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
    """Compute all measures from the posterior and the probability that halves differ, both (N, K)."""
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
