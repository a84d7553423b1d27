"""Methods by name: a score, with or without propagation, and what it predicts of open cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from ..learning.choosing.scores import CONTRAST, SessionScore
from ..learning.choosing.scores import NAMES as OF_BELIEFS
from ..learning.choosing.strategy import Strategy
from ..logic.errors import CorollaryError, nearest

Prediction = Literal["beliefs", "posterior"]

#: The paper's seven, as it names them.
PAPER = ("RANDOM", "ENTROPY", "RANDOM-CP", "ENTROPY-CP", "PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
#: Questions between two trainings in the paper's experiments (Table 1 and appendix).
PAPER_ROUNDS = {
    "iris": 1,
    "segment": 100,
    "satimage": 100,
    "vowel": 10,
    "nell-7": 500,
    "nell-11": 1000,
    "pendigits": 100,
    "letter": 1000,
    "shuttle": 1000,
    "nell-13": 2000,
}
#: What goes past the paper's experiments.
BEYOND = ("expected", "posterior", "gain")
#: What a session can choose by.
SCORES = (*OF_BELIEFS, CONTRAST)
PREDICTIONS: tuple[Prediction, ...] = ("beliefs", "posterior")


@dataclass(frozen=True, slots=True)
class Method:
    """How questions are chosen, whether answers propagate, and the prediction of open cells."""

    name: str
    score: SessionScore
    propagate: bool
    predict: Prediction


def method_named(name: str | Strategy, *, predict: str | None = None) -> Method:
    """Return a method by its name, or the method that chooses by a strategy of your own.

    Parameters
    ----------
    name
        A score's name in lower case, or in upper case with `-CP` (propagation) or without it. So
        `LOG-CP` and `log` are the same, and `ENTROPY` is `entropy` without propagation. Or a
        `Strategy`.
    predict
        The prediction of open cells: "beliefs" or "posterior". By default the beliefs, as in the
        paper, unless the posterior chooses the questions.

    Raises
    ------
    CorollaryError
        If no method has this name, or `predict` is neither of the two.
    """
    if predict is not None and predict not in PREDICTIONS:
        raise CorollaryError(f"predict must be 'beliefs' or 'posterior', got {predict!r}")
    prediction: Prediction | None = predict
    if isinstance(name, Strategy) and not isinstance(name, type):
        return Method(repr(name), name, propagate=True, predict=prediction or "posterior")
    base = name.removesuffix("-CP") if isinstance(name, str) else ""
    score = base.lower()
    if score not in SCORES or name not in (score, score.upper(), f"{score.upper()}-CP"):
        named = (*SCORES, *PAPER)
        hint = nearest(str(name), named)
        raise CorollaryError(f"no method {name!r}{hint}; there are: {', '.join(named)}")
    of_posterior = score in ("posterior", "gain", CONTRAST)
    return Method(
        name,
        cast(SessionScore, score),
        propagate=name != score.upper(),
        predict=prediction or ("posterior" if of_posterior else "beliefs"),
    )
