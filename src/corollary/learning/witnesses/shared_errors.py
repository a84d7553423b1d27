"""Witnesses with the same errors share their weight: a copy is no second opinion."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Floats
from .reports import Ints

#: Reports of a witness at which its measured similarity to others counts half.
LEANING = 20.0
#: The usual similarity is this quantile of the reports; below a half, since copies might be the
#: majority.
USUAL = 1 / 3


def shared_weights(
    surprise: Floats, witness: Ints, cell: Ints, n_witnesses: int, *, beyond_usual: bool = False
) -> Floats:
    """Return the weight of each witness's reports.

    1 if its errors are its own, 1/n if n witnesses always err together.

    `surprise` is each report minus its expected value. Summed over the witnesses of a cell it
    measures how far they go together. The weight is that of a sample with the same correlation (its
    design effect). With `beyond_usual` only the similarity above the usual one counts.
    """
    size = np.sqrt(np.bincount(witness, surprise**2, minlength=n_witnesses))
    count = np.bincount(witness, minlength=n_witnesses)
    scale = np.maximum(size / np.sqrt(np.maximum(count, 1)), 1e-12)
    own = surprise / scale[witness]
    others = np.bincount(cell, own)[cell] - own
    common = np.bincount(witness, own * others, minlength=n_witnesses) / (count + LEANING)
    if beyond_usual and len(witness):
        common -= max(0.0, float(np.quantile(common[witness], USUAL)))
    return np.asarray(1.0 / (1.0 + np.maximum(common, 0.0)))
