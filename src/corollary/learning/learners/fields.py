"""What all fields over the legal labellings have in common: scores, beliefs that follow from these, and the loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..features.learner_inputs import Learns


class Field(Learns, ABC):
    """A learner of scores f, one a label, with P(y | x) ∝ exp(Σ f_k y_k) over the labellings y that are legal."""

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """The scores f(x) of each item and label."""

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label; their posterior is what the field predicts."""
        return np.asarray(expit(self.decision_function(X)))


def loss_of(
    onto: Ontology, known: Facts, counts: Floats
) -> Callable[[Floats], tuple[float, Floats]]:
    """A function of scores (N, K): less the log-likelihood of the known cells, each item as often as it counts.

    With it comes its slope: the posterior without the facts less the posterior with them. `known` is propagated.
    """
    partial = np.flatnonzero((known < 0).any(axis=1))
    known_cells = known[partial]
    in_full = known.astype(np.float64)
    in_full[partial] = 0.0
    equal = bool((counts == 1).all())

    def loss(scores: Floats) -> tuple[float, Floats]:
        slope, log_z = onto.marginals(scores)
        log_facts = np.einsum("nk,nk->n", in_full, scores)
        slope -= in_full
        if len(partial):
            with_facts, log_facts[partial] = onto.marginals(
                scores[partial], known_cells, propagated=True
            )
            slope[partial] -= with_facts
        return float(counts @ (log_z - log_facts)), slope if equal else slope * counts[:, None]

    return loss
