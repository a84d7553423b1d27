"""Beliefs made consistent with the ontology and the facts: posterior, entropy, gain, most probable labelling."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines import EXP_LIMIT, Facts, Floats
from ..engines.rows import over_rows
from ..errors import EstimateWarning
from .model import Model, Service
from .soft import helper_odds, widened

#: A belief is not a fact: 0 and 1 are moved this far inside before they are used.
CLIP = 1e-12
#: Smaller probabilities are raised to this before their logarithm is taken.
TINY = 1e-300
#: Rows are handled in blocks of about this many cells, so that scratch memory stays small and in the cache.
CELLS_AT_ONCE = 32_768
#: But never fewer rows than this, because engines for large components share work between similar
#: items. (512 took no less time, and with 23,547 labels half as long again.)
ROWS_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class Inference:
    """All results about the posterior of N items.

    `error` bounds an item's probabilities, nan is an estimate.
    """

    posterior: Floats
    joint_entropy: Floats
    gain: Floats | None
    error: Floats


class _Told(threading.local):
    """The numbers of items with an estimated posterior, and of all; None: warn at once."""

    later: tuple[int, int] | None = None


_told = _Told()


@contextmanager
def estimates_told_together() -> Iterator[None]:
    """One warning for all estimates that this thread asks for inside, where items are handled part by part."""
    _told.later = (0, 0)
    try:
        yield
        estimated, asked = _told.later
    finally:
        _told.later = None
    _warn_of_estimates(estimated, asked)


def warn_of_estimates(error: Floats) -> None:
    """Tell whoever asked the ontology of items whose error is not known."""
    estimated = int(np.isnan(error).sum())
    asked = error.size
    if _told.later is None:
        _warn_of_estimates(estimated, asked)
    else:
        _told.later = _told.later[0] + estimated, _told.later[1] + asked


def _warn_of_estimates(estimated: int, asked: int) -> None:
    if estimated:
        warnings.warn(
            f"the posterior of {estimated:,} of {asked:,} items is an estimate without a "
            "proven bound; Ontology.engines lists the labels, with_budget may make it exact",
            EstimateWarning,
            stacklevel=5,
        )


def infer(
    model: Model,
    beliefs: npt.NDArray[np.floating],
    known: Facts,
    evidence: Floats | None = None,
    *,
    gain: bool,
) -> Inference:
    """Posterior and joint entropy, and on request the gain; `known` must be completely propagated, evidence finite."""
    out = Inference(
        np.empty(beliefs.shape),
        np.zeros(len(beliefs)),
        np.empty(beliefs.shape) if gain else None,
        np.zeros(len(beliefs)),
    )

    def solve(rows: slice) -> None:
        _infer_block(model, _log_odds(beliefs[rows], _some(evidence, rows)), known[rows], out, rows)

    in_blocks(beliefs.shape, solve)
    return out


def _infer_block(
    model: Model,
    p_rest_odds: tuple[Floats, Floats, Floats],
    known: Facts,
    out: Inference,
    rows: slice,
) -> None:
    p, rest, odds = p_rest_odds
    posterior = out.posterior[rows]
    entropy = out.joint_entropy[rows]
    both = np.zeros(odds.shape) if out.gain is not None else None
    log_z, expected, both = _ask(model, odds, known, posterior, both, out.error[rows])
    np.subtract(log_z, expected, out=entropy)
    np.maximum(entropy, 0.0, out=entropy)
    if out.gain is not None and both is not None:
        # h(p) = -p log p - (1-p) log(1-p) = -(p odds + log(1-p)); nothing where evidence settles p, whatever both is,
        # nor where p is known: there both is 0
        if (settled := np.abs(odds) > EXP_LIMIT).any():
            both = np.where(settled, 0.0, both)
            rest = np.where(settled, 1.0, rest)
        odds *= p
        odds += np.log(rest, out=rest)
        odds *= both
        odds += binary_entropy(posterior)
        np.clip(odds, 0.0, np.inf, out=out.gain[rows])  # faster than maximum


def _ask(
    model: Model, odds: Floats, known: Facts, posterior: Floats, both: Floats | None, error: Floats
) -> tuple[Floats, Floats, Floats | None]:
    """As `_ask_engines`, with soft constraints: adds their helpers and removes them.

    A kept constraint weighs 1.
    """
    if not model.weights.size:
        return _ask_engines(model, odds, known, posterior, both, error)
    n = odds.shape[1]
    weights = model.weights
    of_helpers = helper_odds(model.weights)
    wide, wide_known = widened(model, odds, known, of_helpers)
    all_both = None if both is None else np.zeros(wide.shape)
    found = np.empty(wide.shape)
    log_z, expected, all_both = _ask_engines(model, wide, wide_known, found, all_both, error)
    posterior[:] = found[:, :n]
    # A kept constraint has its helper on with probability 1 - e^-w; so often it adds w to a world's log-weight.
    expected += found[:, n:] @ (weights / -np.expm1(-weights) - of_helpers)
    return (
        log_z - weights.sum(),
        expected - weights.sum(),
        None if all_both is None else all_both[:, :n],
    )


def _ask_engines(
    model: Model, odds: Floats, known: Facts, posterior: Floats, both: Floats | None, error: Floats
) -> tuple[Floats, Floats, Floats | None]:
    """Fill posterior, add to error; log Z and the expected log-weight over unknown labels, and `both` if given."""
    log_z = np.zeros(len(odds))
    expected = np.zeros(len(odds))
    forced = model.base >= 0  # these belong to no engine
    posterior[:, forced] = known[:, forced]
    for service in model.services:
        own_odds, own_known = _gather(service, odds, known)
        found = service.engine.infer(own_odds, own_known, both=both is not None)
        if service.first_labels == odds.shape[1]:
            posterior[:] = found.posterior
            both = found.both
        else:
            flat, variable, alone = service.columns
            posterior[:, flat] = found.posterior[:, variable]
            if both is not None and found.both is not None:
                both[:, flat[alone]] = found.both[:, variable[alone]]
        if (own_known >= 0).any():
            own_odds = np.where(own_known >= 0, 0.0, own_odds)
        log_z += found.log_z
        expected += np.einsum("ik,ik->i", found.posterior, own_odds)
        error += found.error
    return log_z, expected, both


def marginals(model: Model, odds: Floats, known: Facts) -> tuple[Floats, Floats, Floats]:
    """Posterior, log Z and proven error where a world weighs e to the sum of the odds of its labels that are on."""
    posterior = np.empty(odds.shape)
    log_z = np.empty(len(odds))
    error = np.zeros(len(odds))

    def solve(rows: slice) -> None:
        of_unknown, _, _ = _ask(model, odds[rows], known[rows], posterior[rows], None, error[rows])
        log_z[rows] = of_unknown + np.where(known[rows] == 1, odds[rows], 0.0).sum(axis=1)

    in_blocks(odds.shape, solve)
    return posterior, log_z, error


def most_probable(
    model: Model, beliefs: npt.NDArray[np.floating], known: Facts, evidence: Floats | None = None
) -> Facts:
    """The most probable legal labelling; `known` must be completely propagated, evidence finite."""
    out = np.empty_like(known)

    def decide(rows: slice) -> None:
        _, _, odds = _log_odds(beliefs[rows], _some(evidence, rows))
        given = known[rows]
        if model.weights.size:
            odds, given = widened(model, odds, given, model.weights)
        found = given.copy()
        for service in model.services:
            flat, variable, _ = service.columns
            found[:, flat] = service.engine.most_probable(*_gather(service, odds, given))[
                :, variable
            ]
        out[rows] = found[:, : out.shape[1]]

    in_blocks(beliefs.shape, decide)
    return out


def in_blocks(shape: tuple[int, ...], handle: Callable[[slice], None]) -> None:
    """Handle all rows of a table of this shape in threads, in blocks small enough to save memory."""
    n, k = shape
    step = max(ROWS_AT_ONCE, CELLS_AT_ONCE // max(1, k))

    def run(start: int, stop: int) -> None:
        for first in range(start, stop, step):
            handle(slice(first, min(stop, first + step)))

    over_rows(run, n, at_least=step)


def _log_odds(
    beliefs: npt.NDArray[np.floating], evidence: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Beliefs inside 0 and 1, the rest to 1, and the log-odds; all after the evidence, which is added in log-odds."""
    p = np.clip(beliefs, CLIP, 1 - CLIP, dtype=np.float64)
    rest = 1.0 - p
    odds = p / rest
    np.log(odds, out=odds)
    if evidence is not None:
        odds += evidence
        less = np.exp(-np.abs(odds))
        more = 1.0 / (1.0 + less)
        less *= more
        p = np.where(odds > 0, more, less)
        rest = np.where(odds > 0, less, more)
    return p, rest, odds


