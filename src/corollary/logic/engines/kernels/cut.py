"""The most probable legal world of a hierarchy, as a minimum cut.

Labels with positive log-odds want to be on and pay for the ancestors they need: weight flows from
them to ancestors of negative log-odds. Once no more can flow, the labels that unspent weight still
reaches are the best world. If there are several best worlds, it is the one that lies in all the
others.
"""

from __future__ import annotations

import numpy as np

from ...compiling import njit

#: Log weight at or below which a label has nothing left to pay with: sums of log-odds are no more exact than that.
SPENT = 1e-11


@njit(cache=True, nogil=True)
def best_worlds(dag, odds, worlds):  # type: ignore[no-untyped-def]
    """Replace the unknown cells (-1) of the worlds, whose other cells are completely propagated facts."""
    n = dag.column.size
    weight = np.empty(n)
    value = np.empty(n, np.int8)
    flow = np.empty(dag.parent.size)
    seen = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    origin = np.empty(n, np.int64)
    way = np.empty(n, np.int64)
    for i in range(odds.shape[0]):
        for k in range(n):
            value[k] = worlds[i, dag.column[k]]
            weight[k] = odds[i, dag.column[k]]
        flow[:] = 0.0
        seen[:] = -1
        _cut(dag, weight, value, flow, seen, queue, origin, way)
        for k in range(n):
            worlds[i, dag.column[k]] = value[k] if value[k] >= 0 else 0


@njit(cache=True, nogil=True)
def _cut(dag, weight, value, flow, seen, queue, origin, way):  # type: ignore[no-untyped-def]
    """Let each label pay while it can; what it still reaches after that is on, for good."""
    search = 0
    for k in range(weight.size):
        while value[k] < 0 and weight[k] > SPENT:
            search += 1
            debtor, reached = _search(dag, weight, value, flow, seen, search, queue, origin, way, k)
            if debtor < 0:
                for j in range(reached):
                    value[queue[j]] = 1
            else:
                _pay(weight, flow, origin, way, k, debtor)


@njit(cache=True, nogil=True)
def _search(dag, weight, value, flow, seen, search, queue, origin, way, k):  # type: ignore[no-untyped-def]
    """Breadth first from k, up along edges and down where there is flow to take back, to a label of negative weight.

    v is reached from origin[v] by way[v]: 2 * edge going up, 2 * edge + 1 going down. Labels on lead nowhere new.
    """
    queue[0] = k
    seen[k] = search
    head = 0
    count = 1
    while head < count:
        v = queue[head]
        head += 1
        if weight[v] < 0.0:
            return v, count
        for j in range(dag.parent_start[v], dag.parent_start[v + 1]):
            p = dag.parent[j]
            if value[p] < 0 and seen[p] != search:
                seen[p] = search
                origin[p] = v
                way[p] = 2 * j
                queue[count] = p
                count += 1
        for j in range(dag.child_start[v], dag.child_start[v + 1]):
            c = dag.child[j]
            if value[c] < 0 and seen[c] != search and flow[dag.edge[j]] > 0.0:
                seen[c] = search
                origin[c] = v
                way[c] = 2 * dag.edge[j] + 1
                queue[count] = c
                count += 1
    return -1, count


@njit(cache=True, nogil=True)
def _pay(weight, flow, origin, way, k, debtor):  # type: ignore[no-untyped-def]
    """Send along the path found what the payer has, the debtor needs and the flow to take back allows."""
    amount = min(weight[k], -weight[debtor])
    v = debtor
    while v != k:
        if way[v] & 1:
            amount = min(amount, flow[way[v] >> 1])
        v = origin[v]
    weight[k] -= amount
    weight[debtor] += amount
    v = debtor
    while v != k:
        flow[way[v] >> 1] += -amount if way[v] & 1 else amount
        v = origin[v]
