"""Random components of every kind, their legal worlds, beliefs and facts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from corollary.logic.engines import Component
from corollary.logic.language import formula as f

SEEDS = range(60)
ITEMS = 6


def component(n, edges, groups=(), clauses=(), circuits=()) -> Component:
    """A component from (child, parent) pairs that are already reduced."""
    parents = [[p for c, p in edges if c == k] for k in range(n)]
    children = [[c for c, p in edges if p == k] for k in range(n)]
    return Component(
        n,
        tuple(map(tuple, parents)),
        tuple(map(tuple, children)),
        tuple(groups),
        tuple(clauses),
        tuple(circuits),
    )


def random_dag(rng, n) -> list[tuple[int, int]]:
    """Edges from a label to smaller ones, without those that follow from others."""
    edges = {(c, p) for c in range(1, n) for p in range(c) if rng.random() < 1.6 / c}
    above = {k: set() for k in range(n)}
    for c in range(n):
        for _, p in [e for e in edges if e[0] == c]:
            above[c] |= {p} | above[p]
    return sorted(
        (c, p)
        for c, p in edges
        if not any(p in above[q] for _, q in [e for e in edges if e[0] == c])
    )


def trees(rng) -> Component:
    """A forest whose child groups are free, exclusive, exactly one or a cover."""
    n = int(rng.integers(3, 10))
    parent = [int(rng.integers(-1, k)) for k in range(n)]
    groups, clauses = [], []
    for p in range(-1, n):
        children = [k for k in range(n) if parent[k] == p]
        while len(children) >= 2:
            size = int(rng.integers(2, len(children) + 1))
            group, children = children[:size], children[size:]
            kind = rng.integers(4)
            if kind in (1, 2):
                groups.append(tuple(group))
            if kind in (2, 3):
                clauses.append(
                    tuple(sorted([2 * k for k in group] + ([2 * p + 1] if p >= 0 else [])))
                )
    return component(n, [(k, p) for k, p in enumerate(parent) if p >= 0], groups, clauses)


def dags(rng) -> Component:
    return component(n := int(rng.integers(3, 10)), random_dag(rng, n))


def anything(rng) -> Component:
    """Implications, groups, clauses and now and then a formula kept as a circuit."""
    n = int(rng.integers(3, 9))
    some = lambda: sorted(rng.permutation(n)[: int(rng.integers(2, min(n, 4) + 1))].tolist())  # noqa: E731
    groups = [tuple(some()) for _ in range(rng.integers(0, 3))]
    clauses = [
        tuple(2 * k + int(rng.integers(2)) for k in some()) for _ in range(rng.integers(0, 4))
    ]
    circuits = []
    if rng.random() < 0.4:
        names = [f.Name(str(k)) for k in some()]
        circuits.append(f.Or((f.Iff(names[0], names[1]), f.And(tuple(names)))))
    return component(n, random_dag(rng, n), groups, clauses, circuits)


def legal_worlds(part: Component) -> np.ndarray:
    rows = []
    for world in itertools.product((0, 1), repeat=part.n):
        fine = all(world[k] <= world[p] for k in range(part.n) for p in part.parents[k])
        fine &= all(sum(world[k] for k in group) <= 1 for group in part.groups)
        fine &= all(any(world[x >> 1] == 1 - (x & 1) for x in clause) for clause in part.clauses)
        named = {str(k): bool(v) for k, v in enumerate(world)}
        fine &= all(f.evaluate(circuit, named) for circuit in part.circuits)
        if fine:
            rows.append(world)
    return np.array(rows, np.int8).reshape(-1, part.n)


def cases(make) -> Iterator[tuple[Component, np.ndarray, np.ndarray, np.ndarray]]:
    """Components with their worlds, log-odds from mild to extreme, and propagated facts that agree with a world."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        part = make(rng)
        worlds = legal_worlds(part)
        if not len(worlds):
            continue
        odds = rng.normal(0, rng.choice([0.5, 3, 12]), (ITEMS, part.n)).clip(-27.6, 27.6)
        known = np.full((ITEMS, part.n), -1, np.int8)
        for i in range(ITEMS):
            world = worlds[rng.integers(len(worlds))]
            given = rng.random(part.n) < (0.0 if i == 0 else 0.3)
            agree = worlds[(worlds == world)[:, given].all(axis=1)]
            known[i] = np.where((agree == agree[0]).all(axis=0), agree[0], -1)
        yield part, worlds, odds, known


def weigh(worlds, odds, known):
    """Legal worlds that agree with the facts, their weight in logs, and their probability."""
    agree = worlds[((worlds == known) | (known < 0)).all(axis=1)]
    log_weight = agree @ np.where(known < 0, odds, 0.0)
    weight = np.exp(log_weight - log_weight.max())
    return agree, log_weight, weight / weight.sum()
