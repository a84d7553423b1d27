"""Items of which some cells are known."""

from __future__ import annotations

import numpy as np


def problem(n_items=80, n_labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_items, 3))
    truth = (X @ rng.normal(size=(3, n_labels)) > 0).astype(np.int8)
    facts = np.where(rng.random(truth.shape) < 0.6, truth, np.int8(-1))
    facts[:, 1] = -1
    facts[:, 2] = np.where(np.arange(n_items) < 5, 1, -1)
    return X, facts, truth
