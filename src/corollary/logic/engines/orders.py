"""Orders in which a diagram may decide the labels: parents before children, related labels close together."""

from __future__ import annotations

from itertools import pairwise

from ..language import formula as f
from . import Component


def candidate_orders(component: Component) -> list[list[int]]:
    """A few different orders, the most promising first."""
    linked = _links(component)
    weight = [len(links) for links in linked]
    heavy_first = _depth_first(component, linked, key=[-w for w in weight])
    light_first = _depth_first(component, linked, key=weight)
    orders = [heavy_first, light_first, _breadth_first(linked)]
    return [order for i, order in enumerate(orders) if order not in orders[:i]]


def _links(component: Component) -> list[set[int]]:
    """Which labels occur together in a constraint other than an implication; large groups count as a chain."""
    linked: list[set[int]] = [set() for _ in range(component.n)]
    scopes = [list(group) for group in component.groups]
    scopes += [sorted({x // 2 for x in clause}) for clause in component.clauses]
    scopes += [sorted({int(name) for name in f.names(circuit)}) for circuit in component.circuits]
    for scope in scopes:
        pairs = pairwise(scope) if len(scope) > 64 else ((a, b) for a in scope for b in scope)
        for a, b in pairs:
            if a != b:
                linked[a].add(b)
                linked[b].add(a)
    return linked


def _depth_first(component: Component, linked: list[set[int]], *, key: list[int]) -> list[int]:
    """A label once all its parents are placed; then its children, then what it is linked to."""
    waiting = [len(parents) for parents in component.parents]
    order: list[int] = []
    placed = [False] * component.n
    stack = sorted(
        (k for k in range(component.n) if not waiting[k]), key=lambda k: (key[k], k), reverse=True
    )
    while stack:
        k = stack.pop()
        if placed[k]:
            continue
        placed[k] = True
        order.append(k)
        ready = []
        for child in component.children[k]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
        if not component.groups:
            stack.extend(
                sorted(
                    (j for j in linked[k] if not placed[j] and not waiting[j]),
                    key=lambda j: (-key[j], -j),
                )
            )
        stack.extend(sorted(ready, key=lambda j: (key[j], j), reverse=True))
    return order


def _breadth_first(linked: list[set[int]]) -> list[int]:
    """Reverse Cuthill-McKee on the labels that share clauses: a narrow band."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    rows = [a for a, links in enumerate(linked) for _ in links]
    columns = [b for links in linked for b in sorted(links)]
    n = len(linked)
    graph = csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n, n))
    return [int(k) for k in reverse_cuthill_mckee(graph, symmetric_mode=True)]
