"""How far beliefs can be trusted: what was predicted of each answer before it came, against what came."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.language.constraints import soft_ones
from ...logic.ontology import Ontology
from ..packed_facts import PackedFacts

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: Beliefs can be too sure or not sure enough. P(y)^a, made to sum to 1 again, is what they would say at sharpness a:
#: 1 takes them at their word, below 1 they claim too much, above 1 too little. The answers tell which a holds.
SHARPNESS: Floats = 2.0 ** np.arange(-5.0, 3.01, 0.5)
#: Items are classed by how sure the beliefs are: by -log-odds of their risk, in classes of this
#: width, 0 first.
WIDTH = 2.0
CLASSES = 15
#: How far log a may be from 0 before any answer (standard deviation).
PRIOR = 0.5
#: How far log a may move from one class to the next, because asked and open items differ in their
#: risk.
DRIFT = 0.05
#: An answer counts half as much as one given this share of all answers later: learners change as they learn.
HALF_LIFE = 1.0
#: What was learnt is worked out by one thread at a time.
_WORKING_OUT = Lock()
#: As beliefs are moved inside everywhere.
CLIP = 1e-12


class Learnt(NamedTuple):
    """The answers about some items under one set of beliefs, and their probabilities.

    Attributes
    ----------
    risk
        The risk of each item before.
    log_p : items x SHARPNESS
        The log-probability of the answers.
    surprised
        Whether the answers differ from the labelling predicted before.
    drawn
        Whether the item was drawn at random, not chosen.
    chance : items x SHARPNESS
        The probability that some of the answered cells differ from the prediction.
    """

    risk: Floats
    log_p: Floats
    surprised: Flags
    drawn: Flags
    chance: Floats


#: Items of which something was said: beliefs of them, what was known before and after, whether they were drawn.
Said = tuple[npt.NDArray[np.floating], Facts, Facts, Flags]


class TrackRecord:
    """What beliefs predicted, held against what was then answered: one `Learnt` for each set of beliefs in use."""

    def __init__(self, onto: Ontology, known: Facts):
        self._onto = onto
        #: Items that were not known from the start.
        self.open: Ints = np.flatnonzero((known < 0).any(axis=1))
        self._past: list[Learnt] = []
        self._waiting: list[Said] = []  # worked out later: no one waits for it
        self.begin(known)

    def begin(self, known: Facts) -> None:
        """Beliefs come into use when this is known."""
        self._since = PackedFacts.of(known)
        self.drawn: Flags = np.zeros(
            len(known), np.bool_
        )  # items asked about since then because they were drawn

    def turn(self, beliefs: npt.NDArray[np.floating], known: Facts) -> None:
        """Replace the beliefs in use."""
        self._waiting.append(self._said(beliefs, known))
        self.begin(known)

    def until(self, beliefs: npt.NDArray[np.floating], known: Facts) -> list[Learnt]:
        """What was learnt under each set of beliefs until now, these the last."""
        now = self._said(beliefs, known)
        self.work_out()
        return [*self._past, self._learnt(*now)]

    def work_out(self, *, unless: int = 0) -> None:
        """Compute the waiting items, unless they are at most `unless`.

        Waiting items take memory.
        """
        with _WORKING_OUT:
            if sum(len(said[0]) for said in self._waiting) > unless:
                self._past += [self._learnt(*said) for said in self._waiting]
                self._waiting.clear()

    def _said(self, beliefs: npt.NDArray[np.floating], known: Facts) -> Said:
        rows = self._since.differ(known)
        return beliefs[rows], self._since[rows], known[rows], self.drawn[rows]

    def _learnt(
        self, beliefs: npt.NDArray[np.floating], then: Facts, now: Facts, drawn: Flags
    ) -> Learnt:
        return learnt(self._onto, beliefs, then, now, drawn=drawn)


def learnt(
    onto: Ontology,
    beliefs: npt.ArrayLike,
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    *,
    drawn: Flags | None = None,
) -> Learnt:
    """Return the answers about each item between two trainings, and their probability.

    `before` and `after` (N, K) are the known labels when the beliefs came into use, and when the
    next ones do. `drawn` (N,) marks items drawn uniformly among the open ones. By the chain rule
    the probability is the product over the answers, each at the time of its question, whatever the
    questions were. Items with an answer taken back are left out.
    """
    then = onto.check_facts(before)
    now = onto.check_facts(after)
    rows = np.flatnonzero((then != now).any(axis=1) & ((then < 0) | (then == now)).all(axis=1))
    theta = onto.check_beliefs(beliefs)[rows]
    then = onto.propagate(then[rows])
    now = onto.propagate(now[rows])
    odds = log_odds(theta)
    labelling = onto.most_probable(theta, then)
    surprised = ((now >= 0) & (now != labelling)).any(axis=1)
    as_predicted = onto.propagate(np.where(now[surprised] >= 0, labelling[surprised], np.int8(-1)))
    log_p, log_right = np.empty((2, len(rows), len(SHARPNESS)))
    for g, a in enumerate(SHARPNESS):
        _, log_then = onto.marginals(a * odds, then, propagated=True)
        _, log_now = onto.marginals(a * odds, now, propagated=True)
        _, log_predicted = onto.marginals(a * odds[surprised], as_predicted, propagated=True)
        log_p[:, g] = log_right[:, g] = np.minimum(log_now - log_then, 0.0)
        log_right[surprised, g] = np.minimum(log_predicted - log_then[surprised], 0.0)
    by_chance = (
        np.zeros(len(rows), np.bool_) if drawn is None else np.asarray(drawn, np.bool_)[rows]
    )
    return Learnt(
        risk(onto, odds, then, labelling)[0], log_p, surprised, by_chance, -np.expm1(log_right)
    )


def learnt_of_one(onto: Ontology, beliefs: Floats, before: Facts, after: Facts) -> Learnt:
    """The same of one item (1, K), for whoever waits for it: all that is known is in both, and more in `after`."""
    odds = log_odds(beliefs)
    labelling = onto.most_probable(beliefs, before)
    at_each = SHARPNESS[:, None] * odds

    def log_of(facts: Facts) -> Floats:
        return onto.marginals(at_each, np.repeat(facts, len(SHARPNESS), axis=0), propagated=True)[1]

    log_then = log_of(before)
    surprised = ((after >= 0) & (after != labelling)).any(axis=1)
    log_p = log_right = np.minimum(log_of(after) - log_then, 0.0)[None]
    if surprised[0]:
        as_predicted = onto.propagate(np.where(after >= 0, labelling, np.int8(-1)))
        log_right = np.minimum(log_of(as_predicted) - log_then, 0.0)[None]
    at_risk = risk(onto, odds, before, labelling)[0]
    return Learnt(at_risk, log_p, surprised, np.zeros(1, np.bool_), -np.expm1(log_right))


def sharpness(record: Sequence[Learnt]) -> Floats:
    """Return the probability of each SHARPNESS in each class of items, given the record.

    log a is a random walk along the classes. So answers about unsure items, which are the ones
    asked, say less and less about surer items.
    """
    evidence = _evidence(record)
    step = diffusion(DRIFT**2)
    down = np.zeros_like(evidence)
    for c in range(1, CLASSES):
        down[-1 - c] = _log_apply(step, down[-c] + evidence[-c])
    return _normal(_so_far(evidence, step) + down)


def walks(record: Sequence[Learnt], n: int, rng: np.random.Generator) -> Ints:
    """Sample n walks of the sharpness along the classes (n x classes, places on SHARPNESS).

    They are drawn from the surest class back to the first, each step given the one before.
    """
    evidence = _evidence(record)
    step = diffusion(DRIFT**2)
    here = _so_far(evidence, step)
    found = np.empty((n, CLASSES), np.int64)
    found[:, -1] = rng.choice(len(SHARPNESS), n, p=_normal(here[-1:])[0])
    log_step = np.log(np.maximum(step, 1e-300))
    for c in range(CLASSES - 2, -1, -1):
        chance = np.cumsum(_normal(here[c] + log_step[found[:, c + 1]]), axis=1)
        found[:, c] = np.minimum((chance < rng.random((n, 1))).sum(axis=1), len(SHARPNESS) - 1)
    return found


def _evidence(record: Sequence[Learnt]) -> Floats:
    """How probable what was learnt of the items of each class is at each SHARPNESS, as logarithms."""
    evidence = np.zeros((CLASSES, len(SHARPNESS)))
    for part, weight in zip(record, _weights(record), strict=True):
        np.add.at(evidence, classes(part.risk), weight * part.log_p)
    return evidence


def _so_far(evidence: Floats, step: Floats) -> Floats:
    """How probable each SHARPNESS is in each class by the evidence of it and of those before, as logarithms."""
    found = evidence.copy()
    found[0] -= 0.5 * (np.log(SHARPNESS) / PRIOR) ** 2
    for c in range(1, CLASSES):
        found[c] += _log_apply(step, found[c - 1])
    return found


def _normal(log_p: Floats) -> Floats:
    from scipy.special import logsumexp

    return np.asarray(np.exp(log_p - logsumexp(log_p, axis=1, keepdims=True)))


def _weights(record: Sequence[Learnt]) -> Floats:
    """How much each part still counts."""
    sizes = np.array([len(part.risk) for part in record], np.float64)
    later = sizes.sum() - np.cumsum(sizes)
    return np.asarray(0.5 ** (later / max(1.0, HALF_LIFE * sizes.sum())))


def classes(at_risk: Floats) -> Ints:
    """The class of each item by its risk."""
    inside = np.clip(at_risk, 1e-15, 1 - 1e-15)
    sure = np.log1p(-inside) - np.log(inside)
    return np.asarray(np.clip(np.ceil(sure / WIDTH), 0, CLASSES - 1), np.int64)


def diffusion(variance: float) -> Floats:
    """The chance to go from each SHARPNESS to each other where log a diffuses by this variance."""
    n = len(SHARPNESS)
    step = float(np.log(SHARPNESS[1] / SHARPNESS[0]))
    moves = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    values, vectors = np.linalg.eigh(moves - np.diag(moves.sum(axis=1)))
    return np.asarray((vectors * np.exp(values * variance / step**2 / 2.0)) @ vectors.T)


def _log_apply(step: Floats, log_p: Floats) -> Floats:
    top = log_p.max()
    return np.asarray(np.log(np.maximum(step @ np.exp(log_p - top), 1e-300)) + top)


def risk(onto: Ontology, odds: Floats, known: Facts, labelling: Facts) -> tuple[Floats, Floats]:
    """Of each item: the probability that the labelling is not all right, and the expected number of its wrong cells."""
    q, log_z = onto.marginals(odds, known, propagated=True)
    return -np.expm1(log_probability(onto, odds, labelling, log_z)), np.abs(labelling - q).sum(
        axis=1
    )


def log_probability(onto: Ontology, odds: Floats, labelling: Facts, log_z: Floats) -> Floats:
    """Return log P of a legal labelling of each item, (N,).

    `log_z` is the one of `marginals` with its known labels.
    """
    if soft_ones(onto.constraints):
        weight = onto.marginals(odds, labelling, propagated=True)[1]
    else:
        weight = np.where(labelling == 1, odds, 0.0).sum(axis=1)
    return np.asarray(np.minimum(weight - log_z, 0.0))


def log_odds(beliefs: npt.NDArray[np.floating]) -> Floats:
    """Beliefs as log-odds, 0 and 1 moved inside."""
    p = np.clip(beliefs, CLIP, 1.0 - CLIP, dtype=np.float64)
    return np.asarray(np.log(p) - np.log1p(-p))
