"""Situations to choose in: a tree of labels, items in a plane, beliefs made up."""

from __future__ import annotations

from typing import Any

import numpy as np

import corollary as co
from corollary.learning.choosing.strategy import Situation

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, place")


def situation(
    *,
    n: int = 12,
    seed: int = 0,
    onto: co.Ontology = ONTO,
    known: Any = None,
    answered: Any = None,
    **more: Any,
) -> Situation:
    rng = np.random.default_rng(seed)
    beliefs = rng.uniform(0.05, 0.95, (n, len(onto)))
    nothing = np.full((n, len(onto)), -1, np.int8)
    facts = nothing if known is None else onto.propagate(np.asarray(known, np.int8))
    told = {
        "learner": None,
        "X": rng.normal(size=(n, 2)),
        "propagated": True,
        "seed": (seed, 1),
    } | more
    return Situation(onto, beliefs, facts, nothing if answered is None else answered, **told)


def half_known(onto: co.Ontology, n: int = 30) -> Situation:
    """The first ten items are known in full, of the others nothing."""
    known = np.full((n, len(onto)), -1, np.int8)
    worlds = onto.propagate(2 * np.eye(len(onto), dtype=np.int8) - 1)
    known[:10] = np.where(worlds < 0, 0, worlds)[np.arange(10) % len(onto)]
    return situation(n=n, onto=onto, known=known)
