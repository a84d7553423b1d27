"""The passes over a tree. u(v) is the weight of 'v on' relative to 'v and all below it off', or its logarithm.

Products of weights take no exponentials and no logarithms; where one leaves the range of numbers, logarithms serve.
"""

from __future__ import annotations

import numpy as np

from ...compiling import njit
from ..numeric import log_expm1
from ..tree import AT_MOST_ONE, COVER, EXACTLY_ONE, FREE

MINUS_INFINITY = -np.inf
SMALLEST = 1e-300  # smaller numbers are not normal
WITHIN = 1e250  # weights up to this, and down to its inverse, are multiplied as they are


@njit(cache=True, nogil=True)
def infer(  # type: ignore[no-untyped-def]
    odds,
    weight,
    known,
    label,
    first_group,
    kind,
    first_member,
    member,
    leaves,
    downward,
    posterior,
    log_z,
    both,
):
    """Fill posterior and log_z, and both where it has rows; `weight` is exp(odds)."""
    n_nodes = label.size
    want_both = both.shape[0] > 0
    column = label[member].astype(
        np.uint64
    )  # unsigned: a signed index may count from the end, which costs a test
    u = np.empty(n_nodes)
    share = np.empty(n_nodes)  # probability of 'on' while the parent is on
    off = np.empty(
        n_nodes
    )  # probability, while the parent is on, of 'off' with the others legal for either value
    none = np.empty(kind.size)  # the same for a group of leaves, where it is that of 'all off'
    soft = np.empty(n_nodes)
    q = np.empty(n_nodes)
    covered = (
        kind == COVER
    ).any()  # 'at least one' loses digits where weights are subtracted as they are
    for i in range(odds.shape[0]):
        of_all = 0.0
        if not covered:
            of_all = _products(
                known[i],
                weight[i],
                label,
                first_group,
                kind,
                first_member,
                member,
                column,
                leaves,
                downward,
                u,
                share,
                off,
                none,
            )
        if of_all > 0.0:
            log_z[i] = np.log(of_all)
        else:
            _logarithms(
                i,
                odds,
                weight,
                known,
                label,
                first_group,
                kind,
                first_member,
                member,
                column,
                leaves,
                downward,
                u,
                share,
                off,
                none,
                soft,
            )
            log_z[i] = u[0]
        q[0] = 1.0
        for v in downward:
            for g in range(first_group[v], first_group[v + 1]):
                first = first_member[g]
                last = first_member[g + 1]
                if leaves[g]:
                    _leaf_posterior(
                        column[first:last], q[v], none[g], known[i], weight[i], posterior[i]
                    )
                    if want_both:
                        _leaf_both(column[first:last], q[v] * none[g], known[i], weight[i], both[i])
                    continue
                for j in range(first, last):
                    c = member[j]
                    k = column[j]
                    state = known[i, k]
                    q[c] = q[v] * share[c] if state < 0 else state
                    posterior[i, k] = q[c]
                    if want_both:
                        if state < 0 and not _is_bound(c, first_group, kind):
                            both[i, k] = min(1.0, q[v] * off[c] * (1.0 + weight[i, k]))
                        else:
                            both[i, k] = 0.0


@njit(cache=True, nogil=True)
def _products(  # type: ignore[no-untyped-def]
    known,
    weight,
    label,
    first_group,
    kind,
    first_member,
    member,
    column,
    leaves,
    downward,
    u,
    share,
    off,
    none,
):
    """The pass up for one item with weights as they are: that of the root, or 0 where one leaves the range."""
    for v in downward[::-1]:
        state = known[label[v]] if v > 0 else 1
        if state == 0:
            u[v] = 0.0
            continue
        total = weight[label[v]] if state < 0 else 1.0
        for g in range(first_group[v], first_group[v + 1]):
            first = first_member[g]
            last = first_member[g + 1]
            if leaves[g]:
                none[g] = _none_of(column[first:last], known, weight)
                if none[g] > 0.0:  # else one is known to be on, and the group weighs nothing more
                    total /= none[g]
            elif kind[g] == FREE:
                for j in range(first, last):
                    c = member[j]
                    if known[column[j]] == 1:
                        total *= u[c]
                        continue
                    either = 1.0 + u[c]
                    off[c] = 1.0 / either
                    share[c] = u[c] * off[c]
                    total *= either
            else:
                total *= _just_one(first, last, kind[g], known, column, member, u, share, off)
        if not (1.0 / WITHIN < total < WITHIN):
            return 0.0
        u[v] = total
    return u[0]


