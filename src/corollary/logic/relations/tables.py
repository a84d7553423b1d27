"""Sums and maxima over a model of tables: exact by elimination, or an estimate by messages that go round.

A table has an axis for each variable of its scope, and before them one for the models of a batch, all of one shape.
Numbers are logarithms of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import prod

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Scope = tuple[int, ...]

#: The ties between more neighbours than this are not counted one by one.
WIDE = 64
#: Messages go round at most this often, or until none changes by more than the tolerance.
ROUNDS = 200
#: But no more entries of tables than this are read in all rounds, so that a giant takes a minute or so.
ENTRIES = 500_000_000
#: And never fewer rounds than this.
FEWEST_ROUNDS = 5
TOLERANCE = 1e-10
#: This share of the old message stays in the new one, so that they settle.
DAMPING = 0.3


@dataclass(frozen=True, slots=True)
class Bucket:
    """One step of elimination: the variable, the variables of its table, and the tables that come in."""

    variable: int
    scope: Scope
    factors: tuple[int, ...]
    messages: tuple[int, ...]  # of earlier buckets


@dataclass(frozen=True, slots=True)
class Plan:
    """An order of elimination; `size` is the number of entries of the largest table."""

    buckets: tuple[Bucket, ...]
    size: int


def plan(cards: Sequence[int], scopes: Sequence[Scope], most: int | None = None) -> Plan:
    """An order that ties few variables together at each step; variables of one value are left out.

    A plan with a table of more than `most` entries is not finished: it has no buckets, and the size of that table.
    """
    return _plan(tuple(cards), tuple(scopes), most)


@lru_cache(maxsize=256)
def _plan(cards: tuple[int, ...], scopes: tuple[Scope, ...], most: int | None) -> Plan:
    near: dict[int, set[int]] = {v: set() for v, card in enumerate(cards) if card > 1}
    for scope in scopes:
        for v in scope:
            if v in near:
                near[v].update(u for u in scope if u in near and u != v)
    factors: dict[int, set[int]] = {v: set() for v in near}
    messages: dict[int, set[int]] = {v: set() for v in near}
    for n, scope in enumerate(scopes):
        for v in scope:
            if v in near:
                factors[v].add(n)
    kept = [[v for v in scope if v in near] for scope in scopes]
    buckets: list[Bucket] = []
    size = 1
    queue = [(_fill(near, v), v) for v in near]
    heapify(queue)
    while near:
        said, v = heappop(queue)
        if v not in near:
            continue
        if (fill := _fill(near, v)) > said:
            heappush(queue, (fill, v))
            continue
        around = near.pop(v)
        scope = tuple(sorted({v, *around}))
        size = max(size, prod(cards[u] for u in scope))
        if most is not None and size > most:
            return Plan((), size)
        for u in around:
            near[u] |= around - {u}
            near[u].discard(v)
        for u in around:
            heappush(queue, (_fill(near, u), u))
        bucket = Bucket(v, scope, tuple(sorted(factors.pop(v))), tuple(sorted(messages.pop(v))))
        for n in bucket.factors:
            for u in kept[n]:
                if u != v:
                    factors[u].discard(n)
        for n in bucket.messages:
            for u in buckets[n].scope:
                if u in messages:
                    messages[u].discard(n)
        for u in around:
            messages[u].add(len(buckets))
        buckets.append(bucket)
    return Plan(tuple(buckets), size)


def _fill(near: dict[int, set[int]], v: int) -> int:
    """How many ties elimination of the variable adds, counted twice; of many neighbours only a bound."""
    around = near[v]
    if len(around) > WIDE:
        return len(around) ** 2
    return sum(len(around - near[u]) - 1 for u in around)


def solve(
    cards: Sequence[int], scopes: Sequence[Scope], tables: Sequence[Floats], how: Plan
) -> tuple[Floats, list[Floats]]:
    """The log of the summed weights (B,), and for each table the probability of its entries."""
    total, made = _upwards(cards, scopes, tables, how, _log_sum)
    beliefs: list[Floats | None] = [None] * len(how.buckets)
    found: list[Floats] = [np.ones(table.shape) for table in tables]
    above = {child: n for n, bucket in enumerate(how.buckets) for child in bucket.messages}
    for n in reversed(range(len(how.buckets))):
        bucket = how.buckets[n]
        table = made[n]
        rest = tuple(v for v in bucket.scope if v != bucket.variable)
        if n in above:
            higher = how.buckets[above[n]]
            belief = beliefs[above[n]]
            assert belief is not None
            mine = _onto(belief, higher.scope, rest)
            sent = _log_sum(table, bucket.scope.index(bucket.variable) + 1)
            with np.errstate(invalid="ignore"):
                down = np.where(np.isneginf(sent), -np.inf, mine - sent)
            table = table + _spread(down, rest, bucket.scope, cards)
        else:
            table = table - _onto(table, bucket.scope, ()).reshape(-1, *[1] * len(bucket.scope))
        beliefs[n] = table
        for factor in bucket.factors:
            kept = tuple(v for v in scopes[factor] if cards[v] > 1)
            probability = np.exp(_onto(table, bucket.scope, kept))
            found[factor] = probability.reshape(tables[factor].shape)
    return total, found


def best(
    cards: Sequence[int], scopes: Sequence[Scope], tables: Sequence[Floats], how: Plan
) -> Ints:
    """The value of each variable where the weight is largest (B, V)."""
    total, made = _upwards(cards, scopes, tables, how, lambda table, axis: table.max(axis=axis))
    chosen = np.zeros((len(total), len(cards)), np.int64)
    every = np.arange(len(total))
    for n in reversed(range(len(how.buckets))):
        bucket = how.buckets[n]
        table = np.moveaxis(made[n], bucket.scope.index(bucket.variable) + 1, -1)
        rest = (chosen[:, v] for v in bucket.scope if v != bucket.variable)
        chosen[:, bucket.variable] = table[(every, *rest)].argmax(axis=-1)
    return chosen


def _upwards(
    cards: Sequence[int],
    scopes: Sequence[Scope],
    tables: Sequence[Floats],
    how: Plan,
    reduce: Callable[[Floats, int], Floats],
) -> tuple[Floats, list[Floats]]:
    """Each bucket's table, and the total over all variables."""
    used = {factor for bucket in how.buckets for factor in bucket.factors}
    total = np.zeros(len(tables[0]))
    for n, table in enumerate(tables):
        if n not in used:
            total = total + table.reshape(len(table))
    made: list[Floats] = []
    sent: list[Floats] = []
    for bucket in how.buckets:
        table = np.zeros((len(total), *(cards[v] for v in bucket.scope)))
        for n in bucket.factors:
            kept = tuple(v for v in scopes[n] if cards[v] > 1)
            table += _spread(tables[n], kept, bucket.scope, cards)
        for n in bucket.messages:
            rest = tuple(v for v in how.buckets[n].scope if v != how.buckets[n].variable)
            table += _spread(sent[n], rest, bucket.scope, cards)
        made.append(table)
        sent.append(reduce(table, bucket.scope.index(bucket.variable) + 1))
        if len(bucket.scope) == 1:
            total = total + sent[-1]
    return total, made


