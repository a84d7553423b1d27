"""How common labels are: log-odds of each label such that the legal worlds have it as often as it seems to hold."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Floats
from ...logic.ontology import Ontology
from .reports import Flags

#: A rare label that is often mistaken looks like a common one that is often missed. The weight of
#: the first look at the reports, beside later results, keeps the two apart; it is larger for labels
#: of choices.
FIRST_LOOK = 1.0
FIRST_LOOK_AT_CHOICES = 4.0
STEPS = 60
CLOSE_ENOUGH = 1e-4
FURTHEST = 15.0


class Prevalence:
    """Log-odds of each label, the same for all items.

    Labels without reports (`reported`) stay even.
    """

    def __init__(self, onto: Ontology, first_look: Floats, reported: Flags, of_choices: Flags):
        self.onto = onto
        self.reported = reported
        self.usual = first_look.mean(axis=0)
        self.leaning = np.where(of_choices, FIRST_LOOK_AT_CHOICES, FIRST_LOOK)
        self.odds = np.zeros(len(onto))
        self._fit(self.usual)

    def update(self, posterior: Floats) -> None:
        """Take over how common labels probably are, leaning on the first look."""
        self._fit((posterior.mean(axis=0) + self.leaning * self.usual) / (1.0 + self.leaning))

    def _fit(self, wanted: Floats) -> None:
        """Raise `odds · wanted - log Z(odds)`, which is concave and largest where labels are as common as wanted."""
        wanted = wanted.clip(1e-4, 1 - 1e-4)
        length = 1.0
        (found, height) = self._at(self.odds, wanted)
        for _ in range(STEPS):
            if np.abs((wanted - found)[self.reported]).max(initial=0.0) < CLOSE_ENOUGH:
                break
            way = np.where(self.reported, _logit(wanted) - _logit(found.clip(1e-6, 1 - 1e-6)), 0.0)
            odds = (self.odds + length * way).clip(-FURTHEST, FURTHEST)
            there, higher = self._at(odds, wanted)
            if higher >= height:
                self.odds = odds
                found = there
                height = higher
                length = min(1.0, 1.5 * length)
            else:
                length /= 2.0

    def _at(self, odds: Floats, wanted: Floats) -> tuple[Floats, float]:
        (found,), (log_z,) = self.onto.marginals(odds[None])
        return found, float(odds @ wanted - log_z)


def _logit(p: Floats) -> Floats:
    return np.log(p) - np.log1p(-p)
