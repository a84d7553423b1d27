"""Predictions of the current model: how many items have each label, and how sure that is."""

from __future__ import annotations

from threading import Thread
from typing import NamedTuple

import numpy as np

from ...learning.stopping.calibration import log_odds, log_probability
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..state.state import State

#: Predictions depend on the model, the ontology, the number of items, and the withdrawn ones.
Which = tuple[int, int, int, frozenset[str]]


class Predicted(NamedTuple):
    """Figures of the most probable labelling, if the beliefs are right.

    Attributes
    ----------
    items
        The expected share of items with all labels right.
    yes
        The number of items with each label.
    sure
        The expected share of items that are right about each label.
    """

    items: float
    yes: list[int]
    sure: list[float]


def predicted(onto: Ontology, beliefs: Floats, known: Facts) -> Predicted:
    """Return the figures of the predictions for some items, including their known labels."""
    labelling = onto.most_probable(beliefs, known)
    odds = log_odds(beliefs)
    q, log_z = onto.marginals(odds, known)
    sure = 1.0 - np.abs(labelling - q).mean(axis=0)
    items = float(np.exp(log_probability(onto, odds, labelling, log_z)).mean())
    return Predicted(items, (labelling == 1).sum(axis=0).tolist(), sure.tolist())


class Predictions:
    """The predictions of the last model, computed once for each model in a thread."""

    def __init__(self) -> None:
        self._which: Which | None = None
        self._found: Predicted | None = None
        self._thread: Thread | None = None
        self.error: str | None = None

    def get(self, state: State) -> Predicted | None:
        """Return the predictions, of an earlier model during the computation; needs the campaign's lock.

        None before the first model.
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
                self._found = None  # the labels may have changed
            self._which = which
            parts = (state.onto, state.session.beliefs[rows], state.facts[rows])
            self._thread = Thread(target=self._work, args=parts, daemon=True)
            self._thread.start()
        return self._found if self._which is not None and self._which[1] == state.version else None

    def wait(self) -> None:
        """Wait until the running computation has finished."""
        if self._thread is not None:
            self._thread.join()

    def _work(self, onto: Ontology, beliefs: Floats, known: Facts) -> None:
        try:
            self._found = predicted(onto, beliefs, known)
            self.error = None
        except Exception as error:  # shown to the lead; the campaign goes on
            self._found = None
            self.error = str(error)