@njit(cache=True, nogil=True)
def _just_one(first, last, kind, known, column, member, u, share, off):  # type: ignore[no-untyped-def]
    """Weight of all that an at-most-one or exactly-one group may do while its parent is on."""
    none = 1.0 if kind == AT_MOST_ONE else 0.0
    total = none
    for j in range(first, last):
        if known[column[j]] == 1:
            return u[member[j]]
        total += u[member[j]]
    if total == 0.0:
        return 0.0
    for j in range(first, last):
        c = member[j]
        share[c] = u[c] / total
        off[c] = none / total
    return total


@njit(cache=True, nogil=True)
def _logarithms(  # type: ignore[no-untyped-def]
    i,
    odds,
    weight,
    known,
    label,
    first_group,
    kind,
    first_member,
    member,
    column,
    leaves,
    downward,
    u,
    share,
    off,
    none,
    soft,
):
    """The same pass with logarithms of weights, which have no range to leave."""
    for v in downward[::-1]:
        state = known[i, label[v]] if v > 0 else 1
        if state == 0:
            u[v] = MINUS_INFINITY
            continue
        total = odds[i, label[v]] if state < 0 else 0.0
        for g in range(first_group[v], first_group[v + 1]):
            first = first_member[g]
            last = first_member[g + 1]
            if leaves[g]:
                none[g] = _none_of(column[first:last], known[i], weight[i])
                if none[g] > 0.0:
                    total -= np.log(none[g])
            elif kind[g] == AT_MOST_ONE or kind[g] == EXACTLY_ONE:
                total += _one_of(i, first, last, kind[g], known, label, member, u, share, off)
            else:
                total += _some_of(
                    i, first, last, kind[g], known, label, member, u, share, off, soft
                )
        u[v] = total


@njit(cache=True, nogil=True)
def _is_bound(v, first_group, kind):  # type: ignore[no-untyped-def]
    """Whether v cannot be on while all its children are off."""
    for g in range(first_group[v], first_group[v + 1]):
        if kind[g] >= EXACTLY_ONE:
            return True
    return False


@njit(cache=True, nogil=True, inline="always")
def _none_of(columns, known, weight):  # type: ignore[no-untyped-def]
    """The probability that all of an at-most-one group of leaves are off while their parent is on."""
    total = 1.0
    for k in columns:
        if known[k] == 1:
            return 0.0
        if known[k] < 0:
            total += weight[k]
    return 1.0 / total


@njit(cache=True, nogil=True, inline="always")
def _leaf_posterior(columns, q, none, known, weight, posterior):  # type: ignore[no-untyped-def]
    """Fill the posterior of an at-most-one group of leaves whose parent is on with probability q."""
    for k in columns:
        posterior[k] = q * (weight[k] * none) if known[k] < 0 else known[k]


@njit(cache=True, nogil=True, inline="always")
def _leaf_both(columns, none, known, weight, both):  # type: ignore[no-untyped-def]
    """Fill both of an at-most-one group of leaves that are all off, with their parent on, with probability none."""
    for k in columns:
        both[k] = min(1.0, none * (1.0 + weight[k])) if known[k] < 0 else 0.0


@njit(cache=True, nogil=True)
def _one_of(i, first, last, kind, known, label, member, u, share, off):  # type: ignore[no-untyped-def]
    """Weight of all that an at-most-one or exactly-one group may do while its parent is on."""
    top = 0.0 if kind == AT_MOST_ONE else MINUS_INFINITY
    for j in range(first, last):
        c = member[j]
        if known[i, label[c]] == 1:
            return u[c]
        top = max(top, u[c])
    if top == MINUS_INFINITY:
        return top
    none = np.exp(-top) if kind == AT_MOST_ONE else 0.0
    total = none
    for j in range(first, last):
        c = member[j]
        share[c] = np.exp(u[c] - top)
        total += share[c]
    for j in range(first, last):
        c = member[j]
        share[c] /= total
        off[c] = none / total
    return top + np.log(total)


