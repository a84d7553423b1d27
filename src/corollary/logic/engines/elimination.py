"""An order in which to eliminate the labels of a hierarchy, and the bags it makes: the shape of the junction tree."""

from __future__ import annotations

import time
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import Component, TooLarge

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]

#: Labels that are left after peeling; packed rows over them take LARGEST_CORE² / 4 bytes.
LARGEST_CORE = 20_000
#: An order that needs more than this many times the states allowed is not worth a second try.
HOPELESS = 8
#: No bag may have more states than this, whatever the limit for all: they are listed to be counted.
LARGEST_BAG = 2**28
#: Eliminations between two looks at the clock.
STEPS = 64


class Dag(NamedTuple):
    """A hierarchy as flat arrays, renumbered so that parents come before children; `column` has the outside numbers."""

    column: Ints
    parent_start: Ints
    parent: Ints
    child_start: Ints
    child: Ints
    edge: Ints  # for each entry of `child`, the same edge's place in `parent`

    @property
    def n(self) -> int:
        return len(self.column)

    def within(self, keep: npt.NDArray[np.bool_]) -> Dag:
        """The hierarchy of some labels. Implications through the labels left out are lost."""
        child = np.repeat(np.arange(self.n), np.diff(self.parent_start))
        kept = keep[child] & keep[self.parent]
        number = np.cumsum(keep) - 1
        return _dag(self.column[keep], number[child[kept]], number[self.parent[kept]])


def to_dag(component: Component) -> Dag:
    """The implications of a component."""
    order = component.ancestors_first()
    number = np.empty(component.n, np.int64)
    number[order] = np.arange(component.n)
    below = np.repeat(np.arange(component.n), [len(parents) for parents in component.parents])
    above = np.array([p for parents in component.parents for p in parents], np.int64)
    return _dag(np.array(order, np.int64), number[below], number[above])


def _dag(column: Ints, child: Ints, parent: Ints) -> Dag:
    n = len(column)
    by_child = np.argsort(child, kind="stable")
    child = child[by_child]
    parent = parent[by_child]
    by_parent = np.argsort(parent, kind="stable")
    return Dag(column, _starts(child, n), parent, _starts(parent, n), child[by_parent], by_parent)


def _starts(owner: Ints, n: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))]).astype(np.int64)


class Elimination(NamedTuple):
    """Labels in the order of elimination; step i's bag is order[i] with separator[start[i]:start[i + 1]], ascending."""

    order: Ints
    start: Ints
    separator: Ints
    states: int
    #: The label's row in `above`, -1 for those that were peeled off (each is tied to at most one label of its bag).
    core: Ints
    above: Bits


def eliminate(
    dag: Dag, cliques: list[list[int]], *, limit: int, seconds: float, tries: int
) -> Elimination:
    """Find an order whose bags hold each clique and have at most `limit` legal states, or raise TooLarge."""
    from .kernels import elimination as kernels

    deadline = time.monotonic() + seconds
    start, neighbour = _graph(dag, cliques)
    peeled = np.empty(dag.n, np.int64)
    hook = np.empty(dag.n, np.int64)
    peeled = peeled[: kernels.peel(start, neighbour, peeled, hook)]
    in_core = np.ones(dag.n, np.bool_)
    in_core[peeled] = False
    labels = np.flatnonzero(in_core)
    if len(labels) > LARGEST_CORE:
        raise TooLarge(
            f"{len(labels):,} labels lie on cycles of the hierarchy's diagram, more than {LARGEST_CORE:,}"
        )
    core = np.full(dag.n, -1, np.int64)
    core[labels] = np.arange(len(labels))
    adjacency = np.zeros((len(labels), (len(labels) + 63) // 64), np.uint64)
    above = np.zeros_like(adjacency)
    kernels.pack(labels, core, start, neighbour, dag.parent_start, dag.parent, adjacency, above)
    hooks = hook[peeled]
    states = int(np.sum(np.where(hooks < 0, 2, 3)))
    order, width, separator, states = _order_core(
        adjacency, above, states, limit=limit, deadline=deadline, tries=tries
    )
    width = np.concatenate([hooks >= 0, width])
    separator = np.concatenate([hooks[hooks >= 0], labels[separator]])
    starts = np.concatenate([[0], np.cumsum(width)])
    return Elimination(
        np.concatenate([peeled, labels[order]]), starts, separator, states, core, above
    )


def _graph(dag: Dag, cliques: list[list[int]]) -> tuple[Ints, Ints]:
    """Neighbours of each label: parents, children and the labels with which it shares a clique."""
    child = np.repeat(np.arange(dag.n), np.diff(dag.parent_start))
    joined = [pair for clique in cliques for pair in combinations(clique, 2)]
    more = np.array(joined, np.int64).reshape(-1, 2)
    one = np.append(child, more[:, 0])
    other = np.append(dag.parent, more[:, 1])
    edges = np.unique(np.concatenate([one * dag.n + other, other * dag.n + one]))
    return _starts(edges // dag.n, dag.n), edges % dag.n


def _order_core(
    adjacency: Bits, above: Bits, peeled: int, *, limit: int, deadline: float, tries: int
) -> tuple[Ints, Ints, Ints, int]:
    """Order, widths, separators and, `peeled` included, states of the core: the best of several min-fill runs.

    The first breaks ties by number, the others at random; each gives up once it has more states than the best so far.
    """
    from .kernels import elimination as kernels

    m = len(adjacency)
    fill = np.empty(m, np.int64)
    kernels.start_fill(adjacency, fill)
    buffer = np.empty(min(limit, LARGEST_BAG), np.int64)
    reach = HOPELESS * limit if tries > 1 else limit
    best = None
    for seed in range(tries):
        random = np.array([seed * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF], np.uint64)
        left = adjacency.copy()
        cost = fill.copy()
        order = np.empty(m, np.int64)
        width = np.empty(m, np.int64)
        separator = np.empty((m, kernels.WIDEST), np.int32)
        done = 0
        total = peeled
        while done < m and total <= reach:
            done, total = kernels.min_fill(
                left,
                above,
                cost,
                random,
                order,
                width,
                separator,
                buffer,
                done,
                STEPS,
                total,
                reach,
            )
            if time.monotonic() > deadline:
                break
        late = time.monotonic() > deadline
        if done == m and total <= reach:
            reach = total - 1
            best = (order, width, separator)
        elif best is None and late:
            raise TooLarge(
                f"no order of elimination within the time allowed, {done:,} of {m:,} labels done"
            )
        if best is None or late:
            break
    if best is None or reach >= limit:
        found = f"more than {reach:,}" if best is None else f"{reach + 1:,}"
        raise TooLarge(f"the junction tree has {found} legal states, {limit:,} are allowed")
    order, width, separator = best
    return (
        order,
        width,
        separator[np.arange(kernels.WIDEST) < width[:, None]].astype(np.int64),
        reach + 1,
    )
