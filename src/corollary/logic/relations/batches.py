"""Components of one shape solved together: tables of few values, which a code says for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engines.rows import over_rows
from . import tables
from .batches_kernels import solve as eliminate
from .tables import Floats, Ints, Plan, Scope

#: Where weights sum to less, the largest of each table being 1, products may have lost digits; then logarithms serve.
LEAST = 1e-200
#: Components that a thread takes at once.
AT_LEAST = 8


@dataclass(frozen=True, slots=True)
class Coded:
    """A table of each component of a batch: logarithms of weights (B, W), and the value of each entry, -1 for none."""

    values: Floats
    code: Ints

    def written_out(self) -> Floats:
        """The table (B, ...)."""
        found = self.values[:, np.maximum(self.code, 0)]
        return np.where(self.code >= 0, found, -np.inf)

    def gathered(self, beliefs: Floats) -> Floats:
        """The summed probability of the entries of each value (B, W)."""
        found = np.zeros(self.values.shape)
        entry = np.flatnonzero(self.code.reshape(-1) >= 0)
        at = self.code.reshape(-1)[entry]
        np.add.at(found.T, at, beliefs.reshape(len(beliefs), -1)[:, entry].T)
        return found


def solve(
    cards: tuple[int, ...], scopes: tuple[Scope, ...], given: Sequence[Coded], how: Plan
) -> tuple[Floats, list[Floats]]:
    """The log of the summed weights (B,), and for each table the probability of its values (B, W)."""
    n = len(given[0].values)
    steps = _steps(cards, scopes, how)
    most = np.stack([one.values.max(axis=1) for one in given], axis=1)
    most = np.where(np.isfinite(most), most, 0.0)
    width = np.cumsum([0, *(one.values.shape[1] for one in given)])
    values = np.empty((n, width[-1]))
    for k, one in enumerate(given):
        np.exp(one.values - most[:, k, None], out=values[:, width[k] : width[k + 1]])
    codes = [
        np.where(given[k].code >= 0, given[k].code + width[k], -1).reshape(shape)
        for k, shape in steps.shapes
    ]
    code = np.concatenate(
        [
            np.zeros(0, np.int64),
            *(
                one.transpose(turn).reshape(-1)
                for one, turn in zip(codes, steps.turns, strict=True)
            ),
        ]
    )
    total, found = np.empty(n), np.empty(values.shape)

    def run(start: int, stop: int) -> None:
        some = slice(start, stop)
        eliminate(values[some], code, steps.size, steps.arrays, total[some], found[some])

    over_rows(run, n, at_least=AT_LEAST)
    used = {k for k, _ in steps.shapes}
    for k, one in enumerate(given):
        if k not in used:  # a table over variables of one value
            at = int(one.code.reshape(-1)[0])
            total *= values[:, width[k] + at]
            found[:, width[k] : width[k + 1]] = np.arange(one.values.shape[1]) == at
    beliefs = [found[:, width[k] : width[k + 1]] for k in range(len(given))]
    with np.errstate(divide="ignore"):
        log_z = np.log(total) + most.sum(axis=1)
    if (few := np.flatnonzero(~(total >= LEAST))).size:
        some = [Coded(one.values[few], one.code) for one in given]
        log_z[few], again = tables.solve(cards, scopes, [one.written_out() for one in some], how)
        for belief, one, table in zip(beliefs, some, again, strict=True):
            belief[few] = one.gathered(table)
    return log_z, beliefs


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan as arrays for the kernel; `shapes` and `turns` say how its tables are laid out, the variable last."""

    shapes: tuple[tuple[int, tuple[int, ...]], ...]
    turns: tuple[tuple[int, ...], ...]
    size: int
    arrays: tuple[Any, ...]


@lru_cache(maxsize=1024)
def _steps(cards: tuple[int, ...], scopes: tuple[Scope, ...], how: Plan) -> Steps:
    """The arrays of `batches_kernels.solve`, from `card` to `input_step`."""
    when = {one.variable: n for n, one in enumerate(how.buckets)}
    # the variable that is summed next goes innermost, so that messages are written and read in order
    around = [
        tuple(sorted((v for v in one.scope if v != one.variable), key=lambda v: -when[v]))
        for one in how.buckets
    ]
    shapes, turns = [], []
    base: dict[tuple[str, int], int] = {}
    order: dict[tuple[str, int], Scope] = {}
    size = 0
    for one, axes in zip(how.buckets, around, strict=True):
        for k in one.factors:
            kept = tuple(v for v in scopes[k] if cards[v] > 1)
            turned = (*(v for v in axes if v in kept), one.variable)
            shapes.append((k, tuple(cards[v] for v in kept)))
            turns.append(tuple(kept.index(v) for v in turned))
            base["table", k], order["table", k] = size, turned
            size += _entries(cards, kept)
    for one, axes in zip(how.buckets, around, strict=True):
        for m in one.messages:
            sent = around[m]
            order["message", m] = (*(v for v in axes if v in sent), one.variable)
            base["message", m] = size
            size += _entries(cards, sent)
    first_axis, first_level, level_input = [0], [], [0]
    axis_card: list[int] = []
    axis_step: list[int] = []
    target, input_base = [], []
    input_step: list[list[int]] = []
    for b, (one, axes) in enumerate(zip(how.buckets, around, strict=True)):
        out = ("message", b)
        target.append(base.get(out, -1))
        axis_card += [cards[v] for v in axes]
        axis_step += [_step(cards, order.get(out, ()), v) for v in axes]
        first_axis.append(len(axis_card))
        first_level.append(len(level_input) - 1)
        inputs = [("table", k) for k in one.factors] + [("message", m) for m in one.messages]
        for level in range(len(axes) + 1):
            for name in inputs:
                if max((axes.index(v) + 1 for v in order[name][:-1]), default=0) == level:
                    input_base.append(base[name])
                    input_step.append([_step(cards, order[name], v) for v in axes])
            level_input.append(len(input_base))
    deepest = max(map(len, around), default=0)
    steps = np.zeros((len(input_step), max(1, deepest)), np.int64)
    for i, row in enumerate(input_step):
        steps[i, : len(row)] = row
    arrays = (
        _whole([cards[one.variable] for one in how.buckets]),
        _whole(first_axis),
        _whole(axis_card),
        _whole(axis_step),
        _whole(target),
        _whole(first_level),
        _whole(level_input),
        _whole(input_base),
        steps,
    )
    return Steps(tuple(shapes), tuple(turns), size, arrays)


def _entries(cards: Sequence[int], scope: Scope) -> int:
    found = 1
    for v in scope:
        found *= cards[v]
    return found


def _step(cards: Sequence[int], order: Scope, v: int) -> int:
    """How far apart two neighbours along an axis are; 0 if the table does not have it."""
    return _entries(cards, order[order.index(v) + 1 :]) if v in order else 0


def _whole(values: Sequence[int]) -> Ints:
    found: npt.NDArray[np.int64] = np.array(values, np.int64)
    return found
