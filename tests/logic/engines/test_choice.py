"""Which engine serves which component."""

from __future__ import annotations

import numpy as np
import pytest
from pysat.solvers import Solver

import corollary as co
from corollary.logic.engines import Budget
from corollary.logic.engines.choice import FIRST_TRY, choose_engine
from corollary.logic.engines.diagram import Diagram

from .hierarchies import hierarchy, random_exclusions, random_hierarchy, with_exclusions


def test_engines_tell_what_serves_each_component():
    onto = co.Ontology.parse(
        "animal > exclusive: bird, fish\nlabels: animal, bird, fish, a, b, c, d, x, y, z, lone\n"
        "a > b, c\nb > d\nc > d\nrule: x <-> (y <-> z)"
    )
    told = {engine.engine: engine for engine in onto.engines}
    assert set(told) == {"tree", "junction", "diagram"}
    assert set(told["tree"].labels) == {"animal", "bird", "fish", "lone"}
    assert told["tree"].components == 2
    assert str(told["junction"]).startswith("junction: 4 labels, size ")
    assert all(engine.guarantee == "exact" for engine in onto.engines)


def test_a_hierarchy_with_exclusions_that_no_small_diagram_fits_gets_a_junction_tree():
    edges = [(2, 0), (3, 0), (3, 1), (4, 1), (5, 2), (6, 3), (7, 4), (8, 2), (8, 3)]
    part = with_exclusions(hierarchy(9, edges), [(2, 4), (5, 6), (6, 8)])
    assert len(part.groups) == 3
    assert choose_engine(part, Budget()).name == "diagram"
    engine = choose_engine(part, Budget(states=640))
    assert engine.name == "junction"
    assert engine.guarantee == "exact"


def test_a_hierarchy_with_exclusions_that_nothing_fits_is_pruned_where_an_error_is_allowed():
    edges = [(2, 0), (3, 0), (3, 1), (4, 1), (5, 2), (6, 3), (7, 4), (8, 2), (8, 3)]
    part = with_exclusions(hierarchy(9, edges), [(2, 4), (5, 6), (6, 8)])
    assert choose_engine(part, Budget(states=2)).name == "pruned junction"
    assert choose_engine(part, Budget(states=2, error=0)).name == "belief propagation"


def test_a_diagram_has_a_node_for_each_label_at_least(monkeypatch):
    rng = np.random.default_rng(0)
    for _ in range(60):
        part = random_hierarchy(rng, int(rng.integers(2, 12)), 0.3)
        part = random_exclusions(rng, part)
        assert Diagram.compile(part, Budget()).size >= part.n
    edges = [(2, 0), (3, 0), (3, 1), (4, 1), (5, 2), (6, 3), (7, 4), (8, 2), (8, 3)]
    part = with_exclusions(hierarchy(9, edges), [(2, 4), (5, 6), (6, 8)])
    monkeypatch.setattr(Diagram, "compile", None)  # 9 labels cannot have 8 nodes: it is not tried
    assert choose_engine(part, Budget(states=8 * FIRST_TRY)).name == "junction"


def counted_by_sat(component, odds):
    """The posterior and log Z from all models that a SAT solver finds."""
    clauses = [[-k - 1, p + 1] for k in range(component.n) for p in component.parents[k]]
    clauses += [
        [-a - 1, -b - 1] for group in component.groups for a in group for b in group if a < b
    ]
    with Solver(bootstrap_with=clauses) as solver:
        solver.append_formula([[k + 1, -k - 1] for k in range(component.n)])
        models = {
            tuple(literal > 0 for literal in sorted(model[: component.n], key=abs))
            for model in solver.enum_models()
        }
    worlds = np.array(sorted(models), float)
    logs = worlds @ odds
    weights = np.exp(logs - logs.max())
    return weights @ worlds / weights.sum(), np.log(weights.sum()) + logs.max(), len(worlds)


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        (Budget(), "diagram"),
        (Budget(states=640), "junction"),
        (Budget(states=2), "pruned junction"),
    ],
)
def test_every_engine_for_disjoint_hierarchies_counts_as_a_sat_solver_does(budget, name):
    seen, exact, largest = set(), 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        component = random_hierarchy(rng, 11, 0.2)
        pairs = [rng.choice(11, 2, replace=False).tolist() for _ in range(4)]
        component = with_exclusions(component, pairs)
        if not component.groups:
            continue
        engine = choose_engine(component, budget)
        seen.add(engine.name)
        odds = rng.normal(0, 1 if engine.guarantee == "exact" else 25, (4, component.n))
        found = engine.infer(odds, np.full(odds.shape, -1, np.int8))
        for i in range(len(odds)):
            posterior, log_z, n_worlds = counted_by_sat(component, odds[i])
            largest = max(largest, n_worlds)
            if np.isnan(found.error[i]):
                continue  # an estimate promises nothing
            exact += 1
            assert found.error[i] <= 1e-6
            assert np.abs(found.posterior[i] - posterior).max() <= found.error[i] + 1e-9
            assert abs(found.log_z[i] - log_z) <= 2e-6
    assert name in seen
    assert exact > 10
    assert largest > 50
