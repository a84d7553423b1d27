"""The tables of a junction tree over legal states, and the passes over them for eight items at a time.

Each step of the elimination has a bag: its label u and a separator. A row is a legal state of that separator; in it u
may be off, on or both (kind 1, 2, 3). A table holds one number for each state of a distinct separator: going up, in the
log domain, the weight of everything below; going down, the probability of the state. P(u | row) is formed once, on the
way up, from a difference of logs, with full relative accuracy for on and for off. So the way down has only products and
sums of non-negative numbers: nothing can cancel, and what underflows is a probability below 1e-300.
"""

from __future__ import annotations

import numpy as np

from ...compiling import njit
from .elimination import fill_needs, is_above, list_states

#: Items handled together, so that they share the loads of indices.
BLOCK = 8
#: The log weight of a value that a fact forbids: finite, so that impossible states stay numbers.
FORBIDDEN = -1e100


@njit(cache=True, nogil=True)
def list_separators(start, label, core, above, state_start, state):  # type: ignore[no-untyped-def]
    """List the legal states of each separator (labels of the core, or just one)."""
    labels = np.empty(64, np.int64)
    need = np.empty(64, np.int64)
    state_start[0] = 0
    for g in range(start.size - 1):
        size = start[g + 1] - start[g]
        for j in range(size):
            labels[j] = core[label[start[g] + j]]
        if size > 1:
            fill_needs(labels, size, above, need)
        else:
            need[0] = 0
        state_start[g + 1] = list_states(need, size, state, state_start[g])


@njit(cache=True, nogil=True)
def find_kinds(  # type: ignore[no-untyped-def]
    order, start, separator, core, above, group, state_start, state, row_start, kind, size
):
    """Which values of the bag's label each row allows; size[i] is the number of states of bag i."""
    for i in range(order.size):
        u = order[i]
        must = barred = 0
        for j in range(start[i], start[i + 1]):
            v = separator[j]
            bit = 1 << (j - start[i])
            if (
                core[u] < 0 or core[v] < 0
            ):  # peeled: an edge of the hierarchy, parents have the lower number
                above_u = v < u
                below_u = v > u
            else:
                above_u = is_above(above, core[v], core[u])
                below_u = is_above(above, core[u], core[v])
            if above_u:
                must |= bit
            if below_u:
                barred |= bit
        size[i] = 0
        for r in range(row_start[i], row_start[i + 1]):
            s = state[state_start[group[i]] + r - row_start[i]]
            off = s & barred == 0
            on = s & must == must
            kind[r] = off + 2 * on
            size[i] += off + on


@njit(cache=True, nogil=True)
def _position(states, first, end, s):  # type: ignore[no-untyped-def]
    while end - first > 1:
        middle = (first + end) >> 1
        if states[middle] <= s:
            first = middle
        else:
            end = middle
    return first


@njit(cache=True, nogil=True)
def link_tables(  # type: ignore[no-untyped-def]
    order, start, separator, group, group_start, group_label, state_start, state, row_start, kind,
    branch_start, branch, link_start, link
):  # fmt: skip
    """For each state of each bag, the entry it means in the table of each separator that hangs on the bag."""
    where = np.empty(64, np.int64)
    for i in range(order.size):
        branches = branch_start[i + 1] - branch_start[i]
        for b in range(branches):
            g = branch[branch_start[i] + b]
            size = group_start[g + 1] - group_start[g]
            for j in range(size):
                where[j] = -1
                for at in range(start[i], start[i + 1]):
                    if separator[at] == group_label[group_start[g] + j]:
                        where[j] = at - start[i]
            at = link_start[i] + b
            for r in range(row_start[i], row_start[i + 1]):
                s = state[state_start[group[i]] + r - row_start[i]]
                for value in range(2):
                    if not (kind[r] >> value) & 1:
                        continue
                    part = 0
                    for j in range(size):
                        part |= (value if where[j] < 0 else (s >> where[j]) & 1) << j
                    link[at] = _position(state, state_start[g], state_start[g + 1], part)
                    at += branches


@njit(cache=True, nogil=True)
def find_readings(  # type: ignore[no-untyped-def]
    step, order, start, separator, neighbour_start, neighbour, labels, value, bag, must, barred
):
    """For each label k given: the bag that holds it with its neighbours, and the rows where they have the other value.

    The bag's own label is one of them, so bag[k] is encoded as 2 * bag + value of the bag's label.
    """
    for k in labels:
        first = step[k]
        for j in range(neighbour_start[k], neighbour_start[k + 1]):
            first = min(first, step[neighbour[j]])
        for j in range(neighbour_start[k], neighbour_start[k + 1] + 1):
            v, wanted = (k, value) if j == neighbour_start[k + 1] else (neighbour[j], 1 - value)
            if v == order[first]:
                bag[k] = 2 * first + wanted
            for at in range(start[first], start[first + 1]):
                if separator[at] == v and wanted:
                    must[k] |= 1 << (at - start[first])
                elif separator[at] == v:
                    barred[k] |= 1 << (at - start[first])


