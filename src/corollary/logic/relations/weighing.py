"""Beliefs about items and pairs weighed together: tables of states and classes filled, solved and mixed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ..compiled.posterior import Inference, infer, most_probable
from ..engines import Facts, Floats
from ..errors import CorollaryError, EstimateWarning
from . import batches, tables
from .alternatives import Alternatives, distinct
from .batches import Coded
from .pair_logic import Kind
from .parts import Part, parts_of
from .settling import Graph, Settled

Ints = npt.NDArray[np.int64]


@dataclass
class Block:
    """Edges of one kind with the same open functional cells; what each may be is a class and the cells' values."""

    kind: Kind
    edges: Ints
    n_values: int
    of: Alternatives


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
        self._items = self._item_tables()
        self._blocks = {(id(one.kind), bits): one for bits, one in self._pair_tables()}
        self._item_place = np.zeros(len(settled.items), np.int64)
        self._item_place[graph.tied] = np.arange(len(graph.tied))
        self._place = np.zeros(len(graph.x), np.int64)
        for one in self._blocks.values():
            self._place[one.edges] = np.arange(len(one.edges))

    # -- tables ------------------------------------------------------------------------------------------------------

    def _item_tables(self) -> Alternatives:
        """States of the items that have pairs."""
        graph, settled, reasoner = self._graph, self._settled, self._onto.reasoner
        first, which = distinct(settled.items[graph.tied])
        closed, legal = graph.states_of(settled.items[graph.tied[first]])
        soft = bool(reasoner.weighed.weights.size)
        return Alternatives(
            reasoner,
            (self._beliefs[0][graph.tied], self._shifts[0][graph.tied]),
            closed,
            which,
            settled.domains[graph.tied] & legal[which],
            np.zeros(legal.shape, np.bool_) if soft else np.all(closed >= 0, axis=2),
            np.zeros(closed.shape[1]),
            largest=self._largest,
        )

    def _pair_tables(self) -> Iterator[tuple[tuple[int, ...], Block]]:
        graph = self._graph
        groups: dict[tuple[int, tuple[int, ...]], tuple[Kind, list[Ints]]] = {}
        for part in self.parts:
            for n, (kind, bits) in enumerate(part.block):
                groups.setdefault((id(kind), bits), (kind, []))[1].append(part.edges[:, n])
        for (_, bits), (kind, listed) in groups.items():
            edges = np.concatenate(listed)
            values = np.array(list(product((0, 1), repeat=len(bits))), np.int8)
            cells = graph.cells(self._settled.pairs, edges)
            first, which = distinct(cells)
            shape = len(first), len(kind.rows), len(values), len(kind.names)
            rows = np.broadcast_to(kind.rows[None, :, None], shape).copy()
            rows[..., : kind.n_relations] = cells[first][:, None, None]
            for n, column in enumerate(bits):
                rows[..., column] = values[None, None, :, n]
            closed, clash = kind.reasoner.model.propagate(rows.reshape(-1, shape[3]))
            possible = graph.possible(kind, edges, self._settled.domains)
            legal = np.repeat(possible, len(values), axis=1)
            n_alternatives = shape[1] * shape[2]
            yield (
                bits,
                Block(
                    kind,
                    edges,
                    len(values),
                    Alternatives(
                        kind.reasoner,
                        (
                            graph.cells(self._beliefs[1], edges).astype(np.float64, copy=False),
                            graph.cells(self._shifts[1], edges).astype(np.float64, copy=False),
                        ),
                        closed.reshape(shape[0], n_alternatives, shape[3]),
                        which,
                        legal & ~clash.reshape(shape[0], n_alternatives)[which],
                        np.tile(np.repeat(kind.simple, len(values)), (shape[0], 1)),
                        np.repeat(kind.penalty, len(values)),
                        largest=self._largest,
                    ),
                ),
            )

    def _coded(self, part: Part) -> tuple[list[Coded], list[tuple[Ints, Ints]]]:
        """The tables of components of one shape; and where their values are: rows, and alternatives."""
        found: list[Coded] = []
        places: list[tuple[Ints, Ints]] = []
        key = [states.tobytes() for states in part.states]
        shared: dict[tuple[int, bytes, bytes, bool], tuple[Ints, Ints]] = {}
        for n, states in enumerate(part.states):
            rows = self._item_place[part.items[:, n]][:, None]
            found.append(Coded(self._items.log_z[rows, states], np.arange(len(states))))
            places.append((rows, states))
        for n, (kind, bits) in enumerate(part.block):
            block = self._blocks[id(kind), bits]
            scope, (x, y) = part.scopes[len(part.states) + n], part.ends[n]
            rows = self._place[part.edges[:, n]][:, None]
            same = id(kind), key[x], key[y], x < y
            if not bits and same in shared:
                used, code = shared[same]
                found.append(Coded(block.of.log_z[rows, used], code))
                places.append((rows, used))
                continue
            if scope:
                grid = np.indices([part.cards[v] for v in scope])
                at = dict(zip(scope, grid, strict=True))
                cls = kind.classes[part.states[x][at[x]], part.states[y][at[y]]]
                value, legal = _bit_values(part.slots[n], at, len(bits), grid.shape[1:])
                alternative = np.where(legal, cls * block.n_values + value, -1)
            else:
                cls = kind.classes[part.states[x][0], part.states[y][0]]
                alternative = np.array(cls * block.n_values)
            used, code = np.unique(alternative, return_inverse=True)
            code = code.reshape(alternative.shape)
            if used[0] < 0:
                used, code = used[1:], code - 1
            if not bits:
                shared[same] = used, code
            found.append(Coded(block.of.log_z[rows, used], code))
            places.append((rows, used))
        return found, places

    def _alternatives_of(self, part: Part) -> list[Alternatives]:
        """Those of each item and each edge of a part."""
        return [self._items] * len(part.states) + [
            self._blocks[id(kind), bits].of for kind, bits in part.block
        ]

    def _solved(self) -> Floats:
        """Weigh all alternatives; the log of the summed weights of each component."""
        total = np.zeros(int(self._graph.component_of_item.max(initial=-1)) + 1)
        estimated = 0
        for part in self.parts:
            given, places = self._coded(part)
            if part.plan.size <= self._onto.budget.states:
                log_z, beliefs = batches.solve(part.cards, part.scopes, given, part.plan)
            else:
                estimated += len(part.items)
                log_z, beliefs = _estimated(part, given)
            total[self._graph.component_of_item[part.items[:, 0]]] = log_z
            for of, place, belief in zip(self._alternatives_of(part), places, beliefs, strict=True):
                of.weight[place] = belief
        of_blocks = [one.of for one in self._blocks.values()]
        if estimated or any(one.estimated for one in (self._items, *of_blocks)):
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
        items[self._graph.tied] = self._items.mixed()
        alone = self._alone()
        items[alone] = self._inferred(alone, self._settled.items[alone]).posterior
        pairs = np.zeros(self._settled.pairs.shape)
        for block in self._blocks.values():
            self._graph.put(pairs, block.edges, block.of.mixed())
        for found, known in ((items, self._settled.items), (pairs, self._settled.pairs)):
            np.clip(found, 0.0, 1.0, out=found)
            np.copyto(found, known, where=known >= 0)
        return items, pairs

    def joint_entropy(self) -> tuple[Floats, Floats]:
        """The entropy of states and classes, and of all else given these, by component."""
        total = self._solved()
        component = self._graph.component_of_item
        tied, alone = self._graph.tied, self._alone()
        np.add.at(total, component[tied], self._items.entropy())
        for block in self._blocks.values():
            np.add.at(total, component[self._graph.x[block.edges]], block.of.entropy())
        total = np.maximum(total, 0.0)
        items = np.zeros(len(self._settled.items))
        items[tied] = total[component[tied]]
        items[alone] = self._inferred(alone, self._settled.items[alone]).joint_entropy
        return items, total[component[self._graph.pairs.head]]

    def largest(self) -> tuple[Facts, Facts]:
        """The labelling with the largest weight."""
        items, pairs = self._settled.items.copy(), self._settled.pairs.copy()
        alone = self._alone()
        theta, shift = self._beliefs[0][alone], self._shifts[0][alone]
        items[alone] = most_probable(self._onto.reasoner.weighed, theta, items[alone], shift)
        chosen = {
            id(of): np.zeros(len(of.weight), np.int64)
            for of in (self._items, *(one.of for one in self._blocks.values()))
        }
        for part in self.parts:
            if part.plan.size > self._onto.budget.states:
                raise CorollaryError(
                    f"the most probable labelling of a component of {part.items.shape[1]:,} items takes tables of "
                    f"{part.plan.size:,} entries, above the budget of {self._onto.budget.states:,}; raise "
                    "Budget.states with Ontology.with_budget"
                )
            given, places = self._coded(part)
            written = [one.written_out() for one in given]
            states = tables.best(part.cards, part.scopes, written, part.plan)
            every = zip(self._alternatives_of(part), places, given, part.scopes, strict=True)
            for of, (rows, used), one, scope in every:
                code = one.code[tuple(states[:, v] for v in scope)]
                chosen[id(of)][rows[:, 0]] = used[code]
        items[self._graph.tied] = self._items.worlds(chosen[id(self._items)])
        for block in self._blocks.values():
            self._graph.put(pairs, block.edges, block.of.worlds(chosen[id(block.of)]))
        return items, pairs


def _estimated(part: Part, given: Sequence[Coded]) -> tuple[Floats, list[Floats]]:
    """The estimate for each component by itself."""
    written = [one.written_out() for one in given]
    each = [
        tables.estimate(part.cards, part.scopes, [table[b : b + 1] for table in written])
        for b in range(len(part.items))
    ]
    beliefs = [np.concatenate([one[1][n] for one in each]) for n in range(len(given))]
    return np.concatenate([one[0] for one in each]), [
        one.gathered(belief) for one, belief in zip(given, beliefs, strict=True)
    ]


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