def _spread(table: Floats, scope: Scope, wide: Scope, cards: Sequence[int]) -> Floats:
    """The table with axes of length 1 for the other variables; both scopes are in ascending order."""
    return table.reshape(len(table), *(cards[v] if v in scope else 1 for v in wide))


def _onto(table: Floats, scope: Scope, kept: Scope) -> Floats:
    """Summed over the variables that are not kept."""
    axes = tuple(n + 1 for n, v in enumerate(scope) if v not in kept)
    return _log_sum(table, axes) if axes else table


def _log_sum(table: Floats, axis: int | tuple[int, ...]) -> Floats:
    most = table.max(axis=axis, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(table - most).sum(axis=axis)) + most.squeeze(axis)
    return found


def estimate(
    cards: Sequence[int], scopes: Sequence[Scope], tables: Sequence[Floats]
) -> tuple[Floats, list[Floats]]:
    """The same as `solve` for one model, estimated by loopy belief propagation."""
    wide = max(cards, default=1)
    groups: dict[tuple[int, ...], list[int]] = {}
    for n, scope in enumerate(scopes):
        groups.setdefault(tuple(cards[v] for v in scope), []).append(n)
    stacked = [np.concatenate([tables[n] for n in members]) for members in groups.values()]
    variables = [np.array([scopes[n] for n in members], np.int64) for members in groups.values()]
    sent = [
        [np.zeros((len(one), card)) for card in shape]
        for shape, one in zip(groups, stacked, strict=True)
    ]

    def gathered() -> Floats:
        found = np.zeros((len(cards), wide))
        for shape, at, messages in zip(groups, variables, sent, strict=True):
            for axis, card in enumerate(shape):
                np.add.at(found[:, :card], at[:, axis], messages[axis])
        return found

    def incoming(shape: tuple[int, ...], g: int, sums: Floats) -> Floats:
        """The tables of a group with all that their variables hear from elsewhere."""
        table = stacked[g]
        for axis, card in enumerate(shape):
            with np.errstate(invalid="ignore"):
                other = sums[variables[g][:, axis], :card] - sent[g][axis]
            other = np.where(np.isnan(other), -np.inf, other)
            table = table + other.reshape(
                len(table), *(card if a == axis else 1 for a in range(len(shape)))
            )
        return table

    entries = sum(table.size for table in stacked)
    for _ in range(min(ROUNDS, max(FEWEST_ROUNDS, ENTRIES // max(1, entries)))):
        sums = gathered()
        change = 0.0
        for g, shape in enumerate(groups):
            whole = incoming(shape, g, sums)
            for axis in range(len(shape)):
                others = tuple(a + 1 for a in range(len(shape)) if a != axis)
                marginal = _log_sum(whole, others) if others else whole
                with np.errstate(invalid="ignore"):
                    new = marginal - (sums[variables[g][:, axis], : shape[axis]] - sent[g][axis])
                new = np.where(np.isnan(new), -np.inf, new)
                new = new - new.max(axis=1, keepdims=True)
                old = sent[g][axis]
                mixed = np.where(
                    np.isfinite(old),
                    DAMPING * np.where(np.isfinite(old), old, 0) + (1 - DAMPING) * new,
                    new,
                )
                moved = np.abs(np.exp(mixed) - np.exp(old)).max(initial=0.0)
                change = max(change, float(moved))
                sent[g][axis] = mixed
        if change < TOLERANCE:
            break
    sums = gathered()
    total = 0.0
    found: list[Floats] = [np.ones(0)] * len(tables)
    degree = np.bincount(
        np.concatenate([at.reshape(-1) for at in variables] or [np.zeros(0, np.int64)]),
        minlength=len(cards),
    )
    for g, (shape, members) in enumerate(groups.items()):
        axes = tuple(range(1, len(shape) + 1))
        whole = incoming(shape, g, sums)
        belief = (
            np.exp(whole - _log_sum(whole, axes).reshape(-1, *[1] * len(shape)))
            if axes
            else np.ones(len(whole))
        )
        total += _expected(belief, stacked[g]) + _entropy(belief)
        for place, n in enumerate(members):
            found[n] = belief[place : place + 1]
    for v, card in enumerate(cards):
        own = sums[v, :card]
        p = np.exp(own - _log_sum(own, 0))
        total -= (degree[v] - 1) * _entropy(p)
    return np.array([total]), found


def _expected(p: Floats, values: Floats) -> float:
    return float((p * np.where(p > 0, values, 0.0)).sum())


def _entropy(p: Floats) -> float:
    return float(-(p * np.log(np.where(p > 0, p, 1.0))).sum())