@njit(cache=True, nogil=True)
def _some_of(i, first, last, kind, known, label, member, u, share, off, soft):  # type: ignore[no-untyped-def]
    """Weight of all that free or covering children may do while their parent is on."""
    total = 0.0
    settled = kind != COVER
    for j in range(first, last):
        c = member[j]
        if known[i, label[c]] == 1:
            settled = True
            total += u[c]
            continue
        e = np.exp(-abs(u[c]))
        less = e / (1.0 + e)
        more = 1.0 / (1.0 + e)
        share[c], off[c] = (more, less) if u[c] > 0.0 else (less, more)
        soft[c] = max(u[c], 0.0) + np.log1p(e)
        total += soft[c]
    if settled:
        return total
    if total < SMALLEST:
        return _just_one_of(first, last, member, u, share, off)
    weight = log_expm1(total)
    for j in range(first, last):
        c = member[j]
        share[c] *= np.exp(total - weight)
        off[c] = np.exp(log_expm1(total - soft[c]) - weight)
    return weight


@njit(cache=True, nogil=True)
def _just_one_of(first, last, member, u, share, off):  # type: ignore[no-untyped-def]
    """Weight of covering children that are all so improbable that two at once weigh nothing beside one."""
    top = MINUS_INFINITY
    for j in range(first, last):
        top = max(top, u[member[j]])
    if top == MINUS_INFINITY:
        return top
    total = 0.0
    for j in range(first, last):
        share[member[j]] = np.exp(u[member[j]] - top)
        total += share[member[j]]
    for j in range(first, last):
        c = member[j]
        share[c] /= total
        off[c] = 1.0 - share[c]
    return top + np.log(total)


@njit(cache=True, nogil=True)
def most_probable(odds, known, label, first_group, kind, first_member, member, world):  # type: ignore[no-untyped-def]
    """The same passes with max in place of sum, then the choices from the root down; off wins a tie."""
    n_nodes = label.size
    u = np.empty(n_nodes)
    on = np.empty(n_nodes, np.bool_)
    for i in range(odds.shape[0]):
        for v in range(n_nodes - 1, -1, -1):
            state = known[i, label[v]] if v > 0 else 1
            if state == 0:
                u[v] = MINUS_INFINITY
                continue
            u[v] = odds[i, label[v]] if state < 0 else 0.0
            for g in range(first_group[v], first_group[v + 1]):
                chosen, settled, gained = _best_child(
                    i, first_member[g], first_member[g + 1], known, label, member, u
                )
                if settled or kind[g] == 0 or (kind[g] == COVER and u[chosen] > 0.0):
                    u[v] += gained
                elif kind[g] == AT_MOST_ONE:
                    u[v] += max(0.0, u[chosen])
                else:
                    u[v] += u[chosen]
        on[0] = True
        for v in range(n_nodes):
            for g in range(first_group[v], first_group[v + 1]):
                chosen, settled, _ = _best_child(
                    i, first_member[g], first_member[g + 1], known, label, member, u
                )
                must = not settled and (kind[g] == EXACTLY_ONE or kind[g] == COVER)
                alone = kind[g] == AT_MOST_ONE or kind[g] == EXACTLY_ONE
                for j in range(first_member[g], first_member[g + 1]):
                    c = member[j]
                    if not on[v] or known[i, label[c]] >= 0:
                        on[c] = on[v] and known[i, label[c]] == 1
                    else:
                        on[c] = (u[c] > 0.0 and (c == chosen or not alone)) or (
                            must and c == chosen
                        )
                    world[i, label[c]] = on[c]


@njit(cache=True, nogil=True)
def _best_child(i, first, last, known, label, member, u):  # type: ignore[no-untyped-def]
    """The heaviest child, whether one is known to be on, and the weight of all that are worth having."""
    chosen = member[first]
    settled = False
    gained = 0.0
    for j in range(first, last):
        c = member[j]
        if known[i, label[c]] == 1:
            settled = True
            gained += u[c]
        elif u[c] > 0.0:
            gained += u[c]
        if u[c] > u[chosen]:
            chosen = c
    return chosen, settled, gained
