"""Random small hierarchies with several parents per label, and their inference by listing every legal world."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from corollary.logic.engines import Component

EXTREME = 27.6  # log-odds of a belief clipped to 1e-12


def hierarchy(n, edges) -> Component:
    """The component of (child, parent) pairs, without those that follow from others."""
    above = {k: {k} for k in range(n)}
    for _ in range(n):
        for child, parent in edges:
            above[child] |= above[parent]
    direct = [
        [p for p in sorted(above[k] - {k}) if not any(p in above[q] - {q} for q in above[k] - {k})]
        for k in range(n)
    ]
    children = [tuple(c for c in range(n) if k in direct[c]) for k in range(n)]
    return Component(n, tuple(map(tuple, direct)), tuple(children))


def random_hierarchy(rng, n, density) -> Component:
    """Edges between labels in a random order, which is not the order of their numbers."""
    order = rng.permutation(n).tolist()
    return hierarchy(
        n,
        [(order[j], order[i]) for i in range(n) for j in range(i + 1, n) if rng.random() < density],
    )


@st.composite
def hierarchies(draw, largest=8) -> Component:
    n = draw(st.integers(1, largest))
    order = draw(st.permutations(range(n)))
    pairs = [(order[j], order[i]) for i in range(n) for j in range(i + 1, n)]
    return hierarchy(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def with_exclusions(component, groups) -> Component:
    """The same with those groups of exclusive labels that leave every label possible."""
    kept: list[tuple[int, ...]] = []
    for group in groups:
        tried = replace(component, groups=(*kept, tuple(sorted(group))))
        if legal_worlds(tried).any(axis=0).all():
            kept.append(tuple(sorted(group)))
    return replace(component, groups=tuple(kept))


def random_exclusions(rng, component) -> Component:
    """Some pairs, and now and then a larger group."""
    n = component.n
    groups = [
        rng.permutation(n)[: 2 if rng.random() < 0.7 else int(rng.integers(2, 5))].tolist()
        for _ in range(rng.integers(0, n + 1))
    ]
    return with_exclusions(component, [group for group in groups if len(group) > 1])


def legal_worlds(component) -> np.ndarray:
    worlds = np.array(list(itertools.product((0, 1), repeat=component.n)), np.int8)
    for k, parents in enumerate(component.parents):
        for p in parents:
            worlds = worlds[worlds[:, k] <= worlds[:, p]]
    for group in component.groups:
        worlds = worlds[worlds[:, list(group)].sum(axis=1) <= 1]
    return worlds


def random_odds(rng, n_items, n) -> np.ndarray:
    """Each row of one kind: mild, sharp, like a classifier's, or extreme and in conflict."""
    kinds = [
        rng.normal(0, 1, (n_items, n)),
        rng.normal(0, 8, (n_items, n)),
        rng.normal(-6, 4, (n_items, n)),
        rng.choice([-EXTREME, EXTREME, 0.3], (n_items, n)),
    ]
    return (
        np.array([kinds[rng.integers(4)][i] for i in range(n_items)])
        .reshape(n_items, n)
        .clip(-EXTREME, EXTREME)
    )


def random_facts(rng, worlds, n_items) -> np.ndarray:
    """Facts that a legal world agrees with, with all that follows from them; none in some rows."""
    known = np.full((n_items, worlds.shape[1]), -1, np.int8)
    for i in range(n_items):
        world = worlds[rng.integers(len(worlds))]
        given = rng.random(len(world)) < rng.choice([0, 0.2, 0.5])
        agree = worlds[(worlds == world)[:, given].all(axis=1)]
        known[i] = np.where((agree == agree[0]).all(axis=0), agree[0], -1)
    return known


def brute_force(worlds, odds, known):
    """Posterior, log Z and both of one item, and the largest log weight."""
    agree = worlds[((worlds == known) | (known < 0)).all(axis=1)]
    log_weight = agree @ np.where(known < 0, odds, 0.0)
    largest = log_weight.max()
    weight = np.exp(log_weight - largest)
    probability = weight / weight.sum()
    listed = set(map(bytes, agree))
    both = np.zeros(len(odds))
    for k in np.flatnonzero(known < 0):
        flipped = agree.copy()
        flipped[:, k] ^= 1
        both[k] = sum(
            p for p, world in zip(probability, flipped, strict=True) if bytes(world) in listed
        )
    return probability @ agree, largest + np.log(weight.sum()), both, largest
