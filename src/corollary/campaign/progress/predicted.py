"""What the model in use predicts: by label how many items have it, and how sure that is; there before any answer."""

from __future__ import annotations

from threading import Thread
from typing import NamedTuple

import numpy as np

from ...learning.stopping.calibration import log_odds, log_probability
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
    labelling = onto.most_probable(beliefs, known)
    odds = log_odds(beliefs)
    q, log_z = onto.marginals(odds, known)
    sure = 1.0 - np.abs(labelling - q).mean(axis=0)
    items = float(np.exp(log_probability(onto, odds, labelling, log_z)).mean())
    return Predicted(items, (labelling == 1).sum(axis=0).tolist(), sure.tolist())


class Predictions:
    """Those of the last model, worked out by a thread of its own; each model's once."""

    def __init__(self) -> None:
        self._which: Which | None = None
        self._found: Predicted | None = None
        self._thread: Thread | None = None
        self.error: str | None = None

    def get(self, state: State) -> Predicted | None:
        """What is predicted, by the model before while that of the last is worked out; None before the first model.

        Called under the campaign's lock, which the work itself does not need.
        """
        rows = state.in_use()
        if not state.has_model or not len(rows):
            self._which = None
            self._found = None
            self.error = None
            return None
        assert state.model is not None
        which = (int(state.model.value), state.version, len(state.ids), frozenset(state.withdrawn))
        if which != self._which and (self._thread is None or not self._thread.is_alive()):
            if self._which is None or self._which[1] != state.version:
                self._found = None  # the labels may be others
            self._which = which
            parts = (state.onto, state.session.beliefs[rows], state.facts[rows])
            self._thread = Thread(target=self._work, args=parts, daemon=True)
            self._thread.start()
        return self._found if self._which is not None and self._which[1] == state.version else None

    def wait(self) -> None:
        """Until what is being worked out is there."""
        if self._thread is not None:
            self._thread.join()

    def _work(self, onto: Ontology, beliefs: Floats, known: Facts) -> None:
        try:
            self._found = predicted(onto, beliefs, known)
            self.error = None
        except Exception as error:  # the lead is told, and the campaign goes on
            self._found = None
            self.error = str(error)
