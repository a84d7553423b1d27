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
#: Log weights this close count as equal.
TIE = 1e-11


@njit(cache=True, nogil=True)
def list_separators(start, label, core, above, clash, state_start, state):  # type: ignore[no-untyped-def]
    """List the legal states of each separator (labels of the core, or just one)."""
    labels = np.empty(64, np.int64)
    need = np.empty(64, np.int64)
    bar = np.empty(64, np.int64)
    state_start[0] = 0
    for g in range(start.size - 1):
        size = start[g + 1] - start[g]
        for j in range(size):
            labels[j] = core[label[start[g] + j]]
        if size > 1:
            fill_needs(labels, size, above, clash, need, bar)
        else:
            need[0] = bar[0] = 0
        state_start[g + 1] = list_states(need, bar, size, state, state_start[g])


@njit(cache=True, nogil=True)
def find_kinds(  # type: ignore[no-untyped-def]
    dag,
    order,
    start,
    separator,
    core,
    above,
    clash,
    group,
    state_start,
    state,
    row_start,
    kind,
    size,
):
    """Which values of the bag's label each row allows; size[i] is the number of states of bag i."""
    for i in range(order.size):
        u = order[i]
        must = barred = foes = 0
        for j in range(start[i], start[i + 1]):
            v = separator[j]
            bit = 1 << (j - start[i])
            if core[u] < 0 or core[v] < 0:  # peeled: the two share an edge
                excluded = _are_foes(dag, u, v)
                above_u = not excluded and v < u  # parents have the lower number
                below_u = not excluded and v > u
            else:
                excluded = clash.shape[1] > 0 and is_above(clash, core[v], core[u])
                above_u = is_above(above, core[v], core[u])
                below_u = is_above(above, core[u], core[v])
            if excluded:
                foes |= bit
            if above_u:
                must |= bit
            if below_u:
                barred |= bit
        size[i] = 0
        for r in range(row_start[i], row_start[i + 1]):
            s = state[state_start[group[i]] + r - row_start[i]]
            off = s & barred == 0
            on = s & must == must and s & foes == 0
            kind[r] = off + 2 * on
            size[i] += off + on


@njit(cache=True, nogil=True)
def _are_foes(dag, u, v):  # type: ignore[no-untyped-def]
    for j in range(dag.foe_start[u], dag.foe_start[u + 1]):
        if dag.foe[j] == v:
            return True
    return False


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
    dag, step, order, start, separator, value, bag, must, barred
):
    """For each label k: the bag that holds it with the neighbours by which `both` is read, and the rows that count.

    Where value[k] is 0, k and its foes are off and its parents on; where it is 1, k is on and its children off. The
    bag's own label is one of them, so bag[k] is encoded as 2 * bag + value of the bag's label.
    """
    near = np.empty(value.size, np.int64)
    wanted = np.empty(value.size, np.int8)
    for k in range(value.size):
        near[0] = k
        wanted[0] = value[k]
        count = 1
        if value[k]:
            for j in range(dag.child_start[k], dag.child_start[k + 1]):
                near[count] = dag.child[j]
                wanted[count] = 0
                count += 1
        else:
            for j in range(dag.parent_start[k], dag.parent_start[k + 1]):
                near[count] = dag.parent[j]
                wanted[count] = 1
                count += 1
            for j in range(dag.foe_start[k], dag.foe_start[k + 1]):
                near[count] = dag.foe[j]
                wanted[count] = 0
                count += 1
        first = step[k]
        for j in range(1, count):
            first = min(first, step[near[j]])
        for j in range(count):
            if near[j] == order[first]:
                bag[k] = 2 * first + wanted[j]
            for at in range(start[first], start[first + 1]):
                if separator[at] == near[j] and wanted[j]:
                    must[k] |= 1 << (at - start[first])
                elif separator[at] == near[j]:
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
    """Sum the weights from below, children first, and compute P(label | row)."""
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
    """P(k and foes off, all parents on) where tree.value[k] is 0, P(k on, all children off) where it is 1."""
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


@njit(cache=True, nogil=True)
def best_worlds(tree, odds, known, rows, worlds):  # type: ignore[no-untyped-def]
    """Fill the tree's columns of each row with the most probable world; off wins a tie."""
    table = np.empty(tree.state.size)
    on_wins = np.empty(tree.kind.size, np.bool_)
    chosen = np.empty(tree.state_start.size, np.int64)
    for i in rows:
        table[:] = 0.0
        for b in range(tree.order.size):
            k = tree.column[tree.order[b]]
            for_off = FORBIDDEN if known[i, k] == 1 else 0.0
            for_on = FORBIDDEN if known[i, k] == 0 else 0.0 if known[i, k] == 1 else odds[i, k]
            branches = tree.branch_start[b + 1] - tree.branch_start[b]
            at = tree.link_start[b]
            entry = tree.state_start[tree.group[b]]
            for r in range(tree.row_start[b], tree.row_start[b + 1]):
                off = for_off if tree.kind[r] & 1 else -np.inf
                on = for_on if tree.kind[r] & 2 else -np.inf
                if tree.kind[r] & 1:
                    for j in range(at, at + branches):
                        off += table[tree.link[j]]
                    at += branches
                if tree.kind[r] & 2:
                    for j in range(at, at + branches):
                        on += table[tree.link[j]]
                    at += branches
                on_wins[r] = on > off + TIE
                table[entry] += on if on_wins[r] else off
                entry += 1
        for b in range(tree.order.size):
            if tree.state_start[tree.group[b]] == tree.root:
                chosen[tree.group[b]] = tree.root
        for b in range(tree.order.size - 1, -1, -1):
            r = tree.row_start[b] + chosen[tree.group[b]] - tree.state_start[tree.group[b]]
            branches = tree.branch_start[b + 1] - tree.branch_start[b]
            at = tree.link_start[b]
            for before in range(tree.row_start[b], r):
                at += branches * ((tree.kind[before] & 1) + (tree.kind[before] >> 1))
            if on_wins[r] and tree.kind[r] & 1:
                at += branches
            worlds[i, tree.column[tree.order[b]]] = on_wins[r]
            for j in range(branches):
                chosen[tree.branch[tree.branch_start[b] + j]] = tree.link[at + j]
