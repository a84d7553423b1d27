"""An item's labelling as one class, for the code of others that knows nothing else."""

from __future__ import annotations

import numpy as np

from corollary.learning.choosing.strategy import Situation
from corollary.logic.engines import Floats
from corollary.logic.errors import CorollaryError

from .forms import Ints


def classes_of(now: Situation, rows: Ints) -> Ints:
    """The class of each of some items that are known in full: its labelling, counted from 0."""
    return np.asarray(np.unique(now.known[rows], axis=0, return_inverse=True)[1].ravel(), np.int64)


def class_beliefs(now: Situation, who: str) -> Floats:
    """The probability of each class of each item, (N, n), where the labels are one choice: `who` runs nowhere else."""
    if len(now.onto.choices) != 1 or len(now.onto.choices[0].settles) < len(now.onto):
        raise CorollaryError(
            f"{who} knows one class an item: it runs where one label is picked of all"
        )
    posterior = now.posterior(np.arange(len(now.known)), now.known)
    (choice,) = now.onto.choices
    classes = choice.narrowest(posterior)[:, choice.final]
    classes = np.column_stack([classes, np.clip(1.0 - classes.sum(axis=1), 0.0, 1.0)])
    return np.asarray(classes / classes.sum(axis=1, keepdims=True))
