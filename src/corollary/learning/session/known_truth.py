"""Answers from a known truth, computed for many items at once, so that a simulation is fast."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...logic.engines import Facts, Floats
from ..choosing.best_questions import Chooser
from ..knowledge import Knowledge, Rows
from ..question import Asked

#: Takes rows. Returns their known labels after the answer to the best question, and the score and
#: label of the next one.
Step = Callable[[Rows], tuple[Facts, Floats, Rows]]
#: The number of items computed at once.
AHEAD = 256


def answered(
    chooser: Chooser, known: Knowledge, true: Facts, n: int, cost: Floats, *, in_batches: bool
) -> Asked:
    """Ask the n best questions in turn and take each answer from the truth.

    `cost` (K+1,) is the cost of each question.
    """
    ahead = (
        LookAhead(chooser.values, true.shape[1], _step(chooser, known, true))
        if in_batches
        else None
    )
    item = np.empty(n, np.int64)
    label = np.empty(n, np.int64)
    asked = 0
    while asked < n and (found := chooser.next()) is not None:
        i, k, _ = found
        item[asked] = i
        label[asked] = k
        asked += 1
        cells = _cells(i, k, known, true)
        after, value, then = ahead.take(i) if ahead else (known.after(i, cells), 0.0, 0)
        known.take(i, cells, after)
        if k == true.shape[1]:
            known.take_whole(i, cells)
        if ahead:
            chooser.update(i, value, then)
        else:
            chooser.changed(i)
        chooser.asked(i, k)
    item = item[:asked]
    label = label[:asked]
    whole = label == true.shape[1]
    values = np.where(whole, -1, true[item, np.where(whole, 0, label)]).astype(np.int8)
    return Asked(item, label, values, cost[label])


def _step(chooser: Chooser, known: Knowledge, true: Facts) -> Step:
    def step(rows: Rows) -> tuple[Facts, Floats, Rows]:
        facts = known.known[rows]
        label = chooser.label[rows]
        whole = label == true.shape[1]
        some = ~whole & (chooser.values[rows] > -np.inf)
        facts[some, label[some]] = true[rows[some], label[some]]
        facts[whole] = true[rows[whole]]
        facts = known.complete(facts)
        return facts, *chooser.best(rows, facts)

    return step


def _cells(i: int, k: int, known: Knowledge, true: Facts) -> dict[int, bool]:
    """Return the cells of the true answer to a question, without consequences."""
    if k < true.shape[1]:
        return {k: bool(true[i, k])}
    cells = {j: bool(true[i, j]) for j in np.flatnonzero(known.facts_of(i) < 0).tolist()}
    return cells


class LookAhead:
    """The next state of items, computed in batches of items that are probably asked soon."""

    def __init__(self, values: Floats, n_labels: int, step: Step):
        n = len(values)
        self._step = step
        self._order = np.argsort(-values, kind="stable")[: np.count_nonzero(values > -np.inf)]
        self._at = 0
        self._ready = np.zeros(n, np.bool_)
        self._taken: list[int] = []  # since the last batch; they may soon be asked again
        self._known = np.empty((n, n_labels), np.int8)
        self._value = np.empty(n)
        self._label = np.empty(n, np.int64)

    def take(self, i: int) -> tuple[Facts, float, int]:
        """Return the state of item i after its best question."""
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
