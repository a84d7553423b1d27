"""Components of one shape as one model of tables: states of items, and counters along functional relations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines import Facts
from . import tables
from .pair_logic import Kind
from .settling import Graph

Ints = npt.NDArray[np.int64]
#: Of each edge: its ends among the items, whether it is listed both ways, and its open functional cells.
Shape = tuple[tuple[int, int, bool, tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True)
class Part:
    """Components of one shape: their items (B, n) and edges (B, e), and the model of tables they share.

    Variables are the states of the items, then a counter after each pair of a functional relation.
    """

    items: Ints
    edges: Ints
    states: tuple[Ints, ...]
    block: tuple[tuple[Kind, tuple[int, ...]], ...]
    slots: tuple[
        tuple[tuple[int, int | None, int], ...], ...
    ]  # of each edge: bit, variable before, after
    ends: tuple[tuple[int, int], ...]
    cards: tuple[int, ...]
    scopes: tuple[tables.Scope, ...]
    plan: tables.Plan


def open_members(graph: Graph, pairs: Facts) -> dict[int, list[tuple[int, int]]]:
    """For each edge its open cells of functional relations that at least two pairs of an item have open."""
    group, edge, column, row, relation = graph.members
    is_open = pairs[row, relation] < 0
    many = np.bincount(group[is_open], minlength=int(group.max(initial=-1)) + 1) > 1
    found: dict[int, list[tuple[int, int]]] = {}
    for n in np.flatnonzero(is_open & many[group]).tolist():
        found.setdefault(int(edge[n]), []).append((int(group[n]), int(column[n])))
    return found


def parts_of(graph: Graph, domains: npt.NDArray[np.bool_], pairs: Facts) -> list[Part]:
    """The components that have pairs, those of one shape together."""
    component = graph.component_of_item
    opened = open_members(graph, pairs)
    items_by, edges_by = _by_component(component[graph.tied]), _by_component(component[graph.x])
    same: dict[tuple[Shape, bytes], list[tuple[Ints, Ints]]] = {}
    for number, edges in edges_by.items():
        items = graph.tied[items_by[number]]
        local = {i: n for n, i in enumerate(items.tolist())}
        groups: dict[int, int] = {}
        shape = tuple(
            (
                local[int(graph.x[e])],
                local[int(graph.y[e])],
                bool(graph.backward[e] >= 0),
                tuple((groups.setdefault(g, len(groups)), c) for g, c in opened.get(e, ())),
            )
            for e in edges.tolist()
        )
        key = shape, domains[items].tobytes()
        same.setdefault(key, []).append((items, edges))
    return [
        _part(graph, domains, shape, np.array([i for i, _ in ones]), np.array([e for _, e in ones]))
        for (shape, _), ones in same.items()
    ]


def _by_component(numbers: Ints) -> dict[int, Ints]:
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True))


def _part(
    graph: Graph, domains: npt.NDArray[np.bool_], shape: Shape, items: Ints, edges: Ints
) -> Part:
    """The model of tables that components of one shape share."""
    states = tuple(np.flatnonzero(domains[i]) for i in items[0].tolist())
    cards = [len(one) for one in states]
    scopes: list[tables.Scope] = [(n,) for n in range(len(states))]
    last: dict[int, int] = {}
    blocks, slots, ends = [], [], []
    for x, y, both, members in shape:
        kind = graph.logic.two_ways if both else graph.logic.one_way
        bits = tuple(sorted({column for _, column in members}))
        own = []
        scope: set[int] = {x, y}
        for group, column in members:
            before = last.get(group)
            after = last[group] = len(cards)
            cards.append(2)
            own.append((bits.index(column), before, after))
            scope |= {after} if before is None else {before, after}
        if not bits and len(np.unique(kind.classes[np.ix_(states[x], states[y])])) == 1:
            scope = set()  # whatever the ends are, it is all the same to the pair
        blocks.append((kind, bits))
        slots.append(tuple(own))
        ends.append((x, y))
        scopes.append(tuple(sorted(scope)))
    how = tables.plan(cards, scopes)
    return Part(
        items,
        edges,
        states,
        tuple(blocks),
        tuple(slots),
        tuple(ends),
        tuple(cards),
        tuple(scopes),
        how,
    )
