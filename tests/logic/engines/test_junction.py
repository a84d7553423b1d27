"""The junction tree and the minimum cut against the list of all legal worlds, and on real hierarchies."""

from __future__ import annotations

import gzip
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.engines import Budget, Component, TooLarge
from corollary.logic.engines.elimination import to_dag
from corollary.logic.engines.junction import compile_dag, compile_junction
from corollary.logic.engines.kernels.junction import BLOCK

from ...real_data import data_path
from .hierarchies import (
    brute_force,
    hierarchies,
    hierarchy,
    legal_worlds,
    random_exclusions,
    random_facts,
    random_hierarchy,
    random_odds,
    with_exclusions,
)


def unknown(odds) -> np.ndarray:
    return np.full(odds.shape, -1, np.int8)


def check(component, odds, known):
    worlds = legal_worlds(component)
    engine = compile_junction(component, Budget())
    found = engine.infer(odds, known, both=True)
    best = engine.most_probable(odds, known)
    assert (found.error == 0).all()
    for i in range(len(odds)):
        posterior, log_z, both, largest = brute_force(worlds, odds[i], known[i])
        np.testing.assert_allclose(found.posterior[i], posterior, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found.log_z[i], log_z, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.both[i], both, rtol=0, atol=1e-11)
        assert (worlds == best[i]).all(axis=1).any()
        assert (best[i][known[i] >= 0] == known[i][known[i] >= 0]).all()
        np.testing.assert_allclose(
            best[i] @ np.where(known[i] < 0, odds[i], 0.0), largest, rtol=0, atol=1e-10
        )


@pytest.mark.parametrize("density", [0.15, 0.3, 0.5])
def test_every_legal_world_seed_by_seed(density):
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 11))
        component = random_hierarchy(rng, n, density)
        items = int(rng.integers(1, BLOCK + 3))
        check(
            component, random_odds(rng, items, n), random_facts(rng, legal_worlds(component), items)
        )


def test_every_legal_world_with_exclusions():
    excluding = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 10))
        component = random_exclusions(rng, random_hierarchy(rng, n, rng.choice([0.1, 0.25])))
        excluding += len(component.groups)
        items = int(rng.integers(1, BLOCK + 3))
        check(
            component, random_odds(rng, items, n), random_facts(rng, legal_worlds(component), items)
        )
    assert excluding > 200


@settings(max_examples=100)
@given(hierarchies(), st.lists(st.sets(st.integers(0, 7), min_size=2)), st.data())
def test_every_legal_world_with_any_exclusions(component, groups, data):
    groups = [group for group in groups if max(group) < component.n]
    component = with_exclusions(component, groups)
    odds = data.draw(st.lists(st.floats(-27.6, 27.6), min_size=component.n, max_size=component.n))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    check(component, np.array([odds]), random_facts(rng, legal_worlds(component), 1))


@settings(max_examples=100)
@given(hierarchies(), st.data())
def test_every_legal_world(component, data):
    worlds = legal_worlds(component)
    odds = data.draw(st.lists(st.floats(-27.6, 27.6), min_size=component.n, max_size=component.n))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    check(component, np.array([odds]), random_facts(rng, worlds, 1))


def test_of_equally_probable_worlds_the_smallest():
    several = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        component = random_hierarchy(rng, 7, 0.3)
        worlds = legal_worlds(component)
        odds = rng.integers(-3, 4, (4, 7)) / 10  # tenths: sums that are equal only up to rounding
        best = compile_junction(component, Budget()).most_probable(odds, unknown(odds))
        for i in range(4):
            log_weight = worlds @ odds[i]
            equal = worlds[log_weight > log_weight.max() - 1e-9]
            several += len(equal) > 1
            assert best[i].tolist() == min(equal.tolist())
    assert several > 100


def test_no_items_and_a_single_label():
    engine = compile_junction(hierarchy(1, []), Budget())
    assert engine.infer(np.zeros((0, 1)), np.zeros((0, 1), np.int8), both=True).both.shape == (0, 1)
    assert engine.most_probable(np.zeros((0, 1)), np.zeros((0, 1), np.int8)).shape == (0, 1)
    found = engine.infer(np.array([[2.0]]), np.array([[-1]], np.int8), both=True)
    np.testing.assert_allclose(found.posterior, 1 / (1 + np.exp(-2)))
    np.testing.assert_allclose(found.both, 1)


def test_an_answer_does_not_depend_on_the_other_items():
    rng = np.random.default_rng(0)
    component = random_hierarchy(rng, 30, 0.08)
    engine = compile_junction(component, Budget())
    odds = random_odds(rng, 50, 30)
    together = engine.infer(odds, unknown(odds), both=True)
    for i in range(50):
        alone = engine.infer(odds[i : i + 1], unknown(odds[i : i + 1]), both=True)
        np.testing.assert_array_equal(together.posterior[i], alone.posterior[0])
        np.testing.assert_array_equal(together.both[i], alone.both[0])


def test_different_orders_of_elimination_agree():
    rng = np.random.default_rng(3)
    component = random_hierarchy(rng, 60, 0.05)
    odds = random_odds(rng, 20, 60)
    one, other = (
        compile_dag(to_dag(component), limit=10**6, seconds=10, tries=tries) for tries in (1, 30)
    )
    assert one.size >= other.size
    a, b = (engine.infer(odds, unknown(odds), both=True) for engine in (one, other))
    np.testing.assert_allclose(a.posterior, b.posterior, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a.log_z, b.log_z, rtol=1e-13)
    np.testing.assert_allclose(a.both, b.both, rtol=0, atol=1e-12)


