"""Elimination of the labels of a hierarchy: peel what hangs on by one edge, then min-fill on packed adjacency rows."""

from __future__ import annotations

import numpy as np

from ...compiling import njit

#: A bag's state is a bit pattern in an int64.
WIDEST = 62


@njit(cache=True, nogil=True)
def peel(start, neighbour, order, hook):  # type: ignore[no-untyped-def]
    """Take labels with at most one neighbour left until none is; hook[u] is that neighbour, -1 for none."""
    n = start.size - 1
    degree = start[1:] - start[:-1]
    gone = np.zeros(n, np.bool_)
    count = 0
    for u in range(n):
        if degree[u] <= 1:
            order[count] = u
            count += 1
    head = 0
    while head < count:
        u = order[head]
        head += 1
        gone[u] = True
        hook[u] = -1
        for j in range(start[u], start[u + 1]):
            v = neighbour[j]
            if gone[v]:
                continue
            hook[u] = v
            degree[v] -= 1
            if degree[v] == 1:
                order[count] = v
                count += 1
    return count


@njit(cache=True, nogil=True)
def pack(labels, core, start, neighbour, parent_start, parent, adjacency, above):  # type: ignore[no-untyped-def]
    """Rows of bits over the core's labels: neighbours and ancestors. Parents come before children in `labels`."""
    one = np.uint64(1)
    for a in range(labels.size):
        for j in range(start[labels[a]], start[labels[a] + 1]):
            b = core[neighbour[j]]
            if b >= 0:
                adjacency[a, b >> 6] |= one << np.uint64(b & 63)
        for j in range(parent_start[labels[a]], parent_start[labels[a] + 1]):
            b = core[parent[j]]
            if b >= 0:
                above[a, b >> 6] |= one << np.uint64(b & 63)
                for w in range(above.shape[1]):
                    above[a, w] |= above[b, w]


@njit(cache=True, nogil=True)
def pack_clashes(labels, core, dag, clash):  # type: ignore[no-untyped-def]
    """Rows of bits over the core's labels: those that cannot be on beside it, by their exclusions or ancestors'."""
    one = np.uint64(1)
    for a in range(labels.size):
        for j in range(dag.foe_start[labels[a]], dag.foe_start[labels[a] + 1]):
            b = core[dag.foe[j]]
            if b >= 0:
                clash[a, b >> 6] |= one << np.uint64(b & 63)
    for _ in range(2):  # by the ancestors of one label; turned round, by those of the other
        for a in range(labels.size):
            for j in range(dag.parent_start[labels[a]], dag.parent_start[labels[a] + 1]):
                b = core[dag.parent[j]]
                if b >= 0:
                    for w in range(clash.shape[1]):
                        clash[a, w] |= clash[b, w]
        _transpose(clash)


@njit(cache=True, nogil=True)
def _transpose(rows):  # type: ignore[no-untyped-def]
    """Swap bit b of row a with bit a of row b, in place."""
    one = np.uint64(1)
    for a in range(rows.shape[0]):
        for b in range(a):
            here = (rows[a, b >> 6] >> np.uint64(b & 63)) & one
            there = (rows[b, a >> 6] >> np.uint64(a & 63)) & one
            if here != there:
                rows[a, b >> 6] ^= one << np.uint64(b & 63)
                rows[b, a >> 6] ^= one << np.uint64(a & 63)


@njit(cache=True, nogil=True, inline="always")
def is_above(above, a, b):  # type: ignore[no-untyped-def]
    """Whether core label a is in core label b's row: of ancestors, or of labels that clash with it."""
    return (above[b, a >> 6] >> np.uint64(a & 63)) & np.uint64(1) != 0


@njit(cache=True, nogil=True)
def _popcount(x):  # type: ignore[no-untyped-def]
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _members(row, out):  # type: ignore[no-untyped-def]
    count = 0
    for w in range(row.size):
        word = row[w]
        while word:
            low = word & (~word + np.uint64(1))
            out[count] = (w << 6) + _popcount(low - np.uint64(1))
            count += 1
            word ^= low
    return count


@njit(cache=True, nogil=True)
def missing_edges(adjacency, u, near, used):  # type: ignore[no-untyped-def]
    """How many edges the elimination of u adds."""
    count = _members(adjacency[u], near)
    words = 0
    for w in range(adjacency.shape[1]):
        if adjacency[u, w]:
            used[words] = w
            words += 1
    missing = 0
    for i in range(count):
        v = near[i]
        for j in range(words):
            missing += _popcount(adjacency[u, used[j]] & ~adjacency[v, used[j]])
    return (missing - count) // 2  # each row lacks its own label


