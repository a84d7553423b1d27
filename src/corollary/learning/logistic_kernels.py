"""AdaGrad for logistic regression, one label after another, on dense and on sparse (CSR) features.

Both kernels draw the same cells in the same order, so they differ by rounding only. Every number drawn is a function of
a key and a counter: threads can share the labels in any way without a change in the result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

STILL, PATIENCE = 1e-8, 10  # training ends after so many steps in a row that each move the weights by less
NOISE = 1e-12  # a gradient this small is what rounding leaves of 0; AdaGrad's first step would blow it up to full size

IN_ANY_ORDER = {"reassoc", "contract"}  # the order of a sum changes nothing but its rounding, and lets adds run abreast


@njit(cache=True, nogil=True)
def draw(key, count, n):  # type: ignore[no-untyped-def]
    """The count-th number of a key, in 0..n-1 (n < 2**32): splitmix64 of the counter, scaled by a multiplication."""
    z = key + np.uint64(count) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def known_rows(facts, k, balanced, key):  # type: ignore[no-untyped-def]
    """The rows where label k is known, those with yes first, and how many these are.

    Balanced: at most as many rows with no as with yes stay, drawn without replacement.
    """
    n_items = facts.shape[0]
    n_yes = n_known = 0
    for i in range(n_items):
        n_yes += facts[i, k] == 1
        n_known += facts[i, k] >= 0
    rows = np.empty(n_known, np.int64)
    yes, no = 0, n_yes
    for i in range(n_items):
        if facts[i, k] == 1:
            rows[yes] = i
            yes += 1
        elif facts[i, k] == 0:
            rows[no] = i
            no += 1
    if not balanced or n_known <= 2 * n_yes:
        return rows, n_yes
    for j in range(n_yes, 2 * n_yes):  # the first steps of a Fisher-Yates shuffle
        other = j + draw(key, j - n_yes, n_known - j)
        rows[j], rows[other] = rows[other], rows[j]
    return rows[: 2 * n_yes].copy(), n_yes


@njit(cache=True, nogil=True)
def fit_dense(X, scale, offset, facts, labels, keys, balanced, batch, steps, schedule, weights, taken):  # type: ignore[no-untyped-def]
    """Continue from weights (labels x features, the bias last); `taken` receives the number of steps of each label."""
    n_features = X.shape[1]
    block = np.empty((batch, n_features))
    error = np.empty(batch)
    gradient = np.zeros(n_features + 1)
    squares = np.empty(n_features + 1)
    touched = np.arange(n_features + 1)
    for k in labels:
        rows, n_yes = known_rows(facts, k, balanced, keys[k, 0])
        w = weights[k]
        squares[:] = schedule[2] * batch * batch  # of sums of gradients, not means
        still = 0
        for t in range(steps):
            for s in range(batch):
                j = draw(keys[k, 1], t * batch + s, rows.size)
                i = rows[j]
                error[s] = -1.0 if j < n_yes else 0.0
                for f in range(n_features):
                    block[s, f] = X[i, f] * scale[f] + offset[f]
            for s in range(batch):
                z = _dot(block, s, w) + w[n_features]
                error[s] += 1.0 / (1.0 + np.exp(-z))
            for s in range(batch):
                for f in range(n_features):
                    gradient[f] += error[s] * block[s, f]
                gradient[n_features] += error[s]
            moved = _step(w, gradient, squares, touched, touched.size, schedule, t)
            taken[k] = t + 1
            still = still + 1 if moved < STILL else 0
            if still == PATIENCE:
                break


@njit(cache=True, nogil=True)
def fit_sparse(  # type: ignore[no-untyped-def]
    first, ones, column, value, longest, feature, facts, labels, keys, balanced, batch, steps, schedule, weights, taken
):
    """The same on rows arranged by `arrange`; a step touches the features of its batch only.

    Column c stands for `feature[c]`; `longest` is the number of entries of the longest row. Indices are unsigned: numba
    need not ask whether they count from the end, which would cost a quarter of the time here.
    """
    bias = np.uint64(feature.size)
    start, middle, stop = np.empty(batch, np.uint64), np.empty(batch, np.uint64), np.empty(batch, np.uint64)
    error = np.empty(batch)
    w = np.empty(feature.size + 1)
    gradient = np.zeros(feature.size + 1)
    squares = np.empty(feature.size + 1)
    touched = np.empty(batch * longest + 1, np.uint32)
    touched[0] = bias
    for k in labels:
        rows, n_yes = known_rows(facts, k, balanced, keys[k, 0])
        for c in range(feature.size):
            w[c] = weights[k, feature[c]]
        w[bias] = weights[k, -1]
        squares[:] = schedule[2] * batch * batch  # of sums of gradients, not means
        still = 0
        for t in range(steps):
            for s in range(batch):  # apart from the sums, so that the processor fetches many rows at once
                j = draw(keys[k, 1], t * batch + s, rows.size)
                i = np.uint64(rows[j])
                error[s] = -1.0 if j < n_yes else 0.0
                start[s], middle[s], stop[s] = first[i], ones[i], first[i + np.uint64(1)]
            for s in range(batch):
                z = w[bias]
                for e in range(start[s], middle[s]):
                    z += w[column[e]]
                for e in range(middle[s], stop[s]):
                    z += value[e] * w[column[e]]
                error[s] += 1.0 / (1.0 + np.exp(-z))
            n_touched = np.uint64(1)
            for s in range(batch):
                gradient[bias] += error[s]
                for e in range(start[s], middle[s]):
                    g = gradient[column[e]]
                    # A sum that comes back to 0 is listed twice; the second time `_step` finds nothing to do.
                    touched[n_touched] = column[e]
                    n_touched += np.uint64(g == 0.0)
                    gradient[column[e]] = g + error[s]
                for e in range(middle[s], stop[s]):
                    g = gradient[column[e]]
                    touched[n_touched] = column[e]
                    n_touched += np.uint64(g == 0.0)
                    gradient[column[e]] = g + error[s] * value[e]
            moved = _step(w, gradient, squares, touched, n_touched, schedule, t)
            taken[k] = t + 1
            still = still + 1 if moved < STILL else 0
            if still == PATIENCE:
                break
        for c in range(feature.size):
            weights[k, feature[c]] = w[c]
        weights[k, -1] = w[bias]


@njit(cache=True, nogil=True)
def arrange(first, column, value, scale, rows, place, new_first, ones, new_column, new_value):  # type: ignore[no-untyped-def]
    """Copy the given rows of a CSR matrix, scaled, for `fit_sparse`: column f becomes place[f].

    The entries that are 1 come first in a row, up to `ones`, and need no value: most of them in text and other sets.
    """
    n = 0
    for r in range(rows.size):
        new_first[r] = n
        for e in range(first[rows[r]], first[rows[r] + 1]):
            if value[e] * scale[column[e]] == 1.0:
                new_column[n] = place[column[e]]
                n += 1
        ones[r] = n
        for e in range(first[rows[r]], first[rows[r] + 1]):
            scaled = value[e] * scale[column[e]]
            if scaled != 1.0:
                new_column[n] = place[column[e]]
                new_value[n] = scaled
                n += 1
    new_first[rows.size] = n


@njit(cache=True, nogil=True)
def _step(w, gradient, squares, touched, n_touched, schedule, t):  # type: ignore[no-untyped-def]
    """One AdaGrad step along the touched features, whose gradients it clears; returns how far it went."""
    rate, decay, _ = schedule
    eta = rate * (10.0 + t + 1.0) ** -decay
    moved = 0.0
    for j in range(n_touched):
        f = touched[j]
        g = gradient[f]
        gradient[f] = 0.0
        if abs(g) > NOISE:
            total = squares[f] + g * g
            squares[f] = total
            change = eta * g / np.sqrt(total)
            w[f] -= change
            moved += change * change
    return np.sqrt(moved)


@njit(cache=True, nogil=True, fastmath=IN_ANY_ORDER)
def _dot(block, s, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for f in range(block.shape[1]):
        total += block[s, f] * w[f]
    return total


@njit(cache=True, nogil=True)
def largest_in_columns(column, value, out):  # type: ignore[no-untyped-def]
    """The largest absolute entry of each column of a CSR matrix, into out (zeros to start from)."""
    for e in range(column.size):
        out[column[e]] = max(out[column[e]], abs(value[e]))
