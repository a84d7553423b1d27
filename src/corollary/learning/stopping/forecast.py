"""When to stop: how many items are still wrong, how sure that is, and how many more questions a target takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, expit

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import is_number, shown
from .asked_next import asked_next, may_pick
from .calibration import (
    CLASSES,
    SHARPNESS,
    Flags,
    Ints,
    Learnt,
    classes,
    log_odds,
    log_probability,
    risk,
    sharpness,
    walks,
)
from .draws import draws, first

#: Of the questions that it takes if nothing more is learnt, so much is needed, as measured: at least, about, at most.
FEWEST = 0.1
ABOUT = 0.5
MOST = 1.7
#: As often what may be so is drawn: the sharpness of each class, and how many times as many are wrong as expected.
DRAWS = 400
#: As many open items are played through, at most, to count questions.
PLAYED = 1000


@dataclass(frozen=True, slots=True)
class Forecast:
    """The accuracy of the predicted labelling, and the questions until it is at the target.

    Attributes
    ----------
    accuracy
        The share of items whose whole predicted labelling is right, known items included: the
        median estimate.
    target
        The accuracy wanted.
    level
        The probability of the intervals.
    questions
        The further questions until `accuracy` is at the target: yes or no, or one pick an item.
        Their interval is wide, because the learner's progress is unknown.
    promised
        A lower bound of the accuracy, with probability `level`, however often you look. It rests on
        the `drawn` items.
    drawn
        The number of items that were drawn at random for a question, or known from a random draw.
    """

    target: float
    level: float
    accuracy: float
    accuracy_interval: tuple[float, float]
    wrong_items: float
    wrong_cells: float
    questions: int
    questions_interval: tuple[int, int]
    promised: float = 0.0
    drawn: int = 0

    @property
    def reached(self) -> bool:
        """Whether to stop: the promised accuracy is at the target."""
        return self.promised >= self.target

    def __str__(self) -> str:
        low, high = self.accuracy_interval
        few, many = self.questions_interval
        right = f"{self.accuracy:.2%} of the items are right ({low:.2%} to {high:.2%})"
        if self.reached:
            return f"{right}: the target of {self.target:.2%} is reached"
        if not self.drawn and low >= self.target:
            return (
                f"{right}; the target of {self.target:.2%} is not reached: "
                "no question was drawn at random (share_at_random)"
            )
        more = "question" if self.questions == 1 else "questions"
        return f"{right}; about {self.questions:,} more {more} ({few:,} to {many:,}) to {self.target:.2%}"


def forecast(
    onto: Ontology,
    beliefs: npt.ArrayLike,
    known: npt.ArrayLike,
    record: Sequence[Learnt] = (),
    *,
    target: float = 0.99,
    level: float = 0.9,
    cost: Floats | None = None,
    random_state: int = 0,
) -> Forecast:
    """Forecast the accuracy of the most probable labelling, and the questions to a target.

    `beliefs` and `known` (N, K) are of the items that count. `record` has a part for each set of
    beliefs until now, the present one included, oldest first. Answers to chosen questions show how
    far to trust beliefs about similarly unsure items. Only items drawn at random show it for all.
    `cost` (K+1,) is the cost of a question about each label, and last of one about the whole item,
    infinite if it is never asked. Without it all questions are yes or no.
    """
    _check_shares(target=target, level=level)
    theta = np.asarray(onto.check_beliefs(beliefs), np.float64)
    facts = onto.propagate(onto.check_facts(known))
    if theta.shape != facts.shape or not len(facts):
        raise CorollaryError(
            f"beliefs and facts must be of the same items, got {theta.shape} and {facts.shape}"
        )
    n = len(facts)
    rows = np.flatnonzero((facts < 0).any(axis=1))
    theta = theta[rows]
    facts = facts[rows]
    group, open_items = risk_by_class(onto, theta, facts)

    def questions(sharp: Floats, allowed: float) -> Needed:
        return questions_needed(
            onto, theta, sharp[group], facts, allowed, cost, random_state=random_state
        )

    return foretell(
        n, open_items, questions, record, target=target, level=level, random_state=random_state
    )


class AtRisk(NamedTuple):
    """How many of some items are open, and in each class the wrong items and wrong cells that are expected.

    Both are classes x SHARPNESS. Those of further items are added. `open_cells` are the labels of items still open.
    """

    n: int
    wrong: Floats
    cells: Floats
    open_cells: int

    def and_of(self, others: AtRisk) -> AtRisk:
        """Return the risks of both sets of items together."""
        wrong = self.wrong + others.wrong
        cells = self.cells + others.cells
        return AtRisk(self.n + others.n, wrong, cells, self.open_cells + others.open_cells)


class Needed(NamedTuple):
    """The questions that a target takes if nothing more is learnt, and at most where beliefs are mistaken."""

    questions: int = 0
    most: float = math.inf


def foretell(
    n: int,
    open_items: AtRisk,
    questions: Callable[[Floats, float], Needed],
    record: Sequence[Learnt],
    *,
    target: float,
    level: float,
    random_state: int = 0,
) -> Forecast:
    """Return the forecast for n items, given the risks of open items.

    `questions` returns the number of questions until a number of items are expected to be wrong,
    given a sharpness of each class.
    """
    _check_shares(target=target, level=level)
    p = sharpness(record)
    tail = (1.0 - level) / 2.0
    rng = np.random.default_rng(random_state)
    drawn = draws(record, p)
    walk = walks(record, DRAWS, rng)
    totals = expected(walk, open_items.wrong)
    (factor, blind) = drawn.explained(DRAWS, rng)
    means = np.minimum(
        totals * factor + blind * np.maximum(open_items.n - totals, 0.0), open_items.n
    )
    few, many = interval(means, open_items.n, level)
    as_expected = float(np.median(means))
    cells = float(expected(walk, open_items.cells).sum())
    # The number of questions is that of the walk in the middle, and of those at both ends.
    allowed = (1.0 - target) * n / float(np.median(factor))
    order = np.argsort(totals)
    low, middle, high = (
        questions(SHARPNESS[walk[order[int(share * DRAWS)]]], allowed)
        for share in (tail, 0.5, 1.0 - tail)
    )
    return Forecast(
        target=target,
        level=level,
        accuracy=1.0 - as_expected / n,
        accuracy_interval=(1.0 - many / n, 1.0 - few / n),
        wrong_items=as_expected,
        wrong_cells=as_expected * cells / max(float(totals.sum()), 1e-300),
        questions=math.ceil(ABOUT * middle.questions),
        questions_interval=(
            math.floor(FEWEST * min(low, middle).questions),
            max(
                math.ceil(min(MOST * one.questions, one.most, open_items.open_cells))
                for one in (middle, high)
            ),
        ),
        promised=1.0 - drawn.wrong_at_most(totals, open_items.n, 1.0 - level) / n,
        drawn=len(drawn.wrong),
    )


def audit(wrong: int, drawn: int, open_items: int, *, level: float = 0.95) -> int:
    """The most items that are wrong of the open ones, with probability `level`, whatever the model: an exact bound.

    `drawn` of the `open_items` were drawn uniformly, without replacement, after the labelling was predicted, and
    `wrong` of them were not all right. It holds for one draw of a size fixed beforehand.
    """
    _check_shares(level=level)
    if not 0 <= wrong <= drawn <= open_items:
        raise CorollaryError(
            f"an audit needs wrong <= drawn <= open items, got {wrong}, {drawn} and {open_items}"
        )
    from scipy import stats  # slow to import

    number = np.arange(wrong, open_items - (drawn - wrong) + 1)
    return int(number[stats.hypergeom.cdf(wrong, open_items, number, drawn) >= 1.0 - level].max())


def _check_shares(**shares: float) -> None:
    for name, share in shares.items():
        if not is_number(share) or not 0.0 < share < 1.0:
            raise CorollaryError(
                f"{name} must be a share between 0 and 1, neither included, got {shown(share)}"
            )


def risk_by_class(onto: Ontology, theta: Floats, known: Facts) -> tuple[Ints, AtRisk]:
    """Return the class of each open item, and the risks."""
    odds = log_odds(theta)
    labelling = onto.most_probable(theta, known)
    group = classes(risk(onto, odds, known, labelling)[0])
    wrong, cells = np.empty((2, CLASSES, len(SHARPNESS)))
    for g, a in enumerate(SHARPNESS):
        of_items, of_cells = risk(onto, a * odds, known, labelling)
        wrong[:, g] = np.bincount(group, of_items, minlength=CLASSES)
        cells[:, g] = np.bincount(group, of_cells, minlength=CLASSES)
    return group, AtRisk(len(theta), wrong, cells, int(np.count_nonzero(known < 0)))


def expected(walk: Ints, wrong: Floats) -> Floats:
    """The expected number of wrong items, or cells, by each walk; `wrong` (classes x SHARPNESS) is that of a class."""
    return np.asarray(wrong[np.arange(CLASSES), walk].sum(axis=1))


def interval(means: Floats, n_items: int, level: float) -> tuple[int, int]:
    """The fewest and the most of `n_items` that are wrong with probability `level`, if any of `means` is expected."""
    tail = (1.0 - level) / 2.0
    return wrong_at_most(means, n_items, tail), wrong_at_most(means, n_items, 1.0 - tail)


def wrong_at_most(means: Floats, n_items: int, share: float) -> int:
    """Return an upper bound of the number of wrong items, for a mix of `means`.

    The number wrong is a sum of independent unequal chances. The binomial of the same mean reaches
    further to both sides (Hoeffding 1956), so the bound is on the safe side.
    """
    chance = np.clip(means / max(1, n_items), 0.0, 1.0)
    return first(lambda most: bool(bdtr(most, n_items, chance).mean() >= share), n_items)


def questions_needed(
    onto: Ontology,
    beliefs: Floats,
    sharp: Floats,
    known: Facts,
    allowed: float,
    cost: Floats | None = None,
    *,
    random_state: int,
) -> Needed:
    """Return the questions until at most `allowed` items are probably wrong, without training.

    Each open item is simulated with its sharpness: its best question by `cost` is asked and
    answered at random from the posterior. Then the questions of all items are put in order, the
    best first. Of more than PLAYED items, a random sample of that size is simulated.
    """
    rows = np.flatnonzero((known < 0).any(axis=1))
    n = len(rows)
    (drawn, rng) = played(len(rows), random_state)
    rows = rows[drawn]
    return questions_of(onto, beliefs[rows], sharp[rows], known[rows], allowed, n, rng, cost)


def played(n: int, random_state: int) -> tuple[Ints, np.random.Generator]:
    """Which of n open items are played through, in ascending order; and the source of chance that goes on."""
    rng = np.random.default_rng(random_state)
    return np.sort(rng.permutation(n)[:PLAYED]), rng


def questions_of(
    onto: Ontology,
    beliefs: Floats,
    sharp: Floats,
    known: Facts,
    allowed: float,
    n: int,
    rng: np.random.Generator,
    cost: Floats | None = None,
) -> Needed:
    """The same, given the items that stand for all n that are open.

    Where a pick ends an item, a mistaken belief costs no more than that: besides yes or no, one pick an item at most.
    """
    scale = max(1.0, n / PLAYED)
    spare = 1e-3 * allowed / max(1.0, len(known) * scale)
    key, drop, pick, start = _play(onto, beliefs, sharp, known, spare, rng, cost)
    order = np.argsort(-key, kind="stable")
    left = scale * (start - np.concatenate([[0.0], np.cumsum(drop[order])]))
    # The rest of all items that were left alone is below `allowed`, but for rounding.
    enough = int(np.argmax(left <= max(allowed, left[-1])))
    yes_no = scale * np.count_nonzero(~pick[order[:enough]])
    return Needed(math.ceil(scale * enough), math.ceil(yes_no + n) if may_pick(cost) else math.inf)


def _play(
    onto: Ontology,
    beliefs: Floats,
    sharp: Floats,
    known: Facts,
    spare: float,
    rng: np.random.Generator,
    cost: Floats | None,
) -> tuple[Floats, Floats, Flags, float]:
    """Of every question its place in the order, by how much the risk fell, if it was a pick; and the risk at first.

    Items are left alone when their risk is at most `spare`. A question comes when none is worth more than its item's
    own was at the least until then, so that minimum is its place.
    """
    at_risk, q = _state(onto, beliefs, sharp, known)
    start = float(at_risk.sum())
    place = np.full(len(known), np.inf)
    places = [np.empty(0)]
    drops = [np.empty(0)]
    picks = [np.empty(0, np.bool_)]
    while len(live := np.flatnonzero((at_risk > spare) & (known < 0).any(axis=1))):
        beliefs = beliefs[live]
        sharp = sharp[live]
        known = known[live]
        place = place[live]
        at_risk = at_risk[live]
        q = q[live]
        label, worth = asked_next(onto, expit(sharp[:, None] * log_odds(beliefs)), q, known, cost)
        place = np.minimum(place, worth)
        pick = label == len(onto)
        places.append(place)
        picks.append(pick)
        # a pick leaves no risk
        before = at_risk
        at_risk = np.zeros(len(live))
        rest = np.flatnonzero(~pick)
        known[rest, label[rest]] = rng.random(len(rest)) < q[rest, label[rest]]
        known[rest] = onto.propagate(known[rest])
        at_risk[rest], q[rest] = _state(onto, beliefs[rest], sharp[rest], known[rest])
        drops.append(before - at_risk)
    return np.concatenate(places), np.concatenate(drops), np.concatenate(picks), start


def _state(onto: Ontology, beliefs: Floats, sharp: Floats, known: Facts) -> tuple[Floats, Floats]:
    """The risk of each item, and the posterior, at its sharpness; the most probable labelling is the same at any."""
    odds = sharp[:, None] * log_odds(beliefs)
    q, log_z = onto.marginals(odds, known, propagated=True)
    best = onto.most_probable(beliefs, known)
    return -np.expm1(log_probability(onto, odds, best, log_z)), q
