"""AdaGrad for logistic regression, a few labels abreast, on dense and on sparse (CSR) features.

Both kernels draw the same cells in the same order, so they differ by rounding only. Every number drawn is a function of
a key and a counter, and labels abreast share nothing but the rows drawn: threads can share the labels in any way, and
the result stays the same.
"""

from __future__ import annotations

import numpy as np

from ....logic.compiling import njit

# training ends after some steps in a row that each move the weights by less than STILL
STILL = 1e-8
PATIENCE = 10
NOISE = 1e-12  # a gradient this small is what rounding leaves of 0; AdaGrad's first step would blow it up to full size

IN_ANY_ORDER = {
    "reassoc",
    "contract",
}  # the order of a sum changes nothing but its rounding, and lets adds run abreast


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
    """The rows where label k is known, those with yes first.

    Balanced: at most as many rows with no as with yes stay, drawn without replacement.
    """
    n_items = facts.shape[0]
    n_yes = n_known = 0
    for i in range(n_items):
        n_yes += facts[i, k] == 1
        n_known += facts[i, k] >= 0
    rows = np.empty(n_known, np.int64)
    yes = 0
    no = n_yes
    for i in range(n_items):
        if facts[i, k] == 1:
            rows[yes] = i
            yes += 1
        elif facts[i, k] == 0:
            rows[no] = i
            no += 1
    if not balanced or n_known <= 2 * n_yes:
        return rows
    for j in range(n_yes, 2 * n_yes):  # the first steps of a Fisher-Yates shuffle
        other = j + draw(key, j - n_yes, n_known - j)
        rows[j], rows[other] = rows[other], rows[j]
    return rows[: 2 * n_yes].copy()


@njit(cache=True, nogil=True)
def answers(facts, rows, labels):  # type: ignore[no-untyped-def]
    """The facts of the rows and labels, side by side."""
    out = np.empty((rows.size, len(labels)), np.int8)
    for j in range(rows.size):
        for n in range(len(labels)):
            out[j, n] = facts[rows[j], labels[n]]
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def fit_dense(  # type: ignore[no-untyped-def]
    X, scale, offset, facts, labels, lead, keys, balanced, batch, steps, schedule, weights, taken
):
    """Continue from weights (labels x features, the bias last); `taken` receives the number of steps of each label.

    The labels draw the rows of label `lead`, with its key; all of them must be known there.
    """
    n_features = X.shape[1]
    rows = known_rows(facts, lead, balanced, keys[lead, 0])
    answer = answers(facts, rows, labels)
    block = np.empty((batch, n_features))
    pick = np.empty(batch, np.int64)
    error = np.empty(batch)
    gradient = np.zeros(n_features + 1)
    squares = np.full(
        (len(labels), n_features + 1), schedule[2] * batch * batch
    )  # of sums of gradients, not means
    still = np.zeros(len(labels), np.int64)
    for t in range(steps):
        for s in range(batch):
            pick[s] = draw(keys[lead, 1], t * batch + s, rows.size)
            i = rows[pick[s]]
            for f in range(n_features):
                block[s, f] = X[i, f] * scale[f] + offset[f]
        for n in range(len(labels)):
            if still[n] == PATIENCE:
                continue
            w = weights[labels[n]]
            for s in range(batch):
                z = _dot(block, s, w) + w[n_features]
                error[s] = 1.0 / (1.0 + np.exp(-z)) - answer[pick[s], n]
            for s in range(batch):
                for f in range(n_features):
                    gradient[f] += error[s] * block[s, f]
                gradient[n_features] += error[s]
            rate = step_size(schedule, t)
            moved = 0.0
            for f in range(n_features + 1):
                change, squares[n, f] = adagrad(gradient[f], squares[n, f], rate)
                w[f] -= change
                moved += change * change
                gradient[f] = 0.0
            taken[labels[n]] = t + 1
            still[n] = still[n] + 1 if np.sqrt(moved) < STILL else 0
        if still.min() == PATIENCE:
            break


