"""Witnesses that err alike share their weight: a copy is no second opinion."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Floats
from .reports import Ints

#: So many reports of a witness it takes before its likeness to others is half believed.
LEANING = 20.0
#: What is usual is what this share of the reports does not exceed: less than half, or copies might be the usual.
USUAL = 1 / 3


def shared_weights(
    surprise: Floats, witness: Ints, cell: Ints, n_witnesses: int, *, beyond_usual: bool = False
) -> Floats:
    """How much a report of each witness counts: 1 if its errors are its own, 1/n if n witnesses always err together.

    `surprise` is what each report says less what was to be expected of it. Summed over the witnesses of a cell it tells
    how far they go together: the weight is that of a sample whose members are as alike (its design effect). With
    `beyond_usual` only that counts by which a witness is more like others than is usual.
    """
    size = np.sqrt(np.bincount(witness, surprise**2, minlength=n_witnesses))
    count = np.bincount(witness, minlength=n_witnesses)
    scale = np.maximum(size / np.sqrt(np.maximum(count, 1)), 1e-12)
    own = surprise / scale[witness]
    others = np.bincount(cell, own)[cell] - own
    alike = np.bincount(witness, own * others, minlength=n_witnesses) / (count + LEANING)
    if beyond_usual and len(witness):
        alike -= max(0.0, float(np.quantile(alike[witness], USUAL)))
    return np.asarray(1.0 / (1.0 + np.maximum(alike, 0.0)))
