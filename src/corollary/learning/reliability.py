"""The reliability of each witness's yes and no, label by label, from reports and probable labels.

A report is a witness, a label (both by position), and a value: 1 for yes, 0 for no. How it is used:

    reliability = Reliability(n_witnesses, n_labels) reliability.update(witness, label, value,
    truth)       # arrays, one entry a report; truth is P(yes) of its cell
    reliability.log_ratio(witness, label, value)           # what each report adds to the log-odds
    of its cell

The two in turn, with the posterior in between (`evidence=` of an ontology), are expectation
maximisation. `update` counts anew each time. Counts may be few, so rates are shrunk. A witness's
rate for a label is shrunk towards the witness's rate over all labels, and everyone's rate for the
label. Both are shrunk towards everyone's rate over all labels, and this one towards `expected`. So
the first report of anyone has a sensible weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..logic.engines import Floats

Ints = npt.NDArray[np.integer]
#: How often a witness of whom nothing is known says the right thing.
EXPECTED = 0.85
#: Counts with which a rate leans on the one above it.
LEANING = 4.0


class Reliability:
    """Sensitivity and specificity of each witness for each label, from expected counts, with partial pooling."""

    def __init__(
        self,
        n_witnesses: int,
        n_labels: int,
        *,
        expected: float = EXPECTED,
        leaning: float = LEANING,
    ):
        self.shape = n_witnesses, n_labels
        self.expected = expected
        self.leaning = leaning
        #: How often the truth was no, or yes, and how often the witness said so then: 2 x witnesses x labels.
        self.counts = np.zeros((2, *self.shape))
        self.right = np.zeros((2, *self.shape))
        self._pool()

    def update(
        self,
        witness: Ints,
        label: Ints,
        value: npt.ArrayLike,
        truth: Floats,
        weight: Floats | float = 1.0,
    ) -> None:
        """Count all reports anew; `truth` is P(yes) of each one's cell, `weight` how much it counts."""
        cell = np.asarray(witness) * self.shape[1] + np.asarray(label)
        said = np.asarray(value, np.float64)
        chances = weight * (1.0 - truth), weight * np.asarray(truth)
        self.count(
            np.array([self._sum(cell, chance) for chance in chances]),
            np.array(
                [self._sum(cell, chances[0] * (1.0 - said)), self._sum(cell, chances[1] * said)]
            ),
        )

    def count(self, counts: Floats, right: Floats) -> None:
        """Take over expected counts, 2 x witnesses x labels: how often it was no or yes, and was said to be then."""
        self.counts = counts
        self.right = right
        self._pool()

    def log_ratio(self, witness: Ints, label: Ints, value: npt.ArrayLike) -> Floats:
        """Log P(said | yes) - log P(said | no) of each report."""
        no, yes = self.rates
        of_no = np.log1p(-yes) - np.log(no)
        of_yes = np.log(yes) - np.log1p(-no)
        pair = np.asarray(witness) * self.shape[1] + np.asarray(label)
        return np.asarray(
            np.where(np.asarray(value) > 0.5, of_yes.ravel()[pair], of_no.ravel()[pair])
        )

    @property
    def sensitivity(self) -> Floats:
        """P(says yes | yes), witnesses x labels."""
        return np.asarray(self.rates[1])

    @property
    def specificity(self) -> Floats:
        """P(says no | no), witnesses x labels."""
        return np.asarray(self.rates[0])

    def interval(self, level: float = 0.9) -> tuple[Floats, Floats]:
        """The lowest and highest that specificity (0) and sensitivity (1) may be, 2 x witnesses x labels each."""
        from scipy.special import betaincinv

        a = self.right + self.leaning * self.leans_on
        b = (self.counts - self.right) + self.leaning * (1 - self.leans_on)
        tail = (1 - level) / 2
        return betaincinv(a, b, tail), betaincinv(a, b, 1 - tail)

    def _sum(self, cell: Ints, weights: Floats) -> Floats:
        total = np.bincount(cell, weights, minlength=self.shape[0] * self.shape[1])
        return np.asarray(total.reshape(self.shape), np.float64)

    def _pool(self) -> None:
        """Rates from counts: everyone's, each witness's and each label's, then those of a witness for a label."""
        everyone = self._lean(
            self.right.sum((1, 2)), self.counts.sum((1, 2)), np.full(2, self.expected)
        )[:, None, None]
        of_witness = self._lean(
            self.right.sum(2, keepdims=True), self.counts.sum(2, keepdims=True), everyone
        )
        of_label = self._lean(
            self.right.sum(1, keepdims=True), self.counts.sum(1, keepdims=True), everyone
        )
        together = _logit(of_witness) + _logit(of_label) - _logit(everyone)
        #: What a rate would be without counts of its own.
        self.leans_on = 1.0 / (1.0 + np.exp(-together))
        self.rates = self._lean(self.right, self.counts, self.leans_on)

    def _lean(self, right: Floats, counts: Floats, on: Floats) -> Floats:
        return np.asarray((right + self.leaning * on) / (counts + self.leaning))


def _logit(p: Floats) -> Floats:
    return np.log(p) - np.log1p(-p)
