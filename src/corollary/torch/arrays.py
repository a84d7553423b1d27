"""What learners ask of a device, arrays in and arrays out: the posterior of beliefs, the loss of a field."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from ..logic.compiled.posterior import log_odds
from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from .functions import marginals

#: Cells that are sent to a device at once.
CELLS_AT_ONCE = 2**27


def device_of(name: str) -> torch.device:
    """A device by its name, such as "cuda" or "cuda:1", if PyTorch can use it here."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError, TypeError) as refused:
        reason = str(refused).splitlines()[0]
        raise CorollaryError(
            f"PyTorch cannot use the device {name!r} here: {reason}. device='cpu' always can"
        ) from None
    return device


def posterior(onto: Ontology, beliefs: Floats, facts: Facts | None, device: str) -> Floats:
    """`Ontology.posterior` on a device, in float64."""
    where, out = device_of(device), np.empty(beliefs.shape)
    step = max(1, CELLS_AT_ONCE // max(1, len(onto)))
    for start in range(0, len(beliefs), step):
        rows = slice(start, start + step)
        odds = torch.from_numpy(log_odds(beliefs[rows])).to(where)
        out[rows] = marginals(onto, odds, None if facts is None else facts[rows])[0].cpu().numpy()
    return out


class FieldLoss:
    """Less the log-likelihood of the known cells, for scores that are linear in features, and its slope.

    Each item is taken as often as it counts, and scores are kept within `largest`. `known` is propagated.
    """

    def __init__(
        self, onto: Ontology, features: Any, known: Facts, counts: Floats, *, largest: float, device: torch.device
    ):
        self._onto, self._largest, self._device = onto, largest, device
        self._features, self._transposed = self._matrix(features), self._matrix(features.T)
        self._known, self._counts = torch.from_numpy(known).to(device), torch.from_numpy(counts).to(device)
        self._partial = torch.from_numpy(np.flatnonzero((known < 0).any(axis=1))).to(device)
        self._partly_known = self._known[self._partial]

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """For weights of features x labels, the last row of which are the biases."""
        given = torch.from_numpy(weights).to(self._device)
        scores = self._times(self._features, given[:-1]) + given[-1]
        scores = scores.clamp_(-self._largest, self._largest)
        slope, log_z = marginals(self._onto, scores)
        with_facts, log_facts = self._known.double(), torch.where(self._known == 1, scores, 0.0).sum(1)
        if len(self._partial):
            found, log_found = marginals(self._onto, scores[self._partial], self._partly_known, propagated=True)
            with_facts[self._partial], log_facts[self._partial] = found, log_found
        slope = (slope - with_facts) * self._counts[:, None]
        gradient = torch.cat([self._times(self._transposed, slope), slope.sum(0, keepdim=True)])
        return float(self._counts @ (log_z - log_facts)), gradient.cpu().numpy()

    def _matrix(self, values: Any) -> Any:
        """Dense features on the device; sparse ones stay, and are multiplied on the CPU."""
        if sparse.issparse(values):
            return values.tocsr()
        return torch.from_numpy(np.ascontiguousarray(values)).to(self._device)

    def _times(self, matrix: Any, other: Tensor) -> Tensor:
        if isinstance(matrix, Tensor):
            return (matrix @ other.to(matrix.dtype)).double()
        product = np.asarray(matrix @ other.cpu().numpy().astype(matrix.dtype), np.float64)
        return torch.from_numpy(product).to(self._device)
