"""One contract for every engine, checked on components that it can take, against the list of legal worlds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from corollary.logic import formula as f
from corollary.logic.engines import Budget, Component, Engine, TooLarge
from corollary.logic.engines.diagram import Diagram
from corollary.logic.engines.estimate import BeliefPropagation
from corollary.logic.engines.junction import compile_junction
from corollary.logic.engines.pruning import PrunedJunction
from corollary.logic.engines.tree import NotATree, Tree, child_groups

SEEDS = range(60)
ITEMS = 6


def component(n, edges, groups=(), clauses=(), circuits=()) -> Component:
    """A component from (child, parent) pairs that are already reduced."""
    parents = [[p for c, p in edges if c == k] for k in range(n)]
    children = [[c for c, p in edges if p == k] for k in range(n)]
    return Component(
        n, tuple(map(tuple, parents)), tuple(map(tuple, children)), tuple(groups), tuple(clauses), tuple(circuits)
    )


def random_dag(rng, n) -> list[tuple[int, int]]:
    """Edges from a label to smaller ones, without those that follow from others."""
    edges = {(c, p) for c in range(1, n) for p in range(c) if rng.random() < 1.6 / c}
    above = {k: set() for k in range(n)}
    for c in range(n):
        for _, p in [e for e in edges if e[0] == c]:
            above[c] |= {p} | above[p]
    return sorted((c, p) for c, p in edges if not any(p in above[q] for _, q in [e for e in edges if e[0] == c]))


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
                clauses.append(tuple(sorted([2 * k for k in group] + ([2 * p + 1] if p >= 0 else []))))
    return component(n, [(k, p) for k, p in enumerate(parent) if p >= 0], groups, clauses)


def dags(rng) -> Component:
    return component(n := int(rng.integers(3, 10)), random_dag(rng, n))


def anything(rng) -> Component:
    """Implications, groups, clauses and now and then a formula kept as a circuit."""
    n = int(rng.integers(3, 9))
    some = lambda: sorted(rng.permutation(n)[: int(rng.integers(2, min(n, 4) + 1))].tolist())  # noqa: E731
    groups = [tuple(some()) for _ in range(rng.integers(0, 3))]
    clauses = [tuple(2 * k + int(rng.integers(2)) for k in some()) for _ in range(rng.integers(0, 4))]
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


ENGINES = {
    "tree": (lambda part: Tree(child_groups(part)), trees),
    "junction": (lambda part: compile_junction(part, Budget()), dags),
    "pruned junction": (lambda part: PrunedJunction(part, Budget(error=1e-6), BeliefPropagation(part)), dags),
    "diagram": (lambda part: Diagram.compile(part, Budget()), anything),
    "diagram on trees": (lambda part: Diagram.compile(part, Budget()), trees),
    "diagram on dags": (lambda part: Diagram.compile(part, Budget()), dags),
    "belief propagation": (BeliefPropagation, anything),
    "belief propagation on trees": (BeliefPropagation, trees),
}


@pytest.fixture(params=ENGINES)
def engine_cases(request):
    make_engine, make_component = ENGINES[request.param]
    return make_engine, cases(make_component)


def weigh(worlds, odds, known):
    """Legal worlds that agree with the facts, their weight in logs, and their probability."""
    agree = worlds[((worlds == known) | (known < 0)).all(axis=1)]
    log_weight = agree @ np.where(known < 0, odds, 0.0)
    weight = np.exp(log_weight - log_weight.max())
    return agree, log_weight, weight / weight.sum()


def test_contract(engine_cases):
    make_engine, some_cases = engine_cases
    checked = 0
    for part, worlds, odds, known in some_cases:
        engine: Engine = make_engine(part)
        before = odds.copy(), known.copy()
        found = engine.infer(odds, known, both=True)
        best = engine.most_probable(odds, known)
        np.testing.assert_array_equal(odds, before[0])
        np.testing.assert_array_equal(known, before[1])
        again = engine.infer(odds[::-1].copy(), known[::-1].copy())
        if engine.name != "pruned junction":  # its batches depend on their company, within the proven error
            np.testing.assert_array_equal(again.posterior[::-1], found.posterior)
        assert again.both is None
        assert engine.size >= 0
        for i in range(ITEMS):
            agree, log_weight, probability = weigh(worlds, odds[i], known[i])
            assert (agree == best[i]).all(axis=1).any(), "the most probable world must be legal"
            assert (found.posterior[i][known[i] >= 0] == known[i][known[i] >= 0]).all()
            assert ((found.posterior[i] >= 0) & (found.posterior[i] <= 1)).all()
            assert ((found.both[i] >= 0) & (found.both[i] <= 1)).all()
            assert (found.both[i][known[i] >= 0] == 0).all()
            error = found.error[i]
            if np.isnan(error):
                assert engine.guarantee.startswith("estimate")
                continue
            checked += 1
            slack = 2 * error + 1e-9
            np.testing.assert_allclose(found.posterior[i], probability @ agree, rtol=0, atol=slack)
            log_z = log_weight.max() + np.log(np.exp(log_weight - log_weight.max()).sum())
            np.testing.assert_allclose(found.log_z[i], log_z, rtol=1e-12, atol=slack)
            both = [
                sum(p for p, w in zip(probability, agree, strict=True) if flip(w, k) in agree.tolist())
                for k in range(part.n)
            ]
            np.testing.assert_allclose(found.both[i], np.where(known[i] < 0, both, 0), rtol=0, atol=slack)
            chosen = int(np.flatnonzero((agree == best[i]).all(axis=1))[0])
            assert log_weight[chosen] >= log_weight.max() - 1e-6 * (1 + abs(log_weight.max()))
    assert checked or engine.guarantee.startswith("estimate")


def flip(world, k):
    other = world.tolist()
    other[k] ^= 1
    return other


@pytest.mark.parametrize("make_engine", [lambda part: Diagram.compile(part, Budget()), BeliefPropagation])
def test_entailment_is_complete(make_engine):
    """Where unit propagation is not enough, the engine itself finds all that follows, and every contradiction."""
    clashes = followed = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        part = anything(rng)
        worlds = legal_worlds(part)
        engine = make_engine(part)
        facts = np.where(rng.random((4, part.n)) < 0.3, rng.integers(0, 2, (4, part.n)), -1).astype(np.int8)
        found = engine.entailed(facts)
        for row, given in zip(found, facts, strict=True):
            agree = worlds[((worlds == given) | (given < 0)).all(axis=1)]
            if not len(agree):
                clashes += 1
                assert row[0] == -2
                continue
            expected = np.where((agree == agree[0]).all(axis=0), agree[0], -1)
            followed += (expected != given).any()
            np.testing.assert_array_equal(row, expected)
    assert clashes > 10
    assert followed > 10


def test_estimate_error_is_measured_and_moderate():
    """Belief propagation against exact answers; the documentation quotes these figures."""
    errors = []
    for part, _, odds, known in cases(anything):
        exact = Diagram.compile(part, Budget()).infer(odds.clip(-4, 4), known)
        errors.append(np.abs(BeliefPropagation(part).infer(odds.clip(-4, 4), known).posterior - exact.posterior))
    every = np.concatenate([error.ravel() for error in errors])
    assert every.mean() < 0.02
    assert np.quantile(every, 0.99) < 0.35


def test_belief_propagation_is_exact_on_trees():
    for part, worlds, odds, known in cases(trees):
        found = BeliefPropagation(part, sweeps=400, tolerance=1e-13).infer(odds.clip(-6, 6), known, both=True)
        if any(len(set(group) & {x >> 1 for x in clause}) > 1 for group in part.groups for clause in part.clauses):
            continue  # two constraints on the same children are a loop
        if any(part.parents[x >> 1] for clause in part.clauses for x in clause) or any(
            part.parents[k] for group in part.groups for k in group
        ):
            continue  # a group and the implications of its members are a loop
        for i in range(ITEMS):
            agree, _, probability = weigh(worlds, odds[i].clip(-6, 6), known[i])
            np.testing.assert_allclose(found.posterior[i], probability @ agree, atol=1e-6)


def test_a_diagram_over_budget_is_refused():
    rng = np.random.default_rng(0)
    n = 40
    clauses = [tuple(2 * k + int(rng.integers(2)) for k in rng.permutation(n)[:3].tolist()) for _ in range(100)]
    with pytest.raises(TooLarge, match="500 nodes"):
        Diagram.compile(component(n, [], clauses=clauses), Budget(states=500))


def test_what_is_not_a_tree():
    for part in (
        component(3, [(2, 0), (2, 1)]),
        component(3, [], groups=[(0, 1), (1, 2)]),
        component(4, [(2, 0), (3, 1)], groups=[(2, 3)]),
        component(3, [], clauses=[(0, 3, 5)]),
        component(3, [], circuits=[f.Iff(f.Name("0"), f.Iff(f.Name("1"), f.Name("2")))]),
    ):
        with pytest.raises(NotATree):
            child_groups(part)


def test_pairs_that_form_cliques_and_redundant_pairs_are_a_tree():
    exclusive = component(5, [(2, 0), (3, 0), (4, 1)], groups=[(0, 1), (2, 4), (3, 4), (2, 3)])
    assert Tree(child_groups(exclusive)).size == 5
