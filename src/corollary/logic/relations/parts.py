"""Components of one shape as one model of tables: states of items, and counters along functional relations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engines import Facts
from . import tables
from .alternatives import distinct
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
    opened = open_members(graph, pairs)
    component = graph.component_of_item
    items = graph.tied[np.argsort(component[graph.tied], kind="stable")]
    _, first_item, n_items = np.unique(component[items], return_index=True, return_counts=True)
    edges = np.argsort(component[graph.x], kind="stable")
    _, first_edge, n_edges = np.unique(
        component[graph.x[edges]], return_index=True, return_counts=True
    )
    local = np.zeros(len(component), np.int64)
    local[items] = np.arange(len(items)) - np.repeat(first_item, n_items)
    domain = np.zeros(len(component), np.int64)
    domain[graph.tied] = distinct(domains[graph.tied])[1]
    members = np.zeros(len(graph.x), np.int64)
    for number, e in enumerate(opened, start=1):
        members[e] = number  # its own, so that the component is alone
    found = []
    sizes, of_size = np.unique(np.stack([n_items, n_edges]), axis=1, return_inverse=True)
    for n, mine in enumerate(_groups(of_size.reshape(-1), sizes.shape[1])):
        some = items[first_item[mine, None] + np.arange(sizes[0, n])]
        own = edges[first_edge[mine, None] + np.arange(sizes[1, n])]
        ends = local[graph.x[own]], local[graph.y[own]]
        key = [domain[some], *ends, graph.backward[own] >= 0, members[own]]
        first, which = distinct(np.hstack(key))
        for u, same in enumerate(_groups(which, len(first))):
            shape = _shape(graph, own[first[u]], local, opened)
            found.append(_part(graph, domains, shape, some[same], own[same]))
    return found


def _groups(which: Ints, n: int) -> list[Ints]:
    """The places of each of the numbers up to n."""
    order = np.argsort(which, kind="stable")
    return np.split(order, np.searchsorted(which[order], np.arange(1, n)))


def _shape(
    graph: Graph, edges: Ints, local: Ints, opened: dict[int, list[tuple[int, int]]]
) -> Shape:
    """The edges of a component between its own numbers of items."""
    groups: dict[int, int] = {}
    return tuple(
        (
            x,
            y,
            both,
            tuple((groups.setdefault(g, len(groups)), c) for g, c in opened.get(e, ())),
        )
        for e, x, y, both in zip(
            edges.tolist(),
            local[graph.x[edges]].tolist(),
            local[graph.y[edges]].tolist(),
            (graph.backward[edges] >= 0).tolist(),
            strict=True,
        )
    )


def _part(
    graph: Graph, domains: npt.NDArray[np.bool_], shape: Shape, items: Ints, edges: Ints
) -> Part:
    """The model of tables that components of one shape share."""
    states = tuple(np.flatnonzero(domains[i]) for i in items[0].tolist())
    cards = [len(one) for one in states]
    scopes: list[tables.Scope] = [(n,) for n in range(len(states))]
    last: dict[int, int] = {}
    key = [one.tobytes() for one in states]
    constant: dict[tuple[bool, bytes, bytes], bool] = {}
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
        if (own_key := (both, key[x], key[y])) not in constant:
            classes = kind.classes[np.ix_(states[x], states[y])]
            constant[own_key] = bool((classes == classes[0, 0]).all())
        if not bits and constant[own_key]:
            scope = set()  # whatever the ends are, it is all the same to the pair
        blocks.append((kind, bits))
        slots.append(tuple(own))
        ends.append((x, y))
        scopes.append(tuple(sorted(scope)))
    how = tables.plan(tuple(cards), tuple(scopes), graph.onto.budget.states)
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
