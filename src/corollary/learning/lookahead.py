"""What the answers of a known truth lead to, worked out for many items at once, so that a simulation is fast."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..logic.engines import Facts, Floats

Rows = npt.NDArray[np.int64]
#: Rows in; out: what is known of each after its best question is answered, and its next best score and label.
Step = Callable[[Rows], tuple[Facts, Floats, Rows]]
#: How many items are worked out at once.
AHEAD = 256


class LookAhead:
    """The next state of items, computed in batches: an item in need together with those likely to be next."""

    def __init__(self, values: Floats, n_labels: int, step: Step):
        n = len(values)
        self._step = step
        self._order = np.argsort(-values, kind="stable")[: np.count_nonzero(values > -np.inf)]
        self._at = 0
        self._ready = np.zeros(n, np.bool_)
        self._taken: list[int] = []  # since the last batch: they may well be asked again
        self._known = np.empty((n, n_labels), np.int8)
        self._value = np.empty(n)
        self._label = np.empty(n, np.int64)

    def take(self, i: int) -> tuple[Facts, float, int]:
        """The state of item i after its best question."""
        if not self._ready[i]:
            self._work_out(i)
        self._ready[i] = False
        self._taken.append(i)
        return self._known[i], float(self._value[i]), int(self._label[i])

    def _work_out(self, i: int) -> None:
        rows = {i, *self._taken[-AHEAD:]}
        self._taken.clear()
        more = self._order[self._at : self._at + AHEAD]
        self._at += len(more)
        rows.update(more.tolist())
        wanted = np.array([j for j in sorted(rows) if not self._ready[j]], np.int64)
        self._known[wanted], self._value[wanted], self._label[wanted] = self._step(wanted)
        self._ready[wanted] = True
