"""Diagrams that are too large."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.engines import Budget, TooLarge
from corollary.logic.engines.diagram import Diagram

from .components import component


def test_a_diagram_over_budget_is_refused():
    rng = np.random.default_rng(0)
    n = 40
    clauses = [
        tuple(2 * k + int(rng.integers(2)) for k in rng.permutation(n)[:3].tolist())
        for _ in range(100)
    ]
    with pytest.raises(TooLarge, match="500 nodes"):
        Diagram.compile(component(n, [], clauses=clauses), Budget(states=500))
