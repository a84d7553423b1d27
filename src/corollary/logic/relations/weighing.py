"""Beliefs about items and pairs weighed together: tables of states and classes filled, solved and mixed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..compiled.posterior import Inference, infer, log_odds, marginals, most_probable
from ..engines import Facts, Floats
from ..errors import CorollaryError, EstimateWarning
from ..reasoning.reasoner import Reasoner
from . import tables
from .pair_logic import Kind
from .parts import Part, parts_of
from .settling import Graph, Settled

Ints = npt.NDArray[np.int64]


@dataclass
class Block:
    """Edges of one kind with the same open functional cells: a table of classes and of the cells' values.

    `log_z` and `weight` are (edges, classes, values); the others have a line for each entry that is legal.
    """

    kind: Kind
    edges: Ints
    open: tuple[int, ...]
    log_z: Floats
    weight: Floats
    at: tuple[Ints, Ints, Ints]
    known: Facts
    posterior: Floats


class Weighed:
    """Beliefs and facts as tables of states and classes; with `largest` each entry is a maximum, else a sum."""

    def __init__(
        self,
        graph: Graph,
        settled: Settled,
        beliefs: tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]],
        shifts: tuple[Floats, Floats],
        *,
        largest: bool,
    ):
        self._onto = graph.onto
        self._graph = graph
        self._settled = settled
        self._beliefs = beliefs
        self._shifts = shifts
        self._largest = largest
        self.parts = parts_of(graph, settled.domains, settled.pairs)
        self._item_tables()
        self._blocks = list(self._pair_tables())
        self._block_of = {(id(one.kind), one.open): one for one in self._blocks}
        self._place = np.zeros(len(graph.x), np.int64)
        for one in self._blocks:
            self._place[one.edges] = np.arange(len(one.edges))

    # -- tables ------------------------------------------------------------------------------------------------------

    def _solve_rows(
        self, reasoner: Reasoner, theta: npt.NDArray[np.floating], shift: Floats, known: Facts
    ) -> tuple[Floats, Floats]:
        """Log weight and probabilities of rows: of all their worlds, or of the largest."""
        odds = log_odds(theta, shift)
        if self._largest:
            worlds = most_probable(reasoner.weighed, theta, known, shift)
            return marginals(reasoner.weighed, odds, worlds)[1], worlds.astype(float)
        posterior, log_z, error = marginals(reasoner.weighed, odds, known)
        if np.isnan(error).any():
            self._estimated = True
        return log_z, posterior

    _estimated = False

    def _item_tables(self) -> None:
        graph, logic = self._graph, self._graph.logic
        self._row_item, self._row_state = np.nonzero(self._settled.domains[graph.tied])
        self._row_item = graph.tied[self._row_item]
        rows = self._settled.items[self._row_item]
        rows[:, logic.columns] = logic.values[self._row_state]
        known, _ = self._onto.reasoner.model.propagate(rows)
        theta, shift = self._beliefs[0][self._row_item], self._shifts[0][self._row_item]
        log_z, self._row_posterior = self._solve_rows(self._onto.reasoner, theta, shift, known)
        self._row_known = known
        self._item_log_z = np.full(self._settled.domains.shape, -np.inf)
        self._item_log_z[self._row_item, self._row_state] = log_z
        self._item_weight = np.zeros(self._settled.domains.shape)

    def _wide(self, kind: Kind, edges: Ints) -> tuple[Floats, Floats]:
        """Beliefs and evidence of all columns of some edges; nothing is said of the labels of the ends."""
        theta = np.full((len(edges), len(kind.names)), 0.5)
        shift = np.zeros(theta.shape)
        theta[:, : kind.n_relations] = self._graph.cells(self._beliefs[1], edges)
        shift[:, : kind.n_relations] = self._graph.cells(self._shifts[1], edges)
        return theta, shift

    def _pair_tables(self) -> Iterator[Block]:
        graph = self._graph
        groups: dict[tuple[int, tuple[int, ...]], tuple[Kind, list[Ints]]] = {}
        for part in self.parts:
            for n, (kind, bits) in enumerate(part.block):
                groups.setdefault((id(kind), bits), (kind, []))[1].append(part.edges[:, n])
        for (_, bits), (kind, listed) in groups.items():
            edges = np.concatenate(listed)
            values = np.array(list(product((0, 1), repeat=len(bits))), np.int8)
            possible = graph.possible(kind, edges, self._settled.domains)
            edge, cls = np.nonzero(possible)
            edge, cls = np.repeat(edge, len(values)), np.repeat(cls, len(values))
            value = np.tile(np.arange(len(values)), len(edge) // len(values))
            rows = kind.rows[cls]
            rows[:, : kind.n_relations] = graph.cells(self._settled.pairs, edges)[edge]
            for n, column in enumerate(bits):
                rows[:, column] = values[value, n]
            known, clash = kind.reasoner.model.propagate(rows)
            legal = ~clash
            edge, cls, value, known = edge[legal], cls[legal], value[legal], known[legal]
            theta, shift = self._wide(kind, edges)
            log_z = np.full((len(edges), len(kind.rows), len(values)), -np.inf)
            found, posterior = self._solve_rows(kind.reasoner, theta[edge], shift[edge], known)
            log_z[edge, cls, value] = found
            yield Block(
                kind,
                edges,
                bits,
                log_z,
                np.zeros(log_z.shape),
                (edge, cls, value),
                known,
                posterior,
            )

    def _tables_of(self, part: Part) -> tuple[list[Floats], list[tuple[Ints, ...]]]:
        """The tables of components of one shape; and for pairs, which entry of their block each entry is."""
        found = [
            self._item_log_z[part.items[:, n]][:, states] for n, states in enumerate(part.states)
        ]
        entries: list[tuple[Ints, ...]] = []
        for n, (kind, bits) in enumerate(part.block):
            block = self._block_of[id(kind), bits]
            scope, (x, y) = part.scopes[len(part.states) + n], part.ends[n]
            place = self._place[part.edges[:, n]]
            if not scope:
                cls = kind.classes[part.states[x][0], part.states[y][0]]
                found.append(block.log_z[place, cls, 0])
                entries.append((place, np.full(len(place), cls), np.zeros(len(place), np.int64)))
                continue
            grid = np.indices([part.cards[v] for v in scope])
            at = dict(zip(scope, grid, strict=True))
            cls = kind.classes[part.states[x][at[x]], part.states[y][at[y]]]
            value, legal = _bit_values(part.slots[n], at, len(bits), grid.shape[1:])
            wide = place.reshape(-1, *[1] * len(scope))
            entry = np.broadcast_arrays(wide, cls[None], value[None])
            found.append(np.where(legal[None], block.log_z[tuple(entry)], -np.inf))
            entries.append(tuple(entry))
        return found, entries

    def _solved(self) -> Floats:
        """Weigh all entries; the log of the summed weights of each component."""
        total = np.zeros(int(self._graph.component_of_item.max(initial=-1)) + 1)
        estimated = 0
        for part in self.parts:
            given, entries = self._tables_of(part)
            if part.plan.size <= self._onto.budget.states:
                log_z, beliefs = tables.solve(part.cards, part.scopes, given, part.plan)
            else:
                estimated += len(part.items)
                each = [
                    tables.estimate(part.cards, part.scopes, [t[b : b + 1] for t in given])
                    for b in range(len(part.items))
                ]
                log_z = np.concatenate([one[0] for one in each])
                beliefs = [np.concatenate([one[1][n] for one in each]) for n in range(len(given))]
            total[self._graph.component_of_item[part.items[:, 0]]] = log_z
            for n, states in enumerate(part.states):
                self._item_weight[part.items[:, n, None], states] = beliefs[n]
            for n, (kind, bits) in enumerate(part.block):
                weight = self._block_of[id(kind), bits].weight
                np.add.at(
                    weight, entries[n], beliefs[len(part.states) + n].reshape(entries[n][0].shape)
                )
        if estimated or self._estimated:
            warnings.warn(
                f"the posterior of {estimated:,} components is an estimate without a proven bound; "
                "Linked.engines lists them, Ontology.with_budget may make it exact",
                EstimateWarning,
                stacklevel=5,
            )
        return total

    # -- answers -----------------------------------------------------------------------------------------------------

    def _inferred(self, items: Ints, known: Facts) -> Inference:
        """Posterior and entropy of items by themselves."""
        theta, shift = self._beliefs[0][items], self._shifts[0][items]
        return infer(self._onto.reasoner.weighed, theta, known, shift, gain=False)

    def _alone(self) -> Ints:
        """The items without pairs."""
        return np.setdiff1d(np.arange(len(self._settled.items)), self._graph.tied)

    def mixed(self) -> tuple[Floats, Floats]:
        """The posterior of items and pairs: that of each state or class, weighed by its probability."""
        self._solved()
        items = np.zeros(self._settled.items.shape)
        weight = self._item_weight[self._row_item, self._row_state]
        np.add.at(items, self._row_item, weight[:, None] * self._row_posterior)
        alone = self._alone()
        items[alone] = self._inferred(alone, self._settled.items[alone]).posterior
        pairs = np.zeros(self._settled.pairs.shape)
        for block in self._blocks:
            cells = np.zeros((len(block.edges), len(block.kind.names)))
            np.add.at(cells, block.at[0], block.weight[block.at][:, None] * block.posterior)
            self._graph.put(pairs, block.edges, cells[:, : block.kind.n_relations])
        for found, known in ((items, self._settled.items), (pairs, self._settled.pairs)):
            np.clip(found, 0.0, 1.0, out=found)
            found[known >= 0] = known[known >= 0]
        return items, pairs

    def joint_entropy(self) -> tuple[Floats, Floats]:
        """The entropy of states and classes, and of all else given these, by component."""
        total = self._solved()
        component = self._graph.component_of_item
        alone = self._alone()
        items = np.zeros(len(self._settled.items))
        of_rows = self._inferred(self._row_item, self._row_known).joint_entropy
        weight = self._item_weight[self._row_item, self._row_state]
        log_z = self._item_log_z[self._row_item, self._row_state]
        np.add.at(total, component[self._row_item], weight * (of_rows - log_z))
        for block in self._blocks:
            theta, shift = self._wide(block.kind, block.edges)
            edge = block.at[0]
            model = block.kind.reasoner.weighed
            of_rows = infer(model, theta[edge], block.known, shift[edge], gain=False).joint_entropy
            number = component[self._graph.x[block.edges]][edge]
            # the labels of the ends are clamped in every row, so that they add nothing
            np.add.at(total, number, block.weight[block.at] * (of_rows - block.log_z[block.at]))
        total = np.maximum(total, 0.0)
        tied = self._graph.tied
        items[tied] = total[component[tied]]
        items[alone] = self._inferred(alone, self._settled.items[alone]).joint_entropy
        return items, total[component[self._graph.pairs.head]]

    def largest(self) -> tuple[Facts, Facts]:
        """The labelling with the largest weight."""
        items, pairs = self._settled.items.copy(), self._settled.pairs.copy()
        alone = self._alone()
        theta, shift = self._beliefs[0][alone], self._shifts[0][alone]
        items[alone] = most_probable(self._onto.reasoner.weighed, theta, items[alone], shift)
        number = np.full(self._settled.domains.shape, -1)
        number[self._row_item, self._row_state] = np.arange(len(self._row_item))
        for part in self.parts:
            if part.plan.size > self._onto.budget.states:
                raise CorollaryError(
                    f"the most probable labelling of a component of {part.items.shape[1]:,} items takes tables of "
                    f"{part.plan.size:,} entries, above the budget of {self._onto.budget.states:,}; raise "
                    "Budget.states with Ontology.with_budget"
                )
            given, entries = self._tables_of(part)
            chosen = tables.best(part.cards, part.scopes, given, part.plan)
            every = np.arange(len(part.items))
            for n, states in enumerate(part.states):
                at = number[part.items[:, n], states[chosen[:, n]]]
                items[part.items[:, n]] = self._row_posterior[at].astype(np.int8)
            for n, (kind, bits) in enumerate(part.block):
                block = self._block_of[id(kind), bits]
                scope = part.scopes[len(part.states) + n]
                entry = tuple(one[(every, *(chosen[:, v] for v in scope))] for one in entries[n])
                lines = np.full(block.log_z.shape, -1)
                lines[block.at] = np.arange(len(block.at[0]))
                worlds = block.posterior[lines[entry]][:, : kind.n_relations].astype(np.int8)
                self._graph.put(pairs, part.edges[:, n], worlds)
        return items, pairs


def _bit_values(
    slots: Sequence[tuple[int, int | None, int]],
    at: dict[int, Ints],
    n_bits: int,
    shape: tuple[int, ...],
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Values of the open functional cells, from the counters around the pair; and which are possible."""
    legal = np.ones(shape, np.bool_)
    bits: dict[int, Ints] = {}
    for bit, before, after in slots:
        step = at[after] - (0 if before is None else at[before])
        legal &= step >= 0
        if bit in bits:
            legal &= bits[bit] == step
        bits[bit] = np.maximum(step, 0)
    value = np.zeros(shape, np.int64)
    for bit in range(n_bits):
        value = 2 * value + bits[bit]
    return value, legal
