"""Items drawn at random.

The ratio of wrong to expected ones, and the share of sure but wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, gammaln, logsumexp

from ...logic.engines import Floats
from .calibration import Flags, Learnt, classes

#: What learners are like before any draw. How many times as many items are wrong as expected, as Gammas (their shares,
#: shapes and rates): most learners are about right once answers corrected them (1, give or take 0.3), one in ten is
#: wrong several times as often.
SHARES = np.array([0.9, 0.1])
SHAPES = np.array([10.0, 2.0])
RATES = np.array([10.0, 0.5])
#: Or, in one of ten, beliefs are about right but for a blind spot: so large a share is wrong, however sure they are.
IS_BLIND = 0.1
BLIND = np.geomspace(0.005, 0.5, 30)
#: The number of factors tried, up to one that makes the rest negligible or all items wrong. The
#: error is found to about a tenth of itself.
TRIED = 64
MOST = 1e12
#: Of the error that a promise may have a blind spot has so much at the most: else, being rare, it would need no draws.
OF_BLIND = 0.5


class Draws(NamedTuple):
    """Items drawn at random.

    The probability that the answers about each are `wrong`, and whether they were.

    They represent all open items. Given the factor f, the answers have a probability of about
    f^(number wrong) exp(-f expected).
    """

    chance: Floats = np.empty(0)
    wrong: Flags = np.empty(0, np.bool_)

    def explained(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Sample n factors, and shares of a blind spot, from their distribution after the draws."""
        wrong, expected, log_p = self._explanations()
        kind = rng.choice(len(log_p), n, p=np.exp(log_p - logsumexp(log_p)))
        blind = np.concatenate([np.zeros(len(SHARES)), BLIND])[kind]
        part = np.where(blind > 0.0, 0, kind)
        seen = blind == 0.0
        return rng.gamma(SHAPES[part] + wrong * seen) / (RATES[part] + expected * seen), blind

    def wrong_at_most(self, totals: Floats, n_items: int, error: float) -> int:
        """How many of `n_items` are wrong at most, whenever one looks, with probability 1 - error.

        Beliefs expect any of `totals`. Let L(f) be how probable what came is by the factor f, and m the mean of L over
        all factors, as before any draw. Where f holds, m / L(f) is a supermartingale that begins at 1 (1 + x <= exp x):
        whenever one stops, it is 1 on average at most. So where no f makes more wrong items more probable than
        error x m / L(f), more are wrong with the probability `error` at most, whichever f holds and whenever one stops.
        A blind spot has the probability that it has after the draws; it is in m, so that without one the error may be
        larger by that share.
        """
        if not len(self.wrong):
            return n_items  # whatever the beliefs say
        wrong, expected, log_p = self._explanations()
        mean = logsumexp(log_p)

        def weight(factor: Floats) -> Floats:  # (1 - IS_BLIND) L(f) / m
            log_l = wrong * np.log(np.maximum(factor, 1.0 / MOST)) - expected * factor
            return np.asarray(np.exp(np.minimum(np.log1p(-IS_BLIND) + log_l - mean, 500.0)))

        lowest = min(wrong / max(expected, 1.0 / MOST), MOST)  # below it all that counts is smaller
        highest = max(1.0, lowest)
        while highest < MOST and weight(np.array(highest)) > error / 100.0:
            highest *= 1.25
        factors = np.linspace(lowest, highest, TRIED)
        at_least_one = max(1, n_items)
        totals = np.maximum(totals, totals.mean())  # what was expected of the draws is a mean, too
        by_factor = np.minimum(totals[:, None] * factors / at_least_one, 1.0)
        by_factor[:, -1] = 1.0  # and all factors beyond
        blind = np.maximum(n_items - totals[:, None], 0.0) * BLIND
        by_blindness = np.minimum((totals[:, None] + blind) / at_least_one, 1.0)
        of_factor = weight(factors)
        of_blindness = np.exp(log_p[len(SHARES) :] - mean)

        def is_bound(most: int) -> bool:
            too_many = float(
                (of_factor * (1.0 - bdtr(most, n_items, by_factor).mean(axis=0))).max()
            )
            unseen = float(of_blindness @ (1.0 - bdtr(most, n_items, by_blindness).mean(axis=0)))
            return unseen <= OF_BLIND * error and too_many + unseen <= error

        return first(is_bound, n_items)

    def _explanations(self) -> tuple[int, float, Floats]:
        """How many are wrong, how many were expected, and the log of how probable what came is by each explanation.

        They are the Gammas of factors and the shares of a blind spot, each times its share before any draw.
        """
        wrong, expected, by_factor = self._summed()
        by_blindness = np.log(IS_BLIND / len(BLIND)) + self._seen() - expected
        return wrong, expected, np.concatenate([np.log1p(-IS_BLIND) + by_factor, by_blindness])

    def _seen(self) -> Floats:
        """By how much each blind spot makes what came more probable, as a logarithm."""
        right = np.count_nonzero(~self.wrong)
        odds = 1.0 / np.maximum(self.chance[self.wrong, None], 1e-300) - 1.0
        return np.asarray(np.log1p(BLIND * odds).sum(axis=0) + right * np.log1p(-BLIND))

    def _summed(self) -> tuple[int, float, Floats]:
        """How many are wrong, how many were expected, and the log of each Gamma's share times how probable that is."""
        wrong = int(self.wrong.sum())
        expected = float(self.chance.sum())
        shape = SHAPES + wrong
        rate = RATES + expected
        before = SHAPES * np.log(RATES) - gammaln(SHAPES)
        after = shape * np.log(rate) - gammaln(shape)
        return wrong, expected, np.asarray(np.log(SHARES) + before - after)


def first(is_bound: Callable[[int], bool], n_items: int) -> int:
    """The smallest number, n_items at most, that is a bound: from one on, all are."""
    low = -1
    high = n_items
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_bound(middle) else (middle, high)
    return high


def draws(record: Sequence[Learnt], p: Floats) -> Draws:
    """Return the items of a record that were drawn at random; `p` is from `sharpness`.

    Chosen items do not represent the rest. Old and new items count the same, because there are few.
    """
    found = [Draws()]
    for part in record:
        chance = (part.chance[part.drawn] * p[classes(part.risk[part.drawn])]).sum(axis=1)
        found.append(Draws(chance, part.surprised[part.drawn]))
    return Draws(
        np.concatenate([one.chance for one in found]), np.concatenate([one.wrong for one in found])
    )
