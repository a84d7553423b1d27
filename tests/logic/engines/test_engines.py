"""One contract for every engine, checked on components that it can take, against the list of legal worlds."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.engines import Budget, Engine
from corollary.logic.engines.diagram import Diagram
from corollary.logic.engines.estimate import BeliefPropagation
from corollary.logic.engines.junction import compile_junction
from corollary.logic.engines.pruning import PrunedJunction
from corollary.logic.engines.tree import Tree, child_groups

from .components import ITEMS, anything, cases, dags, legal_worlds, trees, weigh
from .hierarchies import random_exclusions


def excluding(rng):
    """Implications and exclusions."""
    return random_exclusions(rng, dags(rng))


ENGINES = {
    "tree": (lambda part: Tree(child_groups(part)), trees),
    "junction": (lambda part: compile_junction(part, Budget()), dags),
    "junction with exclusions": (lambda part: compile_junction(part, Budget()), excluding),
    "pruned junction": (
        lambda part: PrunedJunction(part, Budget(error=1e-6), BeliefPropagation(part)),
        dags,
    ),
    "pruned junction with exclusions": (
        lambda part: PrunedJunction(part, Budget(error=1e-6), BeliefPropagation(part)),
        excluding,
    ),
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
        if (
            engine.name != "pruned junction"
        ):  # its batches depend on their company, within the proven error
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
                sum(
                    p
                    for p, w in zip(probability, agree, strict=True)
                    if flip(w, k) in agree.tolist()
                )
                for k in range(part.n)
            ]
            np.testing.assert_allclose(
                found.both[i], np.where(known[i] < 0, both, 0), rtol=0, atol=slack
            )
            chosen = int(np.flatnonzero((agree == best[i]).all(axis=1))[0])
            assert log_weight[chosen] >= log_weight.max() - 1e-6 * (1 + abs(log_weight.max()))
    assert checked or engine.guarantee.startswith("estimate")


def flip(world, k):
    other = world.tolist()
    other[k] ^= 1
    return other


def test_entailment_is_complete():
    """Where unit propagation is not enough, a diagram finds all that follows, and contradictions."""
    clashes = followed = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        part = anything(rng)
        worlds = legal_worlds(part)
        engine = Diagram.compile(part, Budget())
        facts = np.where(rng.random((4, part.n)) < 0.3, rng.integers(0, 2, (4, part.n)), -1).astype(
            np.int8
        )
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