@njit(cache=True, nogil=True, error_model="numpy")
def fit_sparse(  # type: ignore[no-untyped-def]
    first,
    ones,
    column,
    value,
    longest,
    feature,
    facts,
    labels,
    lead,
    keys,
    balanced,
    batch,
    steps,
    schedule,
    weights,
    taken,
):
    """Train on rows that `arrange` has ordered; a step changes only the features of its batch.

    For each column the weights of all labels are next to each other in memory, so that they are
    read together. Column c belongs to the feature `feature[c]`. The longest row has `longest` entries.
    """
    lanes = len(labels)
    bias = feature.size
    rows = known_rows(facts, lead, balanced, keys[lead, 0])
    answer = answers(facts, rows, labels)
    pick = np.empty(batch, np.int64)
    start = np.empty(batch, first.dtype)
    middle = np.empty(batch, first.dtype)
    stop = np.empty(batch, first.dtype)
    error = np.empty((batch, lanes))
    weight = np.empty((feature.size + 1, lanes))
    # of sums of gradients, not means
    squares = np.full((feature.size + 1, lanes), schedule[2] * batch * batch)
    for n in range(lanes):
        for c in range(feature.size):
            weight[c, n] = weights[labels[n], feature[c]]
        weight[bias, n] = weights[labels[n], -1]
    # The columns of a batch are numbered as they come, the bias first; gradients have a row for each.
    number = np.zeros(feature.size + 1, np.uint32)
    touched = np.empty(min(batch * longest, feature.size) + 1, np.uint32)
    touched[0] = bias
    gradient = np.zeros((touched.size, lanes))
    rates = np.empty(lanes)
    moved = np.empty(lanes)
    still = np.zeros(lanes, np.int64)
    for t in range(steps):
        for s in range(batch):  # apart from the sums: the processor fetches many rows at once
            pick[s] = draw(keys[lead, 1], t * batch + s, rows.size)
            i = rows[pick[s]]
            start[s] = first[i]
            middle[s] = ones[i]
            stop[s] = first[i + 1]
        for s in range(batch):
            for n in range(lanes):
                error[s, n] = weight[bias, n]
            for e in range(start[s], middle[s]):
                for n in range(lanes):
                    error[s, n] += weight[column[e], n]
            for e in range(middle[s], stop[s]):
                for n in range(lanes):
                    error[s, n] += value[e] * weight[column[e], n]
        for s in range(batch):
            for n in range(lanes):
                error[s, n] = 1.0 / (1.0 + np.exp(-error[s, n])) - answer[pick[s], n]
        n_touched = np.uint64(1)
        for s in range(batch):
            for n in range(lanes):
                gradient[0, n] += error[s, n]
            for e in range(start[s], middle[s]):
                at, n_touched = place_of(column[e], number, touched, n_touched)
                for n in range(lanes):
                    gradient[at, n] += error[s, n]
            for e in range(middle[s], stop[s]):
                at, n_touched = place_of(column[e], number, touched, n_touched)
                for n in range(lanes):
                    gradient[at, n] += value[e] * error[s, n]
        for n in range(lanes):
            rates[n] = step_size(schedule, t) if still[n] < PATIENCE else 0.0
        moved[:] = 0.0
        for j in range(n_touched):
            number[touched[j]] = 0
            c = touched[j]
            for n in range(lanes):
                change, squares[c, n] = adagrad(gradient[j, n], squares[c, n], rates[n])
                weight[c, n] -= change
                moved[n] += change * change
                gradient[j, n] = 0.0
        for n in range(lanes):
            if still[n] < PATIENCE:
                taken[labels[n]] = t + 1
                still[n] = still[n] + 1 if np.sqrt(moved[n]) < STILL else 0
        if still.min() == PATIENCE:
            break
    for n in range(lanes):
        for c in range(feature.size):
            weights[labels[n], feature[c]] = weight[c, n]
        weights[labels[n], -1] = weight[bias, n]


@njit(cache=True, nogil=True)
def place_of(c, number, touched, n_touched):  # type: ignore[no-untyped-def]
    """The number of column c in this batch, a new one if it is new, and how many there are; free of branches."""
    at = np.uint64(number[c])
    new = np.uint64(at == np.uint64(0))
    at += new * n_touched
    number[c] = at
    touched[at] = c
    return at, n_touched + new


@njit(cache=True, nogil=True)
def step_size(schedule, t):  # type: ignore[no-untyped-def]
    """The rate of step t."""
    rate, decay, _ = schedule
    return rate * (10.0 + t + 1.0) ** -decay


@njit(cache=True, nogil=True, error_model="numpy")
def adagrad(g, squares, rate):  # type: ignore[no-untyped-def]
    """The change along a gradient, and the sum of squares with it."""
    g = g if abs(g) > NOISE else 0.0
    total = squares + g * g
    return rate * g / np.sqrt(total if total > 0.0 else 1.0), total


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


@njit(cache=True, nogil=True)
def count_in_columns(first, column, rows, out):  # type: ignore[no-untyped-def]
    """How many entries each column of a CSR matrix has in the given rows, into out (zeros to start from)."""
    for i in rows:
        for e in range(first[i], first[i + 1]):
            out[column[e]] += 1