@njit(cache=True, nogil=True)
def list_states(need, bar, size, states, first):  # type: ignore[no-untyped-def]
    """Write the legal states of `size` labels, ancestors first, in rising order from `first`; the end, or -1 if full.

    need[j] has the bits of the labels that must be on for label j, bar[j] of those that must be off.
    """
    if first >= states.size:
        return -1
    states[first] = 0
    end = first + 1
    for j in range(size):
        for i in range(first, end):
            if states[i] & need[j] == need[j] and states[i] & bar[j] == 0:
                if end == states.size:
                    return -1
                states[end] = states[i] | (1 << j)
                end += 1
    return end


@njit(cache=True, nogil=True)
def fill_needs(labels, size, above, clash, need, bar):  # type: ignore[no-untyped-def]
    """Among labels[:j], need[j]: the ancestors of core label labels[j]; bar[j]: those that exclude it."""
    for j in range(size):
        need[j] = bar[j] = 0
        for i in range(j):
            if is_above(above, labels[i], labels[j]):
                need[j] |= 1 << i
            elif clash.shape[1] > 0 and is_above(clash, labels[i], labels[j]):
                bar[j] |= 1 << i


@njit(cache=True, nogil=True)
def start_fill(adjacency, fill):  # type: ignore[no-untyped-def]
    """The fill of every label before any is eliminated."""
    near = np.empty(fill.size, np.int64)
    used = np.empty(adjacency.shape[1], np.int64)
    for u in range(fill.size):
        fill[u] = missing_edges(adjacency, u, near, used)


@njit(cache=True, nogil=True)
def _cheapest(fill, random):  # type: ignore[no-untyped-def]
    """The label of least fill; of equals the last, or any of them if `random` holds a seed. Eliminated ones have -1."""
    best = -1
    ties = 0
    for u in range(fill.size):
        if fill[u] < 0:
            continue
        if best < 0 or fill[u] < fill[best]:
            best = u
            ties = 1
        elif fill[u] == fill[best]:
            ties += 1
            if random[0] == 0:
                best = u
                continue
            random[0] ^= random[0] << np.uint64(13)
            random[0] ^= random[0] >> np.uint64(7)
            random[0] ^= random[0] << np.uint64(17)
            if random[0] % np.uint64(ties) == 0:
                best = u
    return best


@njit(cache=True, nogil=True)
def min_fill(  # type: ignore[no-untyped-def]
    adjacency,
    above,
    clash,
    fill,
    random,
    order,
    width,
    separator,
    states,
    done,
    steps,
    total,
    limit,
):
    """Eliminate up to `steps` more labels.

    Return how many are done and the legal states of all their bags.

    Stops early, with a total above `limit`, once it passes the limit. It also stops if a bag has
    more than WIDEST labels or more states than `states` can hold.
    """
    m, words = adjacency.shape
    near = np.empty(m, np.int64)
    far = np.empty(m, np.int64)
    used = np.empty(words, np.int64)
    bag = np.empty(WIDEST + 1, np.int64)
    need = np.empty(WIDEST + 1, np.int64)
    bar = np.empty(WIDEST + 1, np.int64)
    hood = np.empty(words, np.uint64)
    stop = min(m, done + steps)
    while done < stop:
        u = _cheapest(fill, random)
        count = _members(adjacency[u], near)
        if count >= WIDEST:
            return done, limit + 1
        inserted = 0
        for i in range(count):
            if near[i] > u and inserted == 0:
                bag[i] = u
                inserted = 1
            bag[i + inserted] = near[i]
            separator[done, i] = near[i]
        if inserted == 0:
            bag[count] = u
        fill_needs(bag, count + 1, above, clash, need, bar)
        found = list_states(need, bar, count + 1, states, 0)
        if found < 0 or total + found > limit:
            return done, limit + 1
        total += found
        order[done] = u
        width[done] = count
        done += 1
        _remove(adjacency, fill, u, near, count, far, used, hood)
    return done, total


@njit(cache=True, nogil=True)
def _remove(adjacency, fill, u, near, count, far, used, hood):  # type: ignore[no-untyped-def]
    """Join u's neighbours to one another, take u out and bring the fill of those around up to date."""
    words = hood.size
    joins = fill[u] > 0
    one = np.uint64(1)
    hood[:] = adjacency[u]
    for i in range(count):
        v = near[i]
        for w in range(words):
            adjacency[v, w] |= adjacency[u, w]
        adjacency[v, v >> 6] &= ~(one << np.uint64(v & 63))
        adjacency[v, u >> 6] &= ~(one << np.uint64(u & 63))
        if joins:
            for w in range(words):
                hood[w] |= adjacency[v, w]
    adjacency[u, :] = 0
    fill[u] = -1
    changed = _members(hood, far)
    for i in range(changed):
        # `near` is free from here on.
        fill[far[i]] = missing_edges(adjacency, far[i], near, used)
