"""BALD: where the members of a committee disagree, each sure of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from corollary.learning.choosing.scores import entropy
from corollary.learning.choosing.strategy import Situation, Worth
from corollary.learning.features.learner_inputs import same_features
from corollary.learning.knowledge import Rows
from corollary.learning.learners.pool import Pool
from corollary.logic.engines import Facts, Floats
from corollary.logic.errors import CorollaryError
from corollary.logic.ontology import Ontology

from .forms import Ints, ranked

#: A learner without members is fitted to so many samples of what is known, drawn with replacement.
SAMPLES = 5


class Bald:
    """Asks the cell about which the answer tells most of who is right in the committee."""

    def worth(self, now: Situation, /) -> Worth:
        """The information between a cell and the member that is right, each equally likely to be."""
        members = committee(now)

        def worth(rows: Rows, known: Facts) -> Floats:
            return disagreement(now.onto, members[:, rows], now.complete(known))

        return worth


def by_bald(now: Situation) -> Ints:
    """First the item with most such information, summed over its open cells."""
    return ranked(disagreement(now.onto, committee(now), now.complete(now.known)).sum(axis=1))


def disagreement(onto: Ontology, beliefs: Floats, known: Facts) -> Floats:
    """The entropy of what members (M, N, K) believe together less the mean of their own, under the logic, (N, K)."""
    marginals = np.stack(
        [onto.infer(of_one, known, propagated=True).posterior for of_one in beliefs]
    )
    together = entropy(marginals.mean(axis=0)) - entropy(marginals).mean(axis=0)
    return np.asarray(np.where(known >= 0, 0.0, together.clip(0.0)))


def committee(now: Situation) -> Floats:
    """What each member believes, (M, N, K): the members of a pool, else the learner fitted to samples."""
    if isinstance(now.learner, Pool):
        members = [
            one for name, one in now.learner.members_.items() if now.learner.weights_[name] > 0
        ]
        matrix = same_features(now.learner, now.X)
        if len(members) > 1:
            return np.stack(
                [expit(np.clip(one.decision_function(matrix), -500, 500)) for one in members]
            )
        return _of_samples(members[0], matrix, now)
    return _of_samples(now.learner, now.X, now)


def _of_samples(learner: Any, X: Any, now: Situation) -> Floats:
    if not isinstance(learner, BaseEstimator):
        raise CorollaryError(
            f"BALD needs several opinions: a pool, or a learner that can be cloned, not {learner!r}"
        )
    random = np.random.default_rng(now.seed)
    taught = np.flatnonzero((now.known >= 0).any(axis=1))
    found = []
    for _ in range(SAMPLES):
        rows = random.choice(taught, len(taught)) if len(taught) else taught
        facts = np.full_like(now.known, -1)
        facts[rows] = now.known[rows]  # an item that was drawn twice counts once
        found.append(clone(learner).fit(X, facts).predict_proba(X))
    return np.stack(found)
