"""The names of methods: a score, with or without propagation, and how it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from ..learning.choosing.scores import NAMES as SCORES
from ..learning.choosing.scores import ScoreName
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
PREDICTIONS: tuple[Prediction, ...] = ("beliefs", "posterior")


@dataclass(frozen=True, slots=True)
class Method:
    """How questions are chosen, whether answers propagate, and what is predicted for open cells."""

    name: str
    score: ScoreName
    propagate: bool
    predict: Prediction


def method_named(name: str, *, predict: str | None = None) -> Method:
    """A method by its name: a score's name in lower case, or in upper case with `-CP` (propagation) or without.

    So `LOG-CP` and `log` are the same, and `ENTROPY` is `entropy` without propagation. Open cells are predicted by the
    classifiers' beliefs, as in the paper; by the posterior where the score is taken from it; `predict` overrules both.
    """
    stem = name.removesuffix("-CP") if isinstance(name, str) else ""
    score = stem.lower()
    if score not in SCORES or name not in (score, score.upper(), score.upper() + "-CP"):
        known = (*SCORES, *PAPER)
        raise CorollaryError(f"no method {name!r}{nearest(str(name), known)}; there are: {', '.join(known)}")
    if predict is None:
        predict = "posterior" if score in ("posterior", "gain") else "beliefs"
    if predict not in PREDICTIONS:
        raise CorollaryError(f"predict must be 'beliefs' or 'posterior', got {predict!r}")
    return Method(name, cast(ScoreName, score), name != score.upper(), predict)
