"""Random forests with groups of every kind, and random facts that a legal world agrees with."""

from __future__ import annotations

import numpy as np

import corollary as co


def random_forest(rng, n_labels) -> co.Ontology:
    """Labels in no order, the children of each in groups: free, exclusive, exactly one or covering; some equivalent."""
    labels = [f"l{k}" for k in rng.permutation(n_labels)]
    children = {label: [] for label in [None, *labels]}
    for k, label in enumerate(labels):
        children[None if k == 0 or rng.random() < 0.2 else labels[rng.integers(k)]].append(label)
    constraints = []
    for parent, below in children.items():
        if parent is not None and below:
            constraints.append(co.subsumes(parent, *below))
        while below:
            group, below = below[: (size := int(rng.integers(1, 6)))], below[size:]
            constraints += tied(rng, parent, group)
    if rng.random() < 0.3:
        constraints.append(co.equivalent(labels[-1], "twin"))
        labels.append("twin")
    return co.Ontology(sorted(labels), constraints)


def tied(rng, parent, group) -> list:
    """What ties the members of a group of children together, if anything does."""
    if len(group) < 2 or rng.random() < 0.25:
        return []
    kind = rng.integers(3)
    found = [] if kind == 2 else [co.exclusive(*group)]
    if kind:
        found.append(co.at_least_one(*group) if parent is None else co.covers(parent, *group))
    return found


def random_facts(rng, onto, n_items) -> np.ndarray:
    """Cells of legal worlds, more or fewer of them."""
    world = onto.most_probable(rng.uniform(size=(n_items, len(onto))))
    told = rng.random(world.shape) < rng.choice([0, 0.1, 0.5], (n_items, 1))
    return np.where(told, world, -1).astype(np.int8)


def expit(odds) -> np.ndarray:
    return 1 / (1 + np.exp(-odds))
