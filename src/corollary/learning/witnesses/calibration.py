"""What a machine's probabilities are worth: log-likelihood ratios from them, by a slope and a bias each.

The log-odds s of what witness w says of label k scatter around one middle where the label does not hold and around a
higher one where it does, equally far: s ~ N(middle[w, k] + step[w, k] y, spread[w]²). Then what a report adds to the
log-odds of its cell is linear in s: slope s + bias, with slope = step / spread² and bias = -slope (middle + step / 2).
A step is never negative, and leans on the witness's own over all labels.
"""

from __future__ import annotations

import numpy as np

from ...logic.engines import Floats
from .reports import Ints, Reports

#: Probabilities are moved this far inside; values nearer to 0 or 1 count no more.
CLIP = 0.03
#: Counts with which a step leans on that of the witness over all labels.
LEANING = 4.0


class Calibration:
    """Slopes and biases of witnesses that speak in probabilities; `update` and `log_ratio` in turn make EM."""

    def __init__(self, reports: Reports, n_labels: int):
        p = reports.value.clip(CLIP, 1 - CLIP)
        self.odds = np.log(p) - np.log1p(-p)
        self.witness = reports.witness
        self.shape = len(reports.witnesses), n_labels
        self.pair: Ints = reports.witness * n_labels + reports.label
        self.slope = np.zeros(self.shape)
        self.bias = np.zeros(self.shape)

    def log_ratio(self) -> Floats:
        """What each report adds to the log-odds of its cell."""
        return np.asarray(self.slope.ravel()[self.pair] * self.odds + self.bias.ravel()[self.pair])

    def update(self, truth: Floats) -> None:
        """Fit all anew; `truth` is P(yes) of the cell of each report."""
        yes = self._sum(truth)
        no = self._sum(1.0 - truth)
        high = self._sum(truth * self.odds) / np.maximum(yes, 1e-9)
        low = self._sum((1.0 - truth) * self.odds) / np.maximum(no, 1e-9)
        counts = (
            yes * no / np.maximum(yes + no, 1e-9)
        )  # as precise as the difference of two means is
        common = (counts * (high - low)).sum(1, keepdims=True) / np.maximum(
            counts.sum(1, keepdims=True), 1e-9
        )
        step = (counts * (high - low) + LEANING * common) / (counts + LEANING)
        middle = (yes * (high - step) + no * low) / np.maximum(yes + no, 1e-9)
        self.surprise = self.odds - middle.ravel()[self.pair] - truth * step.ravel()[self.pair]
        of_both = (
            truth * (1.0 - truth) * step.ravel()[self.pair] ** 2
        )  # the spread that comes from not knowing which
        n = np.bincount(self.witness, minlength=self.shape[0]) + 1.0
        spread = (
            np.bincount(self.witness, self.surprise**2 + of_both, minlength=self.shape[0]) + 1.0
        ) / n
        step = np.maximum(step, 0.0)
        self.slope = step / spread[:, None]
        self.bias = -self.slope * (middle + step / 2)

    def _sum(self, weights: Floats) -> Floats:
        total = np.bincount(self.pair, weights, minlength=self.shape[0] * self.shape[1])
        return np.asarray(total.reshape(self.shape), np.float64)
