"""Learners: what fits facts and gives beliefs. The Protocol, and a learner for every name, classifier or object."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

from sklearn.base import BaseEstimator, clone, is_classifier

from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import shown
from .crf import CRF
from .learner_names import LEARNERS
from .meaning import Meaning
from .paper.logistic import Logistic
from .pool import Pool, with_onto
from .scikit_learn.classifiers import PerLabel, check_gives_beliefs


@runtime_checkable
class Learner(Protocol):
    """Fits facts and gives beliefs.

    `fit` does not use cells that are -1; called again it continues where the learner can. `predict_proba` gives a
    belief for every label: those with one answer or none known get (yes + 1) / (known + 2) and are in `untrained_`.
    """

    def fit(self, X: Any, facts: Any, /) -> Self:
        """Learn from the known cells of facts (items x labels; -1 unknown, 0 no, 1 yes)."""
        ...

    def predict_proba(self, X: Any) -> Floats:
        """Beliefs, items x labels."""
        ...


def make_learner(
    spec: object, *, onto: Ontology | None = None, random_state: Any = 0, device: str = "cpu"
) -> Learner:
    """Make a learner of its own for `spec`.

    Parameters
    ----------
    spec
        A name, a learner, or a classifier or pipeline of scikit-learn. The names are "auto" ("pool",
        and without an ontology "logistic"), "pool" (see `Pool`), "logistic" (the paper's), "crf" (see
        `CRF`) and "meaning" (see `Meaning`). Estimators are cloned, so that sessions share nothing.
    onto
        The ontology for estimators that have none of their own.
    random_state
        The seed of all random choices.
    device
        The device of learners given by name; a learner that is passed has its own.

    Raises
    ------
    CorollaryError
        If there is no learner of that name, or the object is no learner.
    """
    if isinstance(spec, str):
        return _named(spec, onto, random_state, device)
    if isinstance(spec, type):
        raise CorollaryError(f"{spec.__name__} is a class; pass an instance: {spec.__name__}()")
    if isinstance(spec, BaseEstimator) and is_classifier(spec):
        check_gives_beliefs(spec)
        return PerLabel(clone(spec), random_state=random_state)
    if not isinstance(spec, Learner):
        raise CorollaryError(
            f"{shown(spec)} is no learner: it needs fit(X, facts) and predict_proba(X), or to be a classifier of "
            "scikit-learn"
        )
    if not isinstance(spec, BaseEstimator):
        return spec
    made: Learner = clone(spec) if onto is None else with_onto(spec, onto)
    return made


def _named(name: str, onto: Ontology | None, random_state: Any, device: str) -> Learner:
    if name not in LEARNERS:
        raise CorollaryError(
            f"no learner {name!r}; there is: {', '.join(LEARNERS)}, or pass a learner or classifier"
        )
    if name == "logistic" or (name == "auto" and onto is None):
        return Logistic(random_state=random_state)
    if onto is None:
        raise CorollaryError(f"the learner {name!r} fits the logic: it needs the ontology too")
    if name == "meaning":
        return Meaning(onto)
    kind = CRF if name == "crf" else Pool
    return kind(onto, random_state=random_state, device=device)
