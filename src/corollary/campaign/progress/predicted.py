"""What the model in use predicts: by label how many items have it, and how sure that is; there before any answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...learning.stopping.calibration import log_odds, risk
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..state.state import State

#: What predictions are of: the model, the ontology, how many items there are, which are withdrawn.
Which = tuple[int, int, int, frozenset[str]]


class Predicted(NamedTuple):
    """The most probable labelling, as far as the beliefs are to be trusted.

    `items` is the share of items that are expected to be all right; by label `yes` counts the items that have it, and
    `sure` is the share of items of which it is expected to be right.
    """

    items: float
    yes: list[int]
    sure: list[float]


def predicted(onto: Ontology, beliefs: Floats, known: Facts) -> Predicted:
    """What is predicted of some items, all that is known included."""
    labelling, odds, facts = onto.most_probable(beliefs, known), log_odds(beliefs), onto.propagate(known)
    q, _ = onto.marginals(odds, facts, propagated=True)
    wrong, _ = risk(onto, odds, facts, labelling)
    sure = 1.0 - np.abs(labelling - q).mean(axis=0)
    return Predicted(float(1.0 - wrong.mean()), (labelling == 1).sum(axis=0).tolist(), sure.tolist())


class Predictions:
    """Those of the last model, worked out once for each."""

    def __init__(self) -> None:
        self._which: Which | None = None
        self._found: Predicted | None = None
        self._parts: tuple[Ontology, Floats, Facts] | None = None

    def note(self, state: State) -> None:
        """Look at a campaign as it is now; called under its lock, and quick."""
        rows = state.in_use()
        if not state.has_model or not len(rows):
            self._which, self._found, self._parts = None, None, None
            return
        assert state.model is not None
        which = (int(state.model.value), state.version, len(state.ids), frozenset(state.withdrawn))
        if which != self._which:
            self._which, self._found = which, None
            self._parts = (state.onto, state.session.beliefs[rows], state.facts[rows])

    def get(self) -> Predicted | None:
        """What was predicted at the moment noted; None before the first model."""
        if self._found is None and self._parts is not None:
            self._found, self._parts = predicted(*self._parts), None
        return self._found