def _some(evidence: Floats | None, rows: slice) -> Floats | None:
    return None if evidence is None else evidence[rows]


def log_odds(beliefs: npt.NDArray[np.floating], evidence: Floats | None = None) -> Floats:
    """The log-odds of beliefs, those of 0 and 1 moved inside, and after the evidence."""
    return _log_odds(beliefs, evidence)[2]


def _gather(service: Service, odds: Floats, known: Facts) -> tuple[Floats, Facts]:
    """Return the log-odds of each variable, summed over its equivalent labels, and its known value."""
    if service.first_labels == odds.shape[1]:
        return odds, np.ascontiguousarray(known)
    flat, variable, _ = service.columns
    starts = np.flatnonzero(np.diff(variable, prepend=-1))
    own = odds[:, flat]
    if len(starts) < len(flat):
        own = np.add.reduceat(own, starts, axis=1)
    return np.ascontiguousarray(own), np.ascontiguousarray(known[:, flat[starts]])


def binary_entropy(p: Floats) -> Floats:
    """-p log p - (1-p) log(1-p) in nats, 0 at 0 and 1, and beyond these by rounding."""
    less = p - 1.0
    out = np.maximum(p, TINY)
    np.log(out, out=out)
    out *= p
    other = np.maximum(-less, TINY)
    np.log(other, out=other)
    other *= less
    return np.subtract(other, out, out=out)