@njit(cache=True, nogil=True)
def infer(tree, odds, known, rows, posterior, log_z, both):  # type: ignore[no-untyped-def]
    """Fill these rows of posterior and log_z, and of both where it has rows. Known cells are not written."""
    n = tree.order.size
    table = np.empty((tree.state.size, BLOCK))
    share = np.empty((tree.kind.size, 2, BLOCK))
    weight = np.empty((n, 2, BLOCK))
    q = np.empty((n, BLOCK))
    for first in range(0, rows.size, BLOCK):
        size = min(BLOCK, rows.size - first)
        for j in range(BLOCK):
            i = rows[first + min(j, size - 1)]
            for u in range(n):
                k = tree.column[u]
                weight[u, 0, j] = FORBIDDEN if known[i, k] == 1 else 0.0
                weight[u, 1, j] = (
                    FORBIDDEN if known[i, k] == 0 else 0.0 if known[i, k] == 1 else odds[i, k]
                )
        _up(tree, weight, table, share)
        for j in range(size):
            log_z[rows[first + j]] = table[tree.root, j]
        _down(tree, table, share, q)
        for j in range(size):
            i = rows[first + j]
            for u in range(n):
                if known[i, tree.column[u]] < 0:
                    posterior[i, tree.column[u]] = min(1.0, q[u, j])
        if both.shape[0] > 0:
            _read(tree, table, share, q)
            for j in range(size):
                i = rows[first + j]
                for u in range(n):
                    k = tree.column[u]
                    if known[i, k] < 0:
                        against = odds[i, k] if tree.value[u] == 0 else -odds[i, k]
                        both[i, k] = min(1.0, q[u, j] * (1.0 + np.exp(against)))


@njit(cache=True, nogil=True)
def _up(tree, weight, table, share):  # type: ignore[no-untyped-def]
    """Weights of what is below, children first, and P(label | row)."""
    link = tree.link
    kinds = tree.kind
    table[:] = 0.0
    off = np.empty(BLOCK)
    on = np.empty(BLOCK)
    for i in range(tree.order.size):
        u = tree.order[i]
        branches = tree.branch_start[i + 1] - tree.branch_start[i]
        at = tree.link_start[i]
        entry = tree.state_start[tree.group[i]]
        for r in range(tree.row_start[i], tree.row_start[i + 1]):
            kind = kinds[r]
            if kind & 1:
                for j in range(BLOCK):
                    off[j] = weight[u, 0, j]
                for b in range(at, at + branches):
                    t = link[b]
                    for j in range(BLOCK):
                        off[j] += table[t, j]
                at += branches
            if kind & 2:
                for j in range(BLOCK):
                    on[j] = weight[u, 1, j]
                for b in range(at, at + branches):
                    t = link[b]
                    for j in range(BLOCK):
                        on[j] += table[t, j]
                at += branches
            if kind == 1:
                for j in range(BLOCK):
                    table[entry, j] += off[j]
            elif kind == 2:
                for j in range(BLOCK):
                    table[entry, j] += on[j]
            else:
                for j in range(BLOCK):
                    lead = on[j] - off[j]
                    ratio = np.exp(-abs(lead))
                    more = 1.0 / (1.0 + ratio)
                    less = ratio * more
                    share[r, 0, j] = less if lead > 0.0 else more
                    share[r, 1, j] = more if lead > 0.0 else less
                    table[entry, j] += max(on[j], off[j]) + np.log(1.0 + ratio)
            entry += 1


@njit(cache=True, nogil=True)
def _down(tree, table, share, q):  # type: ignore[no-untyped-def]
    """Probabilities of the separators' states, roots first, and of the labels."""
    link = tree.link
    kinds = tree.kind
    off = np.empty(BLOCK)
    on = np.empty(BLOCK)
    table[tree.root, :] = 1.0
    for i in range(tree.order.size - 1, -1, -1):
        u = tree.order[i]
        for b in range(tree.branch_start[i], tree.branch_start[i + 1]):
            g = tree.branch[b]
            table[tree.state_start[g] : tree.state_start[g + 1], :] = 0.0
        branches = tree.branch_start[i + 1] - tree.branch_start[i]
        at = tree.link_start[i]
        entry = tree.state_start[tree.group[i]]
        q[u, :] = 0.0
        for r in range(tree.row_start[i], tree.row_start[i + 1]):
            kind = kinds[r]
            for j in range(BLOCK):
                off[j] = table[entry, j] * (share[r, 0, j] if kind == 3 else 1.0)
                on[j] = table[entry, j] * (share[r, 1, j] if kind == 3 else 1.0)
            entry += 1
            if kind & 1:
                for b in range(at, at + branches):
                    t = link[b]
                    for j in range(BLOCK):
                        table[t, j] += off[j]
                at += branches
            if kind & 2:
                for b in range(at, at + branches):
                    t = link[b]
                    for j in range(BLOCK):
                        table[t, j] += on[j]
                at += branches
                for j in range(BLOCK):
                    q[u, j] += on[j]


@njit(cache=True, nogil=True)
def _read(tree, table, share, joint):  # type: ignore[no-untyped-def]
    """P(k off, all parents on) where tree.value[k] is 0, P(k on, all children off) where it is 1."""
    for k in range(tree.order.size):
        joint[k, :] = 0.0
        i = tree.bag[k] >> 1
        value = tree.bag[k] & 1
        must = tree.must[k]
        barred = tree.barred[k]
        entry = tree.state_start[tree.group[i]]
        for r in range(tree.row_start[i], tree.row_start[i + 1]):
            s = tree.state[entry]
            if s & must == must and s & barred == 0 and (tree.kind[r] >> value) & 1:
                for j in range(BLOCK):
                    joint[k, j] += table[entry, j] * (
                        share[r, value, j] if tree.kind[r] == 3 else 1.0
                    )
            entry += 1
