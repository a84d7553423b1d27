"""The passes over a decision diagram.

Nodes come children first; node 0 is the end, -1 is illegal, the last edge leads to the root. A label that a path does
not mention is off, so labels known to be yes must be counted: a world is legal if it turns on *all* of them, and every
node keeps only the worlds that turn on the most.
"""

from __future__ import annotations

import numpy as np

from ...compiling import njit

MINUS_INFINITY = -np.inf
ILLEGAL = -1_000_000_000  # a count that no number of known labels makes up for
FAR = 40.0  # e^-40 is lost beside 1


@njit(cache=True, nogil=True)
def _weigh(odds, known, weight, counts):  # type: ignore[no-untyped-def]
    """What turning a label on does to the weight of a world, and to its count of known labels."""
    for k in range(odds.size):
        if known[k] < 0:
            weight[k] = odds[k]
            counts[k] = 0
        else:
            weight[k] = 0.0
            counts[k] = 1 if known[k] == 1 else ILLEGAL


@njit(cache=True, nogil=True, inline="always")
def _edge(e, weight, counts, to, first_on, turned_on, value, count):  # type: ignore[no-untyped-def]
    """Weight of all worlds through an edge, and how many known labels they turn on; negative if they are illegal."""
    total = value[to[e]]
    known_on = count[to[e]]
    for j in range(first_on[e], first_on[e + 1]):
        total += weight[turned_on[j]]
        known_on += counts[turned_on[j]]
    return total, known_on


@njit(cache=True, nogil=True)
def _up(weight, counts, label, to, first_on, turned_on, value, count, high_share, take_max):  # type: ignore[no-untyped-def]
    """Fill value and count of each node and the probability of its high edge; a low edge on a known yes is illegal."""
    value[-1] = 0.0
    count[-1] = ILLEGAL
    value[0] = 0.0
    count[0] = 0
    for n in range(1, label.size + 1):
        e = 3 * (n - 1)
        low, low_on = _edge(e, weight, counts, to, first_on, turned_on, value, count)
        high, high_on = _edge(e + 1, weight, counts, to, first_on, turned_on, value, count)
        if counts[label[n - 1]] == 1:
            low_on = ILLEGAL
        if low_on < 0 and high_on < 0:
            value[n] = 0.0
            count[n] = ILLEGAL
            high_share[n] = 0.0
        elif high_on > low_on or (
            high_on == low_on and (high > low if take_max else high > low + FAR)
        ):
            value[n] = high
            count[n] = high_on
            high_share[n] = 1.0
        elif high_on < low_on or take_max or low > high + FAR:
            value[n] = low
            count[n] = low_on
            high_share[n] = 0.0
        else:
            less = np.exp(-abs(high - low))
            high_share[n] = (1.0 if high > low else less) / (1.0 + less)
            value[n] = max(low, high) + np.log(1.0 + less)
            count[n] = low_on


@njit(cache=True, nogil=True)
def infer(odds, known, label, to, first_on, turned_on, posterior, log_z, both):  # type: ignore[no-untyped-def]
    """Fill posterior and log_z, and both where it has rows."""
    n_nodes = label.size + 1
    n_labels = odds.shape[1]
    root = 3 * (n_nodes - 1)
    want_both = both.shape[0] > 0
    weight = np.empty(n_labels)
    counts = np.empty(n_labels, np.int64)
    value = np.empty(n_nodes + 1)
    count = np.empty(n_nodes + 1, np.int64)
    high_share = np.empty(n_nodes)
    flow = np.empty(n_nodes)
    for i in range(odds.shape[0]):
        _weigh(odds[i], known[i], weight, counts)
        _up(weight, counts, label, to, first_on, turned_on, value, count, high_share, False)
        log_z[i], _ = _edge(root, weight, counts, to, first_on, turned_on, value, count)
        posterior[i] = 0.0
        if want_both:
            both[i] = 0.0
        flow[:] = 0.0
        flow[to[root]] = 1.0
        for j in range(first_on[root], first_on[root + 1]):
            posterior[i, turned_on[j]] = 1.0
        for n in range(n_nodes - 1, 0, -1):
            if flow[n] == 0.0:
                continue
            for branch in range(2):
                share = flow[n] * (high_share[n] if branch else 1.0 - high_share[n])
                if share == 0.0:
                    continue
                e = 3 * (n - 1) + branch
                flow[to[e]] += share
                for j in range(first_on[e], first_on[e + 1]):
                    posterior[i, turned_on[j]] += share
            k = label[n - 1]
            if want_both and counts[k] == 0:
                rest, rest_on = _edge(
                    3 * n - 1, weight, counts, to, first_on, turned_on, value, count
                )
                if rest_on == count[n]:
                    both[i, k] += flow[n] * np.exp(rest - value[n])
        for k in range(n_labels):
            posterior[i, k] = min(1.0, posterior[i, k]) if known[i, k] < 0 else known[i, k]
            if want_both and both[i, k] > 0.0:
                both[i, k] = min(1.0, both[i, k] * (1.0 + np.exp(odds[i, k])))


