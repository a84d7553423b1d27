"""What items drawn by chance tell: how many times as many are wrong as expected, and how many that looked sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaln, logsumexp

from ...logic.engines import Floats
from .calibration import Flags, Learnt, classes

#: What learners are like before any draw. How many times as many items are wrong as expected, as Gammas (their shares,
#: shapes and rates): most learners are about right once answers corrected them (1, give or take 0.3), one in ten is
#: wrong several times as often.
SHARES, SHAPES, RATES = np.array([0.9, 0.1]), np.array([10.0, 2.0]), np.array([10.0, 0.5])
#: Or, in one of ten, beliefs are about right but for a blind spot: so large a share is wrong, however sure they are.
IS_BLIND, BLIND = 0.1, np.geomspace(0.005, 0.5, 30)
#: The factor that holds at any time is found to this share of itself; from the other on it is as good as none.
EXACT, NONE = 1e-6, 1e12


class Draws(NamedTuple):
    """Items drawn by chance: how probable it was that what was answered of each is `wrong`, and whether it was.

    What is so of them is so of all that are open. Given the factor f, what came is about as probable as
    f^(number wrong) exp(-f expected).
    """

    chance: Floats = np.empty(0)
    wrong: Flags = np.empty(0, np.bool_)

    def explained(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """So many factors, and shares of a blind spot, drawn from what is probable after these draws."""
        wrong, expected, by_factor = self._summed()
        by_blindness = np.log(IS_BLIND / len(BLIND)) + self._seen() - expected
        log_p = np.concatenate([np.log1p(-IS_BLIND) + by_factor, by_blindness])
        kind = rng.choice(len(log_p), n, p=np.exp(log_p - logsumexp(log_p)))
        blind = np.concatenate([np.zeros(len(SHARES)), BLIND])[kind]
        part, told = np.where(blind > 0.0, 0, kind), blind == 0.0
        return rng.gamma(SHAPES[part] + wrong * told) / (RATES[part] + expected * told), blind

    def _seen(self) -> Floats:
        """By how much each blind spot makes what came more probable, as a logarithm."""
        right, odds = np.count_nonzero(~self.wrong), 1.0 / np.maximum(self.chance[self.wrong, None], 1e-300) - 1.0
        return np.asarray(np.log1p(BLIND * odds).sum(axis=0) + right * np.log1p(-BLIND))

    def at_most(self, error: float) -> float:
        """The factor that is not exceeded, with probability 1 - error, at any time however often one looks."""
        wrong, expected, _ = self._summed()
        low = high = max(1.0, wrong / max(expected, 1.0 / NONE))
        while high < NONE and not self.refute(high, error):
            low, high = high, 2.0 * high
        while high - low > EXACT * high:
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.refute(middle, error) else (middle, high)
        return high

    def refute(self, factor: float, error: float) -> bool:
        """Whether these draws speak against a factor as large as this, or larger.

        Where draw by draw the chance of a wrong item is at least f times what is expected, the probability of what came
        by smaller factors, mixed as before any draw, over that by f, is a supermartingale (1 + x <= exp x): it ever
        gets to 1 / error with at most that probability (Ville). So a factor is refuted where it does.
        """
        wrong, expected, evidence = self._summed()
        mixed = logsumexp(evidence, b=gammainc(SHAPES + wrong, (RATES + expected) * factor))
        return bool(mixed - wrong * np.log(factor) + expected * factor >= -np.log(error))

    def _summed(self) -> tuple[int, float, Floats]:
        """How many are wrong, how many were expected, and the log of each Gamma's share times how probable that is."""
        wrong, expected = int(self.wrong.sum()), float(self.chance.sum())
        shape, rate = SHAPES + wrong, RATES + expected
        before, after = SHAPES * np.log(RATES) - gammaln(SHAPES), shape * np.log(rate) - gammaln(shape)
        return wrong, expected, np.asarray(np.log(SHARES) + before - after)


def draws(record: Sequence[Learnt], p: Floats) -> Draws:
    """The items of a record that were drawn by chance; `p` is from `sharpness`. Chosen items say nothing of the rest.

    All count alike, old and new: there are few.
    """
    found = [Draws()]
    for part in record:
        chance = (part.chance[part.drawn] * p[classes(part.risk[part.drawn])]).sum(axis=1)
        found.append(Draws(chance, part.surprised[part.drawn]))
    return Draws(np.concatenate([one.chance for one in found]), np.concatenate([one.wrong for one in found]))
