"""The names of methods: a score or a strategy of others, with or without propagation, and how it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from ..learning.choosing.scores import CONTRAST
from ..learning.choosing.scores import NAMES as OF_BELIEFS
from ..logic.errors import CorollaryError, nearest
from .strategies.forms import Form
from .strategies.named import NAMES as STRATEGIES

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
    """How questions are chosen, whether answers propagate, and what is predicted for open cells."""

    name: str
    #: A score's name; with a form, the name of a strategy (see `make_strategy`).
    score: str
    propagate: bool
    predict: Prediction
    form: Form | None = None


def method_named(name: str, *, predict: str | None = None) -> Method:
    """A method by its name: a score's name in lower case, or in upper case with `-CP` (propagation) or without.

    So `LOG-CP` and `log` are the same, and `ENTROPY` is `entropy` without propagation. `LOG-CP:marginals` scores the
    posterior's marginals in place of the learner's beliefs; `margin:items` and `bald:cells` are strategies of others,
    about whole items or about cells (`STRATEGIES` has all of them). Open cells are predicted by the classifiers'
    beliefs, as in the paper; by the posterior where the choice is taken from it; `predict` overrules both.
    """
    told = name if isinstance(name, str) else ""
    base, _, form = told.partition(":")
    score = base.removesuffix("-CP").lower()
    known = STRATEGIES.get(form, SCORES)
    spelled = (
        (score,) if form in ("items", "cells") else (score, score.upper(), score.upper() + "-CP")
    )
    if score not in known or base not in spelled or (":" in told and form not in STRATEGIES):
        named = (
            *SCORES,
            *PAPER,
            *(f"{one}:{form}" for form, some in STRATEGIES.items() for one in some),
        )
        raise CorollaryError(
            f"no method {name!r}{nearest(str(name), named)}; there are: {', '.join(named)}"
        )
    if predict is None:
        predict = "posterior" if form or score in ("posterior", "gain", CONTRAST) else "beliefs"
    if predict not in PREDICTIONS:
        raise CorollaryError(f"predict must be 'beliefs' or 'posterior', got {predict!r}")
    return Method(name, score, base != score.upper(), predict, cast(Form, form) if form else None)