@njit(cache=True, nogil=True)
def most_probable(odds, known, label, to, first_on, turned_on, world):  # type: ignore[no-untyped-def]
    """The heaviest path; low wins a tie."""
    n_nodes = label.size + 1
    n_labels = odds.shape[1]
    weight = np.empty(n_labels)
    counts = np.empty(n_labels, np.int64)
    value = np.empty(n_nodes + 1)
    count = np.empty(n_nodes + 1, np.int64)
    high_share = np.empty(n_nodes)
    for i in range(odds.shape[0]):
        _weigh(odds[i], known[i], weight, counts)
        _up(weight, counts, label, to, first_on, turned_on, value, count, high_share, True)
        world[i] = 0
        e = 3 * (n_nodes - 1)
        while True:
            for j in range(first_on[e], first_on[e + 1]):
                world[i, turned_on[j]] = 1
            n = to[e]
            if n == 0:
                break
            e = 3 * (n - 1) + int(high_share[n])


@njit(cache=True, nogil=True)
def entailed(known, label, to, first_on, turned_on):  # type: ignore[no-untyped-def]
    """Fill in labels that are on in all legal worlds or in none.

    A row without a world gets -2 in its first cell.
    """
    n_nodes = label.size + 1
    n_labels = known.shape[1]
    n_words = (n_labels + 63) // 64
    count = np.empty(n_nodes + 1, np.int64)
    counts = np.empty(n_labels, np.int64)
    value = np.empty(n_nodes + 1)
    high_share = np.empty(n_nodes)
    even = np.zeros(n_labels)
    weight = np.empty(n_labels)
    always = np.zeros((n_nodes, n_words), np.uint64)
    ever = np.zeros((n_nodes, n_words), np.uint64)
    one = np.uint64(1)
    on = np.zeros(n_words, np.uint64)
    for i in range(known.shape[0]):
        _weigh(even, known[i], weight, counts)
        _up(weight, counts, label, to, first_on, turned_on, value, count, high_share, True)
        n_yes = 0
        for k in range(n_labels):
            n_yes += known[i, k] == 1
        root = 3 * (n_nodes - 1)
        _, total = _edge(root, weight, counts, to, first_on, turned_on, value, count)
        if total < n_yes:
            known[i, 0] = -2
            continue
        for n in range(1, n_nodes):
            for w in range(n_words):
                always[n, w] = ~np.uint64(0)
                ever[n, w] = 0
            for branch in range(2):
                e = 3 * (n - 1) + branch
                _, known_on = _edge(e, weight, counts, to, first_on, turned_on, value, count)
                if known_on != count[n] or (branch == 0 and counts[label[n - 1]] == 1):
                    continue
                on[:] = 0
                for j in range(first_on[e], first_on[e + 1]):
                    k = turned_on[j]
                    on[k >> 6] |= one << np.uint64(k & 63)
                for w in range(n_words):
                    always[n, w] &= always[to[e], w] | on[w]
                    ever[n, w] |= ever[to[e], w] | on[w]
        on[:] = 0
        for j in range(first_on[root], first_on[root + 1]):
            k = turned_on[j]
            on[k >> 6] |= one << np.uint64(k & 63)
        for k in range(n_labels):
            w = k >> 6
            bit = one << np.uint64(k & 63)
            if (always[to[root], w] | on[w]) & bit:
                known[i, k] = 1
            elif not ((ever[to[root], w] | on[w]) & bit):
                known[i, k] = 0