def test_compiling_twice_gives_the_same_tree():
    component = random_hierarchy(np.random.default_rng(6), 60, 0.05)
    one, other = (compile_junction(component, Budget()).tree for _ in range(2))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_certain_beliefs_on_a_long_chain_do_not_underflow():
    n = 400
    chain = hierarchy_of_chain(n)
    odds = np.where(np.arange(n) % 2 == 0, 27.6, -27.6)[None].repeat(2, axis=0)
    odds[1] *= -1
    found = compile_junction(chain, Budget()).infer(odds, unknown(odds), both=True)
    for i in range(2):  # a chain has n + 1 worlds: the first j labels are on
        log_weight = np.concatenate([[0], np.cumsum(odds[i])])
        probability = np.exp(log_weight - log_weight.max())
        probability /= probability.sum()
        np.testing.assert_allclose(
            found.posterior[i], probability[::-1].cumsum()[::-1][1:], rtol=0, atol=1e-11
        )
        np.testing.assert_allclose(
            found.both[i], probability[:-1] + probability[1:], rtol=0, atol=1e-11
        )


def hierarchy_of_chain(n) -> Component:
    parents = tuple(() if k == 0 else (k - 1,) for k in range(n))
    return Component(n, parents, tuple((k + 1,) if k + 1 < n else () for k in range(n)))


def test_too_large_says_how_large():
    layers = hierarchy(24, [(12 + j, i) for i in range(12) for j in range(12)])
    with pytest.raises(TooLarge, match=r"[\d,]+ legal states, 1,000 are allowed"):
        compile_junction(layers, Budget(states=1000))
    assert compile_junction(layers, Budget(states=1_000_000)).size > 1000


def test_more_labels_in_a_bag_than_bits_is_too_large():
    n = 70
    with pytest.raises(TooLarge):
        compile_junction(
            hierarchy(2 * n, [(n + j, i) for i in range(n) for j in range(n)]), Budget()
        )


def test_time_is_limited():
    rng = np.random.default_rng(0)
    with pytest.raises(TooLarge, match="time allowed"):
        compile_junction(random_hierarchy(rng, 120, 0.05), Budget(seconds=1e-9))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_odds_that_say_certain_are_refused(bad):
    engine = compile_junction(hierarchy(2, [(1, 0)]), Budget())
    with pytest.raises(ValueError, match="log-odds"):
        engine.infer(np.array([[0.0, bad]]), np.array([[-1, -1]], np.int8))


def real_hierarchy(name) -> Component:
    with gzip.open(data_path("wordnet_imagenet", name), "rt") as file:
        pairs = sorted({tuple(line.split()[:2]) for line in list(file)[1:]})
    number = {
        label: k for k, label in enumerate(sorted({label for pair in pairs for label in pair}))
    }
    parents: list[list[int]] = [[] for _ in number]
    for child, parent in pairs:
        parents[number[child]].append(number[parent])
    above: dict[int, frozenset[int]] = {}

    def ancestors(k) -> frozenset[int]:
        if k not in above:
            above[k] = frozenset(parents[k]).union(*map(ancestors, parents[k]))
        return above[k]

    reduced = [tuple(p for p in own if not any(p in ancestors(q) for q in own)) for own in parents]
    children: list[list[int]] = [[] for _ in number]
    for child, own in enumerate(reduced):
        for parent in own:
            children[parent].append(child)
    return Component(len(number), tuple(reduced), tuple(map(tuple, children)))


@pytest.mark.parametrize(
    "name", ["imagenet1k_hierarchy.tsv.gz", "imagenet21k_goog_hierarchy.tsv.gz"]
)
def test_imagenet_is_exact(name):
    component = real_hierarchy(name)
    engine = compile_junction(component, Budget())
    assert engine.size < 400_000
    rng = np.random.default_rng(0)
    odds = random_odds(rng, 6, component.n)
    found = engine.infer(odds, unknown(odds), both=True)
    q = found.posterior
    other = compile_dag(to_dag(component), limit=10**6, seconds=10, tries=1).infer(
        odds, unknown(odds)
    )
    np.testing.assert_allclose(q, other.posterior, rtol=0, atol=1e-10)
    for k, parents in enumerate(component.parents):
        assert all((q[:, k] <= q[:, p] + 1e-12).all() for p in parents)
    # P(k | everything else) is the belief wherever both values are legal, else the value that is: two ways to q.
    leaf = [k for k in range(component.n) if not component.children[k]]
    np.testing.assert_allclose(
        found.both[:, leaf] / (1 + np.exp(-odds[:, leaf])), q[:, leaf], rtol=0, atol=1e-10
    )
    # The gradient of log Z is the posterior.
    step = 1e-5
    for k in rng.choice(component.n, 3, replace=False):
        up, down = odds.copy(), odds.copy()
        up[:, k] += step
        down[:, k] -= step
        slope = (engine.infer(up, unknown(up)).log_z - engine.infer(down, unknown(down)).log_z) / (
            2 * step
        )
        np.testing.assert_allclose(slope, q[:, k], rtol=0, atol=1e-4)


def test_all_wordnet_nouns_are_refused_quickly():
    component = real_hierarchy("wordnet30_noun_hypernyms.tsv.gz")
    compile_junction(
        hierarchy(3, [(2, 0), (2, 1)]), Budget()
    )  # kernels are compiled before the clock starts
    began = time.perf_counter()
    with pytest.raises(TooLarge, match="legal states"):
        compile_junction(component, Budget())
    assert time.perf_counter() - began < 10
