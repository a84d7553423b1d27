"""What follows from the facts of items and pairs: complete for each connected component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..engines import Facts
from ..errors import Contradiction
from ..reasoning.reasoner import Reasoner
from .alternatives import distinct
from .ground import ground
from .pair_logic import Kind, PairLogic, cell, checked_logic
from .pairs import Pairs

if TYPE_CHECKING:
    from ..ontology import Ontology

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Settled:
    """All that follows; `domains` has the states that each item can still have (N, S)."""

    items: Facts
    pairs: Facts
    domains: Bools


class Graph:
    """Pairs as edges between items, a pair and its reverse as one, and the connected components."""

    def __init__(
        self,
        onto: Ontology,
        pairs: Pairs,
        logic: PairLogic | None = None,
        names: Sequence[object] | None = None,
    ):
        self.onto = onto
        self.pairs = pairs
        self._names = names
        self.logic = logic or checked_logic(onto)
        n = int(max(pairs.head.max(initial=-1), pairs.tail.max(initial=-1))) + 1
        ends = np.minimum(pairs.head, pairs.tail), np.maximum(pairs.head, pairs.tail)
        _, first, which = np.unique(ends[0] * n + ends[1], return_index=True, return_inverse=True)
        rows = np.arange(len(pairs))
        self.x, self.y, self.forward = pairs.head[first], pairs.tail[first], first
        self.backward = np.full(len(first), -1)
        again = first[which] != rows
        self.backward[which[again]] = rows[again]
        #: Each kind with its edges.
        both = self.backward >= 0
        self.kinds: list[tuple[Kind, Ints]] = [
            (kind, edges)
            for kind, edges in (
                (self.logic.one_way, np.flatnonzero(~both)),
                (self.logic.two_ways, np.flatnonzero(both)),
            )
            if len(edges)
        ]
        graph = csr_array((np.ones(len(first), np.int8), (self.x, self.y)), shape=(n, n))
        _, self.component_of_item = connected_components(graph, directed=False)
        #: The items that have pairs.
        self.tied = np.unique(np.concatenate(ends))
        self.members = self._members()

    def _members(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Cells of functional relations: group, edge, column among the edge's cells, pair and relation."""
        found: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []
        size, n = len(self.component_of_item), len(self.logic.relations)
        for kind, edges in self.kinds:
            for slot in kind.slots:
                anchor = (self.x if slot.end == 0 else self.y)[edges]
                rows = (self.forward if slot.column < n else self.backward)[edges]
                column = np.full(len(edges), slot.column)
                found.append(
                    (slot.functional * size + anchor, edges, column, rows, column % max(1, n))
                )
        if not found:
            empty = np.zeros(0, np.int64)
            return empty, empty, empty, empty, empty
        group, edge, column, row, relation = (
            np.concatenate(part) for part in zip(*found, strict=True)
        )
        return group, edge, column, row, relation

    def cells(self, values: npt.NDArray[np.generic], edges: Ints) -> npt.NDArray[np.generic]:
        """The values of the relations of some edges of one kind, both ways side by side."""
        found = values[self.forward[edges]]
        if len(edges) and self.backward[edges[0]] >= 0:
            found = np.hstack([found, values[self.backward[edges]]])
        return found

    def put(
        self, values: npt.NDArray[np.generic], edges: Ints, cells: npt.NDArray[np.generic]
    ) -> None:
        """Write the values of cells back to their pairs."""
        n = len(self.logic.relations)
        values[self.forward[edges]] = cells[:, :n]
        if len(edges) and self.backward[edges[0]] >= 0:
            values[self.backward[edges]] = cells[:, n:]

    def settle(self, facts: Facts, pair_facts: Facts) -> Settled:
        """Everything that follows; a Contradiction names items and pairs."""
        given = facts, pair_facts
        items, clash = self.onto.reasoner.model.propagate(facts)
        if clash.any():
            raise self.clash_of_item(int(np.argmax(clash)), given)
        pairs = pair_facts.copy()
        while True:
            known = (items >= 0).sum() + (pairs >= 0).sum()
            self._at_most_one_each(pairs, given)
            domains = self._item_domains(items)
            tight = self._tie(items, pairs, domains, given)
            if known == (items >= 0).sum() + (pairs >= 0).sum():
                break
        if tight.any():
            self._ask_solver(items, pairs, np.unique(self.component_of_item[self.x[tight]]), given)
            domains &= self._item_domains(items)
        return Settled(items, pairs, domains)

    def _at_most_one_each(self, pairs: Facts, given: tuple[Facts, Facts]) -> None:
        """A yes of a functional relation says no to the others of its group."""
        group, edge, _, row, relation = self.members
        if not len(group):
            return
        _, dense = np.unique(group, return_inverse=True)
        values = pairs[row, relation]
        yes = np.bincount(dense, weights=values == 1)
        if (yes > 1).any():
            at = int(np.argmax((yes > 1)[dense]))
            raise self.clash(int(self.component_of_item[self.x[edge[at]]]), given)
        others = (yes[dense] == 1) & (values < 0)
        pairs[row[others], relation[others]] = 0

    def _item_domains(self, items: Facts) -> Bools:
        """The states that agree with each item's facts."""
        logic = self.logic
        domains = np.ones((len(items), len(logic.states)), np.bool_)
        first, which = distinct(items[self.tied])
        domains[self.tied] = self.states_of(items[self.tied[first]])[1][which]
        return domains

    def states_of(self, rows: Facts) -> tuple[Facts, Bools]:
        """For rows of facts, all that follows with each state (U, S, K), and which are legal (U, S)."""
        logic = self.logic
        many = np.repeat(rows, len(logic.states), axis=0).reshape(len(rows), len(logic.states), -1)
        own = many[:, :, logic.columns]
        legal = ((own < 0) | (own == logic.values[None])).all(axis=2)
        many[:, :, logic.columns] = logic.values[None]
        closed, clash = self.onto.reasoner.model.propagate(many.reshape(-1, many.shape[2]))
        return closed.reshape(many.shape), legal & ~clash.reshape(legal.shape)

    def _tie(self, items: Facts, pairs: Facts, domains: Bools, given: tuple[Facts, Facts]) -> Bools:
        """Narrow domains along the edges until none changes, and fill in what follows.

        Returns the edges whose ends cannot take their states independently of each other.
        """
        groups = []
        for kind, edges in self.kinds:
            which, found = self._tables(kind, edges, pairs)
            order = np.argsort(which, kind="stable")
            split = np.split(order, np.searchsorted(which[order], np.arange(1, len(found))))
            groups += [(kind, edges, at, *table) for at, table in zip(split, found, strict=True)]
        left = -1
        while left != (left := int(domains.sum())):
            for kind, edges, at, _, legal, _ in groups:
                table = legal[kind.classes]
                if table.all():
                    continue
                x, y = self.x[edges[at]], self.y[edges[at]]
                _narrow(domains, x, y, table)
                _narrow(domains, y, x, table.T)
        empty = ~domains[self.tied].any(axis=1)
        if empty.any():
            raise self.clash(int(self.component_of_item[self.tied[np.argmax(empty)]]), given)
        tight = np.zeros(len(self.x), np.bool_)
        every = {id(kind): self.possible(kind, edges, domains) for kind, edges in self.kinds}
        for kind, edges, at, closed, legal, at_rest in groups:
            possible = every[id(kind)][at]
            tight[edges[at]] = (possible & ~at_rest).any(axis=1)
            first, which = distinct(possible & legal)
            can = (possible & legal)[first][:, :, None]
            cells = self.cells(pairs, edges[at])
            for value in (0, 1):
                settled = ~(can & (closed[:, : kind.n_relations] != value)).any(axis=1)
                np.copyto(cells, np.int8(value), where=settled[which])
            self.put(pairs, edges[at], cells)
        both = np.hstack([items[self.tied], domains[self.tied].astype(np.int8)])
        first, which = distinct(both)
        rows = self.tied[first]
        closed, _ = self.states_of(items[rows])
        states = domains[rows][:, :, None]
        new = items[rows]
        for value in (0, 1):
            new[~(states & (closed != value)).any(axis=1)] = value
        items[self.tied] = new[which]
        return tight

    def _tables(
        self, kind: Kind, edges: Ints, pairs: Facts
    ) -> tuple[Ints, list[tuple[Facts, Bools, Bools]]]:
        """For each edge the number of its table; a table has a row of facts for each class, and which are legal.

        The last is where all functional relations can be no.
        """
        cells = self.cells(pairs, edges)
        first, which = distinct(cells)
        slots = sorted({slot.column for slot in kind.slots})
        tables = []
        for row in cells[first]:
            many = kind.rows.copy()
            many[:, : kind.n_relations] = row
            closed, clash = kind.reasoner.model.propagate(many)
            at_rest = ~clash
            if slots:
                many[:, slots] = np.where(many[:, slots] < 0, 0, many[:, slots])
                at_rest &= ~kind.reasoner.model.propagate(many)[1]
            tables.append((closed, ~clash, at_rest))
        return which, tables

    def possible(self, kind: Kind, edges: Ints, domains: Bools) -> Bools:
        """Which classes the domains of the ends allow (E, C)."""
        first, number = distinct(domains)
        ends, which = np.unique(
            number[self.x[edges]] * len(first) + number[self.y[edges]], return_inverse=True
        )
        x, y = domains[first[ends // len(first)]], domains[first[ends % len(first)]]
        found = np.zeros((len(ends), len(kind.rows)), np.bool_)
        for n in range(len(ends)):
            found[n, kind.classes[np.ix_(x[n], y[n])]] = True
        return found[which]

    # -- written out -------------------------------------------------------------------------------------------------

    def written_out(self, component: int) -> tuple[Reasoner, Ints, Ints]:
        """A component with a label for each cell, its items, and its pairs."""
        items = np.flatnonzero(self.component_of_item == component)
        edges = np.flatnonzero(self.component_of_item[self.x] == component)
        both = self.backward[edges] >= 0
        listed = zip(self.x[edges].tolist(), self.y[edges].tolist(), both.tolist(), strict=True)
        rows = np.sort(np.concatenate([self.forward[edges], self.backward[edges][both]]))
        made = ground(self.onto, self.logic, items.tolist(), list(listed), self.named)
        return made, items, rows

    def written_out_around(self, item: int) -> tuple[Reasoner, Ints, Ints]:
        """The component of an item; the item alone if it has no pairs."""
        if item < len(self.component_of_item):
            return self.written_out(int(self.component_of_item[item]))
        alone = ground(self.onto, self.logic, [item], [], self.named)
        return alone, np.array([item]), np.zeros(0, np.int64)

    @cached_property
    def _titles(self) -> list[str] | None:
        """The names of items, if cells named by them cannot be confused with each other."""
        found = None if self._names is None else [str(name) for name in self._names]
        plain = found is not None and len(set(found)) == len(found)
        return found if plain and not any(set(one) & set("(,)") for one in found or ()) else None

    def named(self, ends: Sequence[int]) -> tuple[object, ...]:
        """The names of some items; their numbers if nothing is said."""
        return tuple(ends) if self._titles is None else tuple(self._titles[i] for i in ends)

    def names(self, items: Ints, rows: Ints) -> list[tuple[str, int, int, bool]]:
        """Cells of items and pairs: name, row, column, and whether it is a pair's."""
        ends = [(int(self.pairs.head[j]), int(self.pairs.tail[j])) for j in rows]
        return [
            (cell(label, self.named((i,))), i, k, False)
            for i in items.tolist()
            for k, label in enumerate(self.onto.labels)
        ] + [
            (cell(name, self.named(of)), j, k, True)
            for j, of in zip(rows.tolist(), ends, strict=True)
            for k, name in enumerate(self.logic.relations)
        ]

    def clash(self, component: int, given: tuple[Facts, Facts]) -> Contradiction:
        """Why the facts of a component cannot all be true."""
        reasoner, items, rows = self.written_out(component)
        return reasoner.trace.clash(self.known_cells(items, rows, given))

    def clash_of_item(self, item: int, given: tuple[Facts, Facts]) -> Contradiction:
        """Why the facts around an item cannot all be true."""
        reasoner, items, rows = self.written_out_around(item)
        return reasoner.trace.clash(self.known_cells(items, rows, given))

    def known_cells(self, items: Ints, rows: Ints, given: tuple[Facts, Facts]) -> dict[str, bool]:
        """The facts by the names of cells."""
        return {
            name: bool(given[pair][row, k])
            for name, row, k, pair in self.names(items, rows)
            if given[pair][row, k] >= 0
        }

    def _ask_solver(
        self, items: Facts, pairs: Facts, components: Ints, given: tuple[Facts, Facts]
    ) -> None:
        """Fill in what follows in components where ties go round."""
        for component in components.tolist():
            reasoner, mine, rows = self.written_out(component)
            known = self.known_cells(mine, rows, (items, pairs))
            index = {name: k for k, name in enumerate(reasoner.labels)}
            literals = [2 * index[name] + (not value) for name, value in known.items()]
            found = reasoner.trace.solver.backbone(literals)
            if found is None:
                raise self.clash(component, given)
            for name, row, k, pair in self.names(mine, rows):
                for literal in (2 * index[name], 2 * index[name] + 1):
                    if literal in found:
                        (items, pairs)[pair][row, k] = 1 - (literal & 1)


def _narrow(domains: Bools, ends: Ints, others: Ints, table: Bools) -> None:
    """Leave each end the states that fit a state of the other end."""
    first, which = distinct(domains[others])
    fits: Bools = np.asarray(domains[others[first]] @ table.T, np.bool_)
    some = ~np.asarray(fits.all(axis=1))[which]
    np.logical_and.at(domains, ends[some], fits[which[some]])
