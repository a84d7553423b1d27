"""Agreement of people: Krippendorff's alpha, Cohen's kappa, error rates, and reliabilities."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ...logic.engines import Floats
from ...logic.errors import CorollaryError

#: Each person starts with this many imagined answers, RIGHT_BEFORE of them right, so that luck alone
#: makes nobody perfect.
BEFORE = 10.0
RIGHT_BEFORE = 9.0
#: The most rounds for reliabilities, which end when none changes by more than CLOSE.
ROUNDS = 500
CLOSE = 1e-9

Ints = npt.NDArray[np.int64]


def krippendorff_alpha(
    yes: npt.ArrayLike, no: npt.ArrayLike, times: npt.ArrayLike = 1
) -> float | None:
    """Return Krippendorff's alpha of yes/no judgements.

    Units judged by fewer than two people do not count.

    Parameters
    ----------
    yes, no
        The number of people who said yes and no, for each unit.
    times
        The number of units with these counts.

    Returns
    -------
    float or None
        None if there is no such unit, or if everybody said the same about all of them.
    """
    yes, no = _counts(yes, no)
    judged = yes + no >= 2
    yes = yes[judged]
    no = no[judged]
    times = np.broadcast_to(np.asarray(times, np.int64), judged.shape)[judged]
    ones = float((times * yes).sum())
    zeros = float((times * no).sum())
    if not ones or not zeros:
        return None
    observed = float((times * 2.0 * yes * no / (yes + no - 1)).sum())
    expected = 2.0 * ones * zeros / (ones + zeros - 1.0)
    return 1.0 - observed / expected


def cohen_kappa(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Cohen's kappa of two people on the same units.

    None if chance alone explains their agreement, or if there are no units.
    """
    a = np.asarray(first, np.bool_)
    b = np.asarray(second, np.bool_)
    if a.shape != b.shape or a.ndim != 1:
        raise CorollaryError(
            f"kappa needs the judgements of two people on the same units, got {a.shape} and {b.shape}"
        )
    if not len(a):
        return None
    chance = float(a.mean() * b.mean() + (1.0 - a.mean()) * (1.0 - b.mean()))
    return None if chance == 1.0 else (float((a == b).mean()) - chance) / (1.0 - chance)


def wilson(count: int, n: int, *, level: float = 0.9) -> tuple[float, float]:
    """Return Wilson's interval of a share, of which `count` in `n` were seen, at this level."""
    if not 0 <= count <= n or not n:
        raise CorollaryError(
            f"a share needs a count of at most n, and n from 1, got {count} of {n}"
        )
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    share = count / n
    spread = z * z / n
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = z * sqrt(share * (1.0 - share) / n + spread / (4.0 * n)) / (1.0 + spread)
    # The ends of all and of none are exact; rounding must not leave the share outside.
    return (max(0.0, middle - half) if count else 0.0), (
        min(1.0, middle + half) if count < n else 1.0
    )


def error_rate(differ: float) -> float:
    """Return how often one person is wrong if two of equal skill differ with this rate.

    The two are independent, and differ if exactly one is wrong: d = 2 e (1 - e). From d = 1/2 on,
    they guess.
    """
    return (1.0 - sqrt(max(0.0, 1.0 - 2.0 * differ))) / 2.0


def accuracy_by_pairs(differ: int, pairs: int, *, level: float = 0.9) -> tuple[float, float, float]:
    """Return how often an answer is right, with its interval, if `differ` of `pairs` of opinions differ."""
    low, high = wilson(differ, pairs, level=level)
    return 1.0 - error_rate(differ / pairs), 1.0 - error_rate(high), 1.0 - error_rate(low)


def reliability(
    unit: npt.ArrayLike, person: npt.ArrayLike, value: npt.ArrayLike, truth: npt.ArrayLike
) -> Floats:  # fmt: skip
    """Return how often each person is right, by expectation maximisation (Dawid and Skene).

    Parameters
    ----------
    unit, person, value
        The votes: `person[v]` says that `unit[v]` is `value[v]`.
    truth
        1 or 0 for units with a certain value, -1 for all others. These are estimated from the
        votes, weighed by reliability.
    """
    unit = np.asarray(unit, np.int64)
    person = np.asarray(person, np.int64)
    says = np.where(np.asarray(value, np.bool_), 1.0, -1.0)
    certain = np.asarray(truth, np.int8)
    people = int(person.max()) + 1 if len(person) else 0
    right = np.full(people, RIGHT_BEFORE / BEFORE)
    n = np.bincount(person, minlength=people)
    share = 0.5
    for _ in range(ROUNDS):
        odds = np.log(right / (1.0 - right))[person] * says
        total = np.bincount(unit, odds, minlength=len(certain)) + np.log(share / (1.0 - share))
        yes = np.where(certain >= 0, certain, 1.0 / (1.0 + np.exp(-total)))
        agrees = np.where(says > 0, yes[unit], 1.0 - yes[unit])
        before = right
        right = (np.bincount(person, agrees, minlength=people) + RIGHT_BEFORE) / (n + BEFORE)
        share = (yes.sum() + 1.0) / (len(yes) + 2.0)
        if not people or np.abs(right - before).max() < CLOSE:
            break
    return np.asarray(right)


def _counts(yes: npt.ArrayLike, no: npt.ArrayLike) -> tuple[Ints, Ints]:
    a = np.asarray(yes, np.int64).ravel()
    b = np.asarray(no, np.int64).ravel()
    if a.shape != b.shape or (len(a) and min(a.min(), b.min()) < 0):
        raise CorollaryError("alpha needs a count of yes and of no for each unit")
    return a, b
