"""An order in which to eliminate the labels of a hierarchy, and the bags it makes: the shape of the junction tree.

A hierarchy has implications and exclusions. The exclusions that follow from those of ancestors are left out.
"""

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
#: Pairs of exclusive labels in the groups of one component; more are not listed one by one.
MOST_PAIRS = 2_000_000


class Dag(NamedTuple):
    """A hierarchy as flat arrays, renumbered so that parents come before children; `column` has the outside numbers."""

    column: Ints
    parent_start: Ints
    parent: Ints
    child_start: Ints
    child: Ints
    edge: Ints  # for each entry of `child`, the same edge's place in `parent`
    foe_start: Ints
    foe: Ints  # the labels that each label excludes

    @property
    def n(self) -> int:
        return len(self.column)

    def within(self, keep: npt.NDArray[np.bool_]) -> Dag:
        """The hierarchy of some labels. What follows through the labels left out is lost."""
        number = np.cumsum(keep) - 1

        def between(start: Ints, other: Ints) -> tuple[Ints, Ints]:
            one = np.repeat(np.arange(self.n), np.diff(start))
            kept = keep[one] & keep[other]
            return number[one[kept]], number[other[kept]]

        return _dag(
            self.column[keep],
            *between(self.parent_start, self.parent),
            *between(self.foe_start, self.foe),
        )


def to_dag(component: Component) -> Dag:
    """The implications and exclusions of a component, or TooLarge where it has too many pairs."""
    order = component.ancestors_first()
    number = np.empty(component.n, np.int64)
    number[order] = np.arange(component.n)
    below = np.repeat(np.arange(component.n), [len(parents) for parents in component.parents])
    above = np.array([p for parents in component.parents for p in parents], np.int64)
    pairs = np.array(exclusive_pairs(component, order), np.int64).reshape(-1, 2)
    one, other = number[pairs[:, 0]], number[pairs[:, 1]]
    return _dag(
        np.array(order, np.int64),
        number[below],
        number[above],
        np.concatenate([one, other]),
        np.concatenate([other, one]),
    )


def exclusive_pairs(component: Component, order: list[int]) -> list[tuple[int, int]]:
    """Pairs of labels that exclude each other, without those that follow from the pairs of their ancestors."""
    if sum(len(group) ** 2 for group in component.groups) > 2 * MOST_PAIRS:
        raise TooLarge(f"more than {MOST_PAIRS:,} pairs of exclusive labels")
    foes = [0] * component.n
    for group in component.groups:
        mask = 0
        for k in group:
            mask |= 1 << k
        for k in group:
            foes[k] |= mask & ~(1 << k)
    # By label, as bits: what its ancestors are, and what they exclude.
    above = [0] * component.n
    barred = [0] * component.n
    pairs = []
    for k in order if component.groups else ():
        for p in component.parents[k]:
            above[k] |= above[p] | 1 << p
            barred[k] |= barred[p] | foes[p]
    for a in range(component.n):
        left = foes[a] >> a
        while left:
            b = a + (left & -left).bit_length() - 1
            left &= left - 1
            of_ancestors = barred[a] & (above[b] | 1 << b) or foes[a] & above[b]
            if not of_ancestors:
                pairs.append((a, b))
    return pairs


def _dag(column: Ints, child: Ints, parent: Ints, one: Ints, other: Ints) -> Dag:
    n = len(column)
    by_child = np.argsort(child, kind="stable")
    child = child[by_child]
    parent = parent[by_child]
    by_parent = np.argsort(parent, kind="stable")
    by_one = np.argsort(one, kind="stable")
    return Dag(
        column, _starts(child, n), parent, _starts(parent, n), child[by_parent], by_parent,
        _starts(one, n), other[by_one],
    )  # fmt: skip


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
    clash: Bits  # by row of `above`, the labels of the core that cannot be on beside it


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
    clash = np.zeros_like(above) if len(dag.foe) else above[:, :0]
    if len(dag.foe):
        kernels.pack_clashes(labels, core, dag, clash)
    hooks = hook[peeled]
    states = int(np.sum(np.where(hooks < 0, 2, 3)))
    order, width, separator, states = _order_core(
        adjacency, above, clash, states, limit=limit, deadline=deadline, tries=tries
    )
    width = np.concatenate([hooks >= 0, width])
    separator = np.concatenate([hooks[hooks >= 0], labels[separator]])
    starts = np.concatenate([[0], np.cumsum(width)])
    return Elimination(
        np.concatenate([peeled, labels[order]]), starts, separator, states, core, above, clash
    )


def _graph(dag: Dag, cliques: list[list[int]]) -> tuple[Ints, Ints]:
    """Neighbours of each label: parents, children, foes and the labels with which it shares a clique."""
    child = np.repeat(np.arange(dag.n), np.diff(dag.parent_start))
    joined = [pair for clique in cliques for pair in combinations(clique, 2)]
    more = np.array(joined, np.int64).reshape(-1, 2)
    excluding = np.repeat(np.arange(dag.n), np.diff(dag.foe_start))
    one = np.concatenate([child, more[:, 0], excluding])
    other = np.concatenate([dag.parent, more[:, 1], dag.foe])
    edges = np.unique(np.concatenate([one * dag.n + other, other * dag.n + one]))
    return _starts(edges // dag.n, dag.n), edges % dag.n


def _order_core(
    adjacency: Bits,
    above: Bits,
    clash: Bits,
    peeled: int,
    *,
    limit: int,
    deadline: float,
    tries: int,
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
                clash,
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
