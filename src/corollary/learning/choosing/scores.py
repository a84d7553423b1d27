"""How much each question is worth: pure functions on arrays, items x labels, -inf where the answer is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from ...logic.arrays import Table
from ...logic.compiled.posterior import binary_entropy
from ...logic.engines import Facts, Floats
from ...logic.engines.rows import over_rows
from ...logic.errors import CorollaryError, nearest
from ...logic.labelled import index_of, same_rows
from ...logic.ontology import Ontology
from ..argument_checks import seed_of, shown
from .strategy import Strategy

ScoreName = Literal[
    "random", "entropy", "probability", "log", "linear", "expected", "posterior", "gain"
]
#: A surprise S: decreasing on [0, 1] with S(1) = 0; it takes and returns arrays.
Surprise = Callable[[Floats], Floats]
#: What questions can be chosen by, from beliefs.
AnyScore = ScoreName | Surprise | Strategy

#: The scores of a session: also `contrast`, which needs items, not only beliefs.
SessionScore = AnyScore | Literal["contrast"]

NAMES: tuple[str, ...] = get_args(ScoreName)
CONTRAST: Literal["contrast"] = "contrast"
#: The logarithmic surprise and entropies take beliefs this far inside of 0 and 1.
CLIP = 1e-12
CELLS_AT_ONCE = 32_768


def score(
    name: ScoreName | Surprise,
    beliefs: Table,
    onto: Ontology,
    facts: Table | None = None,
    *,
    random_state: Any = None,
) -> Floats:
    """Return the worth of every question, (N, K).

    It is -inf if the answer is known or follows from known labels.

    Parameters
    ----------
    name
        One of random, entropy, probability, log, linear, expected, posterior and gain. Or a
        surprise function of your own: decreasing on [0, 1], 0 at 1.
    beliefs
        Probabilities, items x labels.
    onto
        The labels, and the constraints between them.
    facts
        The known labels: 1 yes, 0 no, -1 unknown.
    random_state
        The seed of `random`.
    """
    facts = same_rows("facts", facts, "beliefs", index_of(beliefs))
    theta = np.asarray(onto.check_beliefs(beliefs), np.float64)
    nothing = np.full((1, len(onto)), -1, np.int8)
    known = (
        np.tile(onto.propagate(nothing), (len(theta), 1))
        if facts is None
        else onto.propagate(facts)
    )
    if known.shape != theta.shape:
        raise CorollaryError(
            f"facts and beliefs must have one shape, got {known.shape} and {theta.shape}"
        )
    if name == "random":
        seed = (
            random_state if isinstance(random_state, np.random.Generator) else seed_of(random_state)
        )
        return masked(np.random.default_rng(seed).random(theta.shape), known)
    if isinstance(checked := check_score(name), Strategy):
        raise CorollaryError(
            f"{shown(name)} is a strategy, which follows a session: Session(..., asking=Asking(score=...))"
        )
    return masked(raw_scores(checked, theta, onto, known), known)


def check_score(name: SessionScore) -> AnyScore:
    """The name if it is one, or an error with the names there are."""
    if isinstance(name, Strategy) and not isinstance(name, type):
        return name
    if isinstance(name, str) and name == CONTRAST:
        raise CorollaryError(
            "the score 'contrast' needs the nearest neighbours of items: use it in a session: Asking(score='contrast')"
        )
    if not callable(name) and not (isinstance(name, str) and name in NAMES):
        names = (*NAMES, CONTRAST)
        hint = nearest(name, names) if isinstance(name, str) else ";"
        raise CorollaryError(
            f"no score {shown(name)}{hint} There are: {', '.join(NAMES)}; in sessions also {CONTRAST} and auto"
        )
    return name


def check_session_score(name: SessionScore) -> SessionScore:
    """The same for a session, which has one more."""
    return CONTRAST if isinstance(name, str) and name == CONTRAST else check_score(name)


def name_of(score: SessionScore | Literal["auto"]) -> str:
    """What a score is called."""
    if isinstance(score, str):
        return score
    unnamed = "surprise" if callable(score) else type(score).__name__
    return str(getattr(score, "__name__", unnamed))


def masked(scores: Floats, known: Facts) -> Floats:
    """Scores with -inf in place of known cells."""
    is_known = known >= 0
    if is_known.any():
        scores[is_known] = -np.inf
    return scores


def raw_scores(name: ScoreName | Surprise, beliefs: Floats, onto: Ontology, known: Facts) -> Floats:
    """Scores before masking; `known` is completely propagated, or leaves propagation out on purpose."""
    match name:
        case "posterior":
            posterior = onto.infer(beliefs, known, propagated=True).posterior
            return _by_rows(lambda rows: entropy(posterior[rows]), beliefs.shape, out=posterior)
        case "gain":
            gain = onto.infer(beliefs, known, gain=True, propagated=True).gain
            assert gain is not None
            return gain
        case "entropy":
            return _by_rows(lambda rows: entropy(beliefs[rows]), beliefs.shape)
        case "probability":
            return beliefs.copy()
        case "random":
            raise CorollaryError(
                "random scores are drawn, not computed: use score(..., random_state=...)"
            )
    named: dict[str, Surprise] = {
        "log": log_surprise,
        "linear": linear_surprise,
        "expected": np.ones_like,
    }
    surprise = named[name] if isinstance(name, str) else name
    return _by_rows(
        lambda rows: constraint_score(surprise, beliefs[rows], onto, known[rows]), beliefs.shape
    )


def _by_rows(
    compute: Callable[[slice], Floats], shape: tuple[int, ...], *, out: Floats | None = None
) -> Floats:
    """Compute in blocks of rows that fit the cache, shared among the cores.

    `out` may be the input.
    """
    step = max(1, CELLS_AT_ONCE // max(1, shape[1]))
    if shape[0] <= step:
        return compute(slice(None))
    filled = np.empty(shape) if out is None else out
    compute(slice(0, 0))  # derived values are computed once, before threads start

    def run(start: int, stop: int) -> None:
        for first in range(start, stop, step):
            rows = slice(first, min(stop, first + step))
            filled[rows] = compute(rows)

    over_rows(run, shape[0], at_least=step)
    return filled


def entropy(p: Floats) -> Floats:
    """-p log p - (1-p) log(1-p), the paper's Eq. 1, in nats."""
    return binary_entropy(np.clip(p, CLIP, 1 - CLIP))


def log_surprise(p: Floats) -> Floats:
    """-log p."""
    return -np.log(np.clip(p, CLIP, 1.0))  # several times faster than maximum


def linear_surprise(p: Floats) -> Floats:
    """1 - p."""
    return 1.0 - p


def constraint_score(surprise: Surprise, beliefs: Floats, onto: Ontology, known: Facts) -> Floats:
    """The paper's Eq. 5 (and Eq. 4 under one exclusive group): the expected surprise of all that an answer settles."""
    if_yes, if_no = onto.consequences(
        surprise(beliefs), surprise(1.0 - beliefs), known, propagated=True
    )
    # p if_yes + (1-p) if_no, in place
    if_yes -= if_no
    if_yes *= beliefs
    if_yes += if_no
    return if_yes
