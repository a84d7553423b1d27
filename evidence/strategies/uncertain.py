"""Which item is most uncertain: by the entropy of its labelling, by the margin between its best classes; or chance."""

from __future__ import annotations

import numpy as np

from corollary.learning.choosing.strategy import Situation
from corollary.logic.engines import Floats
from corollary.logic.ontology import Ontology

from .forms import Ints, ranked


def by_chance(now: Situation) -> Ints:
    """Items in random order."""
    return ranked(np.random.default_rng(now.seed).random(len(now.known)))


def by_entropy(now: Situation) -> Ints:
    """First the item whose whole labelling is most uncertain."""
    return ranked(
        now.onto.infer(now.beliefs, now.complete(now.known), propagated=True).joint_entropy
    )


def by_margin(now: Situation) -> Ints:
    """First the item with the smallest margin."""
    return ranked(-margins(now.onto, now.posterior(np.arange(len(now.known)), now.known)))


def margins(onto: Ontology, posterior: Floats) -> Floats:
    """How far the best is before the second best, (N,): among the classes of a choice, or yes and no.

    The classes of a choice are the labels that can be the narrowest, and none of them; beside choices every label is
    one of its own. The least sure of these decides. Under one exclusive group this is the margin of the literature.
    """
    least = np.ones(len(posterior))
    alone = np.ones(posterior.shape[1], np.bool_)
    for choice in onto.choices:
        alone[choice.settles] = False
        classes = choice.narrowest(posterior)
        classes = np.column_stack([classes, np.clip(1.0 - classes.sum(axis=1), 0.0, 1.0)])
        best = np.partition(classes, -2, axis=1)[:, -2:]
        np.minimum(least, best[:, 1] - best[:, 0], out=least)
    if alone.any():
        np.minimum(least, np.abs(2.0 * posterior[:, alone] - 1.0).min(axis=1), out=least)
    return least
