"""The queue of questions: items by the best one of each, the first at once, a change in O(log N)."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Floats


class BestFirst:
    """A tournament among N values, which are kept as they are given; of equals the one with the smaller index wins."""

    def __init__(self, values: Floats):
        from . import question_queue_kernels as queue_kernels

        self.values = np.ascontiguousarray(values, np.float64)
        leaves = 1 << max(len(self.values) - 1, 1).bit_length()
        self._winner = np.full(leaves, -1, np.int32)
        queue_kernels.build(self.values, self._winner)
        self._update = queue_kernels.update

    def best(self) -> int | None:
        """The index of the largest value; None when all are -inf."""
        if not len(self.values):
            return None
        winner = int(self._winner[1])
        return None if self.values[winner] == -np.inf else winner

    def update(self, i: int, value: float) -> None:
        """Change one value."""
        self._update(self.values, self._winner, i, value)
