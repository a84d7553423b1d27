"""Items around a centre for each label of a small ontology, with all that it implies."""

from __future__ import annotations

import numpy as np

import corollary as co

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
)
K = len(ONTO)


def problem(n=160, seed=0):
    """Items around a centre for each label, with all that it implies."""
    rng = np.random.default_rng(seed)
    Y = (ONTO.propagate(2 * np.eye(K, dtype=np.int8) - 1) == 1).astype(np.int8)[
        rng.permutation(n) % K
    ]
    X = Y @ rng.normal(0, 1, (K, 5)) + rng.normal(0, 0.3, (n, 5))
    return X, Y


def partly(Y, share=0.5, seed=1):
    return np.where(np.random.default_rng(seed).random(Y.shape) < share, Y, np.int8(-1))


def is_legal(Y):
    return not ONTO.closure(Y)[1].any() and set(np.unique(Y)) <= {0, 1}
