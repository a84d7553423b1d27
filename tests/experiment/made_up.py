"""A small made-up data set: a tree of five labels, features that tell them apart fairly well."""

from __future__ import annotations

import numpy as np

import corollary as co
from corollary.experiment.data.datasets import Dataset

TREE = """\
animal > exclusive: bird, fish
exclusive: animal, place
place > city
"""


def made_up(*, n: int = 45, n_train: int = 15, seed: int = 0, noise: float = 0.6) -> Dataset:
    """Items of the five kinds in turn, each with its own corner of feature space."""
    onto = co.Ontology.parse(TREE)
    kinds = [onto.propagate({leaf: True}) for leaf in ("bird", "fish", "city")]
    kinds += [
        onto.propagate(dict.fromkeys(onto.labels, False)),
        onto.propagate({"place": True, "city": False}),
    ]
    worlds = np.array(
        [[kind.get(label, False) for label in onto.labels] for kind in kinds], np.int8
    )
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % len(worlds)
    X = rng.normal(size=(len(worlds), 4))[kind] + noise * rng.normal(size=(n, 4))
    return Dataset(X, worlds[kind], onto, train=np.arange(n) < n_train, name="made-up")
