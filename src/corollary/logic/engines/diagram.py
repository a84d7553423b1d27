"""Decision diagrams for any constraints: exact, as long as the diagram fits the budget.

Labels are decided one after another. A prefix of decisions leaves later labels that are already
dead or already on, and clauses that are not satisfied yet. Prefixes that leave the same of both
share a node. So nodes are unique without ever combining two diagrams. A label that is skipped on a
path is dead there. Labels that become true by consequence are listed on the edge. Each node also
has a third edge, `both`. It leads to the worlds of the later labels in which either value of the
node's label is legal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from ..language import formula as f
from . import Budget, Component, Facts, Floats, Inferred, TooLarge
from .orders import candidate_orders
from .rows import infer_rows, over_rows

#: A description: (next position, labels on, labels dead, clauses open, formulas open), as bit masks over positions.
State = tuple[int, int, int, int, frozenset[f.Expression]]
#: An edge: (node, labels that become true along it as a mask over positions); node -1 is "illegal", 0 is "done".
Edge = tuple[int, int]

ILLEGAL: Edge = (-1, 0)
LOW, HIGH, BOTH = range(3)


class Diagram:
    """Inference by one pass up and one down the diagram, all items at once in the log domain."""

    name = "diagram"
    guarantee = "exact"

    def __init__(
        self, n: int, nodes: list[tuple[int, tuple[Edge, Edge, Edge]]], root: Edge, order: list[int]
    ):
        self.size = len(nodes)
        #: How many labels there are; and the nodes and edges, in the form the kernels take.
        self.n = n
        edges = [edge for _, three in nodes for edge in three] + [root]
        turned_on = [[order[p] for p in _bits(on)] for _, on in edges]
        self.shape = (
            np.array([order[p] for p, _ in nodes], np.int64),
            np.array([node for node, _ in edges], np.int64),
            np.concatenate([[0], np.cumsum([len(labels) for labels in turned_on])]).astype(
                np.int64
            ),
            np.array([k for labels in turned_on for k in labels], np.int64),
        )

    @classmethod
    def compile(cls, component: Component, budget: Budget) -> Self:
        """Try several orders under growing limits; raise TooLarge when none fits."""
        deadline = time.monotonic() + budget.seconds
        orders = candidate_orders(component)
        for limit in _growing(budget.states):
            compiled = []
            for order in orders:
                try:
                    compiled.append((Compiler(component, order, limit, deadline).compile(), order))
                except TooLarge:
                    continue
            if compiled:
                (nodes, root), order = min(compiled, key=lambda found: len(found[0][0]))
                return cls(component.n, nodes, root, order)
        raise TooLarge(f"a diagram of more than {budget.states:,} nodes or {budget.seconds:g} s")

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        from .kernels import diagram as diagram_kernels

        return infer_rows(diagram_kernels.infer, self.shape, odds, known, both=both, at_least=16)

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        from .kernels import diagram as diagram_kernels

        world = np.empty_like(known)

        def run(start: int, stop: int) -> None:
            diagram_kernels.most_probable(
                odds[start:stop], known[start:stop], *self.shape, world[start:stop]
            )

        over_rows(run, len(odds), at_least=16)
        return world

    def entailed(self, known: Facts) -> Facts:
        """All that follows from the facts, complete; -2 in the first cell of a row that contradicts itself."""
        from .kernels import diagram as diagram_kernels

        out = known.copy()

        def run(start: int, stop: int) -> None:
            diagram_kernels.entailed(out[start:stop], *self.shape)

        over_rows(run, len(out), at_least=16)
        return out


def _growing(limit: int) -> Iterator[int]:
    """Small limits first: a good order shows early, a bad one is given up early."""
    step = 4096
    while step < limit:
        yield step
        step *= 12
    yield limit


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(slots=True)
class Compiler:
    """Builds the diagram of a component for one order of its labels, level by level."""

    component: Component
    order: list[int]
    limit: int
    deadline: float
    #: By literal of a position: the positions it turns on, and those it turns off (itself included).
    on: list[int] = field(init=False)
    off: list[int] = field(init=False)
    #: Long clauses: positive and negative positions; by literal, the clauses it satisfies.
    positive: list[int] = field(init=False)
    negative: list[int] = field(init=False)
    satisfies: list[int] = field(init=False)
    circuits: tuple[f.Expression, ...] = field(init=False)

    def __post_init__(self) -> None:
        position = {k: p for p, k in enumerate(self.order)}
        self._close_pairs(position)
        clauses = [clause for clause in self.component.clauses if len(clause) > 2]
        self.positive = [sum(1 << position[x // 2] for x in c if x % 2 == 0) for c in clauses]
        self.negative = [sum(1 << position[x // 2] for x in c if x % 2) for c in clauses]
        self.satisfies = [0] * (2 * self.component.n)
        for c, clause in enumerate(clauses):
            for x in clause:
                self.satisfies[2 * position[x // 2] + x % 2] |= 1 << c
        self.circuits = tuple(
            f.rename(e, lambda name: str(position[int(name)])) for e in self.component.circuits
        )

    def _close_pairs(self, position: dict[int, int]) -> None:
        """Everything that follows from one literal through implications, exclusions and clauses of two."""
        n = self.component.n
        self.on = [1 << x // 2 if x % 2 == 0 else 0 for x in range(2 * n)]
        self.off = [1 << x // 2 if x % 2 else 0 for x in range(2 * n)]
        after: list[list[int]] = [[] for _ in range(2 * n)]
        for k, parents in enumerate(self.component.parents):
            for parent in parents:
                after[2 * position[k]].append(2 * position[parent])
                after[2 * position[parent] + 1].append(2 * position[k] + 1)
        for clause in self.component.clauses:
            if len(clause) == 2:
                a, b = (2 * position[x // 2] + x % 2 for x in clause)
                after[a ^ 1].append(b)
                after[b ^ 1].append(a)
        mates: dict[int, int] = {}
        for group in self.component.groups:
            mask = sum(1 << position[k] for k in group)
            for k in group:
                mates[position[k]] = (mates.get(position[k], 0) | mask) & ~(1 << position[k])
        leads_on = [x for x in range(1, 2 * n, 2) if after[x]]
        busy = sum(1 << x // 2 for x in leads_on)  # positions whose "no" has consequences
        # Children lie after their parents: "no" settles from the back, "yes" from the front.
        sequence = [*range(2 * n - 1, 0, -2), *range(0, 2 * n, 2)]
        changed = True
        while changed:
            changed = False
            for x in sequence:
                on = self.on[x]
                off = self.off[x]
                for y in after[x]:
                    on |= self.on[y]
                    off |= self.off[y]
                if x % 2 == 0 and x // 2 in mates:
                    dead = mates[x // 2]
                    off |= dead
                    for p in _bits(dead & busy):
                        on |= self.on[2 * p + 1]
                        off |= self.off[2 * p + 1]
                if on != self.on[x] or off != self.off[x]:
                    self.on[x] = on
                    self.off[x] = off
                    changed = True

    def compile(self) -> tuple[list[tuple[int, tuple[Edge, Edge, Edge]]], Edge]:
        """Nodes, children first, and the edge to the root."""
        n = self.component.n
        open_clauses = (1 << len(self.positive)) - 1
        start = self._settle(0, 0, 0, 0, 0, open_clauses, frozenset(self.circuits))
        levels: list[dict[State, int]] = [{} for _ in range(n + 1)]
        wanted: list[set[State]] = [
            set() for _ in range(n)
        ]  # states that need a `both` edge of their own
        expanded: list[tuple[int, list[tuple[State, int] | None]]] = []
        if start is not None:
            levels[start[0][0]][start[0]] = 0
            if start[0][0] < n:
                wanted[start[0][0]].add(start[0])
        count = 1
        for p in range(n):
            for state in levels[p]:
                main = state in wanted[p]
                successors = self._successors(state, main)
                expanded.append((p, successors))
                for branch, found in enumerate(successors):
                    if found is None:
                        continue
                    after = found[0]
                    level = levels[after[0]]
                    if after not in level:
                        level[after] = count
                        count += 1
                    if main and branch != BOTH and after[0] < n:
                        wanted[after[0]].add(after)
                if count > self.limit or time.monotonic() > self.deadline:
                    raise TooLarge
            wanted[p] = set()
        return self._reduce(levels, expanded, start)

    def _successors(self, state: State, main: bool) -> list[tuple[State, int] | None]:
        p, on, dead, clauses, circuits = state
        low = self._settle(
            p + 1, on, dead, self.on[2 * p + 1], self.off[2 * p + 1], clauses, circuits
        )
        high = self._settle(p + 1, on, dead, self.on[2 * p], self.off[2 * p], clauses, circuits)
        found = [low, None if high is None else (high[0], high[1] | 1 << p), None]
        if main and low is not None and high is not None:
            here = 1 << p
            new_on = (self.on[2 * p] | self.on[2 * p + 1]) & ~here
            new_off = (self.off[2 * p] | self.off[2 * p + 1]) & ~here
            either = {
                part
                for e in circuits
                for part in _conjuncts(_restrict(e, p, False), _restrict(e, p, True))
            }
            found[BOTH] = self._settle(p + 1, on, dead, new_on, new_off, clauses, frozenset(either))
        return found

    def _settle(
        self,
        p: int,
        on: int,
        dead: int,
        new_on: int,
        new_off: int,
        clauses: int,
        circuits: frozenset[f.Expression],
    ) -> tuple[State, int] | None:
        """Add literals and all that follows at once: the state left from position p on, and what turned on there."""
        later = -1 << p
        before = on
        while True:
            fresh_on = new_on & ~on
            fresh_off = new_off & ~dead
            on |= new_on
            dead |= new_off
            if on & dead:
                return None
            if not clauses and not circuits:
                break
            new_on = new_off = 0
            touched = 0
            for q in _bits(fresh_on):
                clauses &= ~self.satisfies[2 * q]
                touched |= self.satisfies[2 * q + 1]
            for q in _bits(fresh_off):
                clauses &= ~self.satisfies[2 * q + 1]
                touched |= self.satisfies[2 * q]
            for c in _bits(touched & clauses):
                positive = self.positive[c] & ~dead & later
                negative = self.negative[c] & ~on & later
                if not positive and not negative:
                    return None
                if positive.bit_count() + negative.bit_count() == 1:
                    x = 2 * positive.bit_length() - 2 if positive else 2 * negative.bit_length() - 1
                    new_on |= self.on[x]
                    new_off |= self.off[x]
            if circuits:
                open_circuits: set[f.Expression] = set()
                for e in circuits:
                    for q in _bits(fresh_on):
                        e = _restrict(e, q, True)
                    for q in _bits(fresh_off):
                        e = _restrict(e, q, False)
                    for part in _conjuncts(e):
                        if part == f.FALSE:
                            return None
                        forced = _literal(part)
                        if forced is None:
                            open_circuits.add(part)
                        else:
                            new_on |= self.on[forced]
                            new_off |= self.off[forced]
                circuits = frozenset(open_circuits)
            if not (new_on & ~on or new_off & ~dead):
                if new_on & dead or new_off & on:
                    return None
                break
        on_later = on & later
        dead_later = dead & later
        settled = (on_later | dead_later) >> p
        p += (~settled & (settled + 1)).bit_length() - 1
        p = min(p, self.component.n)
        keep = -1 << p
        return (p, on_later & keep, dead_later & keep, clauses, circuits), on_later & ~before

    def _reduce(
        self,
        levels: list[dict[State, int]],
        expanded: list[tuple[int, list[tuple[State, int] | None]]],
        start: tuple[State, int] | None,
    ) -> tuple[list[tuple[int, tuple[Edge, Edge, Edge]]], Edge]:
        """From the back: drop nodes that cannot be satisfied, share equal ones, number the rest."""
        number: dict[State, int] = dict.fromkeys(levels[self.component.n], 0)
        unique: dict[tuple[int, tuple[Edge, Edge, Edge]], int] = {}
        states = [state for level in levels[:-1] for state in level]

        def edge(found: tuple[State, int] | None) -> Edge:
            if found is None:
                return ILLEGAL
            node = number[found[0]]
            return ILLEGAL if node < 0 else (node, found[1])

        for state, (p, successors) in zip(reversed(states), reversed(expanded), strict=True):
            low, high, both = (edge(found) for found in successors)
            if low == high == ILLEGAL:
                number[state] = -1
                continue
            key = (p, (low, high, both))
            number[state] = unique.setdefault(key, len(unique) + 1)
        return list(unique), edge(start)


def _conjuncts(*expressions: f.Expression) -> Iterator[f.Expression]:
    for expression in expressions:
        if isinstance(expression, f.And):
            yield from _conjuncts(*expression.parts)
        elif expression != f.TRUE:
            yield expression


def _literal(expression: f.Expression) -> int | None:
    match expression:
        case f.Name(name):
            return 2 * int(name)
        case f.Not(f.Name(name)):
            return 2 * int(name) + 1
    return None


def _restrict(expression: f.Expression, position: int, value: bool) -> f.Expression:
    """The expression with one name replaced by its value, simplified."""
    return f.simplify(expression, {str(position): value})
