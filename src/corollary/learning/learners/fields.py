"""What all fields over the legal labellings have in common: scores, and beliefs that follow from these."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from ...logic.engines import Floats
from ..features.learner_inputs import Learns


class Field(Learns):
    """A learner of scores f, one a label, with P(y | x) ∝ exp(Σ f_k y_k) over the labellings y that are legal."""

    def decision_function(self, X: Any) -> Floats:
        """The scores f(x) of each item and label."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Floats:
        """The belief for each item and label; their posterior is what the field predicts."""
        return np.asarray(expit(self.decision_function(X)))
