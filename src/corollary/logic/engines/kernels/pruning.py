"""Bounds on the posterior of a hierarchy with exclusions, and the labels that they allow to fix; see `pruning`."""

from __future__ import annotations

import numpy as np

from ...compiling import njit
from ..numeric import softplus

ROUNDS = 3
HALVINGS = 16
#: Rounding must not make a bound too small.
MARGIN = 1.0 + 1e-9
#: By this much log weight a world must be worse to be ruled out, beyond what rounding may do.
SURE = 1e-9


@njit(cache=True, nogil=True)
def prune(dag, odds, known, allowed, slack, fixed, error):  # type: ignore[no-untyped-def]
    """Fix labels of each item until what that may change reaches `allowed`; error[i] is what it may really change.

    fixed[i] gets the facts and the labels fixed, -1 for those left open. A finite `slack` leaves those labels open too
    for which the probability that the others leave both values legal may be larger than that.
    """
    n = dag.column.size
    value = np.empty(n, np.int8)
    logit = np.empty(n)
    yes = np.empty((2, n))
    no = np.empty((2, n))
    for i in range(odds.shape[0]):
        for k in range(n):
            value[k] = known[i, dag.column[k]]
            logit[k] = odds[i, dag.column[k]]
        error[i] = 0.0
        for left in range(ROUNDS, 0, -1):
            _bound(dag, logit, value, yes, no)
            share = (allowed - error[i]) / (2.0 if left > 1 else 1.0)
            threshold = _threshold(value, yes, no, share)
            error[i] += _spent(value, yes, no, threshold)
            for k in range(n):
                if value[k] < 0 and (yes[0, k] < threshold or no[0, k] < threshold):
                    value[k] = 1 if no[0, k] < threshold else 0
        for k in range(n):
            settled = (
                known[i, dag.column[k]] >= 0
                or value[k] < 0
                or _both_legal(dag, value, yes, no, k) <= slack
            )
            fixed[i, dag.column[k]] = value[k] if settled else -1
        if slack < np.inf:
            error[i] += slack


@njit(cache=True, nogil=True)
def _bound(dag, logit, value, yes, no):  # type: ignore[no-untyped-def]
    """yes[0, k] of P(k on), yes[1, k] of P(parents on, foes off); no[0, k] of P(k off), no[1, k] of P(children off)."""
    n = value.size
    for k in range(n - 1, -1, -1):
        if value[k] >= 0:
            continue
        high = logit[k]
        for j in range(dag.child_start[k], dag.child_start[k + 1]):
            c = dag.child[j]
            if value[c] < 0:
                high += softplus(yes[1, c])
        yes[1, k] = high  # L, until the last way down
    for k in range(n):
        if value[k] >= 0:
            continue
        low = logit[k]
        for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
            p = dag.parent[j]
            if value[p] < 0:
                low -= softplus(-no[1, p])
        for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
            x = dag.foe[j]
            if value[x] < 0:
                low -= softplus(yes[1, x])
        no[1, k] = low  # M, until the way back
    for k in range(n - 1, -1, -1):
        if value[k] >= 0:
            continue
        below = np.inf
        for j in range(dag.child_start[k], dag.child_start[k + 1]):
            c = dag.child[j]
            if value[c] < 0:
                below = min(below, no[0, c])
        no[0, k] = min(below, np.exp(-softplus(no[1, k])) * min(1.0, below) * MARGIN)
        no[1, k] = below
    for k in range(n):
        if value[k] >= 0:
            continue
        above = np.inf
        for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
            p = dag.parent[j]
            if value[p] < 0:
                above = min(above, yes[0, p])
        for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
            x = dag.foe[j]
            if value[x] < 0:
                above = min(above, no[0, x])
        yes[0, k] = min(above, np.exp(-softplus(-yes[1, k])) * min(1.0, above) * MARGIN)
        yes[1, k] = above


@njit(cache=True, nogil=True)
def _spent(value, yes, no, threshold):  # type: ignore[no-untyped-def]
    """The bound on P(some label below the threshold has the other value): the sum over the labels at the edge."""
    total = 0.0
    for k in range(value.size):
        if value[k] < 0:
            if yes[0, k] < threshold <= yes[1, k]:
                total += yes[0, k]
            if no[0, k] < threshold <= no[1, k]:
                total += no[0, k]
    return total


@njit(cache=True, nogil=True)
def _threshold(value, yes, no, allowed):  # type: ignore[no-untyped-def]
    """A large threshold below 1/2 that spends no more than allowed, by bisection of its logarithm; 0 if none does."""
    least = np.log(1e-30)
    most = np.log(0.49)
    best = 0.0
    for _ in range(HALVINGS):
        middle = (least + most) / 2.0
        if _spent(value, yes, no, np.exp(middle)) <= allowed:
            best = np.exp(middle)
            least = middle
        else:
            most = middle
    return best


@njit(cache=True, nogil=True)
def _both_legal(dag, value, yes, no, k):  # type: ignore[no-untyped-def]
    """A bound on P(parents on, foes off) for a label fixed off, on P(children off) for one fixed on."""
    bound = np.inf
    if value[k] == 0:
        for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
            p = dag.parent[j]
            if value[p] == 0:
                return 0.0
            if value[p] < 0:
                bound = min(bound, yes[0, p])
        for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
            x = dag.foe[j]
            if value[x] == 1:
                return 0.0
            if value[x] < 0:
                bound = min(bound, no[0, x])
    else:
        for j in range(dag.child_start[k], dag.child_start[k + 1]):
            c = dag.child[j]
            if value[c] == 1:
                return 0.0
            if value[c] < 0:
                bound = min(bound, no[0, c])
    return bound


@njit(cache=True, nogil=True)
def settle_best(dag, odds, known, fixed):  # type: ignore[no-untyped-def]
    """Fill fixed[i] with the facts and with what some most probable world of the item is sure to have; -1 is open.

    As for the bounds of probabilities, with the largest weight instead of the sum of weights.
    """
    n = dag.column.size
    value = np.empty(n, np.int8)
    high = np.empty(n)
    low = np.empty(n)
    for i in range(odds.shape[0]):
        for k in range(n):
            value[k] = known[i, dag.column[k]]
        for _ in range(ROUNDS):
            for k in range(n - 1, -1, -1):
                high[k] = odds[i, dag.column[k]]
                for j in range(dag.child_start[k], dag.child_start[k + 1]):
                    c = dag.child[j]
                    if value[c] < 0:
                        high[k] += max(0.0, high[c])
            for k in range(n):
                low[k] = odds[i, dag.column[k]]
                for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
                    p = dag.parent[j]
                    if value[p] < 0:
                        low[k] -= max(0.0, -low[p])
                for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
                    x = dag.foe[j]
                    if value[x] < 0:
                        low[k] -= max(0.0, high[x])
            for k in range(n - 1, -1, -1):
                is_on = value[k] < 0 and low[k] > SURE
                for j in range(dag.child_start[k], dag.child_start[k + 1]):
                    is_on |= value[dag.child[j]] == 1
                if is_on:
                    value[k] = 1
            for k in range(n):
                if value[k] >= 0:
                    continue
                is_off = high[k] <= 0.0
                for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
                    is_off |= value[dag.parent[j]] == 0
                for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
                    is_off |= value[dag.foe[j]] == 1
                if is_off:
                    value[k] = 0
        for k in range(n):
            fixed[i, dag.column[k]] = value[k]
