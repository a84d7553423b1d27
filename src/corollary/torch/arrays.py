"""What learners and sessions ask of a device, arrays in and arrays out: posterior and scores, the loss of a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from torch import Tensor
from torch.special import entr

from ..logic.compiled.posterior import CLIP
from ..logic.compiled.soft import helper_odds
from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from . import inference
from .functions import gain, marginals
from .inputs import known_and_odds, widened

#: Cells that are sent to a device at once.
CELLS_AT_ONCE = 2**25


def device_of(name: str, *, holds: torch.dtype = torch.float32) -> torch.device:
    """A device by its name, such as "cuda" or "cuda:1", if PyTorch can use it here, and it holds such numbers."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device, dtype=holds)
    except (AssertionError, RuntimeError, TypeError) as refused:
        reason = str(refused).splitlines()[0].partition(". ")[0].rstrip(".")
        raise CorollaryError(
            f"PyTorch cannot use the device {name!r} here: {reason}. device='cpu' always can"
        ) from None
    return device


class Scorer:
    """Scores of questions about many items, computed on a device in float64.

    The results equal the ontology's up to rounding. Facts must be completely propagated, unless a
    method says otherwise.
    """

    cells_at_once = CELLS_AT_ONCE

    def __init__(self, onto: Ontology, device: str):
        self._onto = onto
        self._device = device_of(device, holds=torch.float64)

    def posterior(
        self, beliefs: npt.ArrayLike, facts: Facts | None, evidence: Floats | None = None
    ) -> Floats:
        """`Ontology.posterior`; the facts need not be propagated."""
        theta = self._onto.check_beliefs(beliefs)
        out = np.empty(theta.shape)

        def fill(rows: slice) -> None:
            odds = self._odds(theta[rows])
            _write(
                marginals(self._onto, odds, _some(facts, rows), _some(evidence, rows))[0], out[rows]
            )

        self._in_blocks(len(theta), fill)
        return out

    def information(
        self,
        beliefs: npt.ArrayLike,
        known: Facts,
        evidence: Floats | None = None,
        *,
        specificity: float = 1.0,
        sensitivity: float = 1.0,
    ) -> tuple[Floats, Floats]:
        """Return the information of answers, (N, K), and the joint entropy of items, (N,).

        The answer comes from someone with this specificity and sensitivity. If both are 1, its
        information is the entropy of the posterior.
        """
        theta = self._onto.check_beliefs(beliefs)
        gains = np.empty(theta.shape)
        joint = np.empty(len(theta))

        def fill(rows: slice) -> None:
            posterior, of_items = self._posterior_and_entropy(
                theta[rows], known[rows], _some(evidence, rows)
            )
            _write(of_items, joint[rows])
            p = posterior.clamp_(CLIP, 1 - CLIP)
            said = p * (sensitivity + specificity - 1.0) + (1.0 - specificity)
            rest = p * _entropy(sensitivity) + (1.0 - p) * _entropy(specificity)
            _write((entr(said) + entr(1.0 - said) - rest).clamp_(min=0.0), gains[rows])

        self._in_blocks(len(theta), fill)
        return gains, joint

    def gain(self, beliefs: npt.ArrayLike, known: Facts) -> Floats:
        """`Ontology.gain`; where there are soft constraints, it is that."""
        if self._onto.reasoner.soft_gain is not None:
            return self._onto.gain(beliefs, known)
        theta = self._onto.check_beliefs(beliefs)
        out = np.empty(theta.shape)

        def fill(rows: slice) -> None:
            states = torch.from_numpy(known[rows]).to(self._device)
            _write(gain(self._onto, self._odds(theta[rows]), states, propagated=True), out[rows])

        self._in_blocks(len(theta), fill)
        return out

    def _posterior_and_entropy(
        self, theta: npt.NDArray[np.floating], known: Facts, evidence: Floats | None
    ) -> tuple[Tensor, Tensor]:
        """The posterior of each label, and log Z less the expected log-weight of an item's labelling."""
        model = self._onto.reasoner.weighed
        n = len(self._onto)
        states, odds = known_and_odds(
            self._onto, self._odds(theta), known, evidence, propagated=True
        )
        odds, states = widened(model, odds, states, helper_odds(model.weights))
        found, log_z, _ = inference.infer(model, odds, states, both=False)
        entropy = log_z - (found[:, :n] * odds[:, :n]).sum(1)
        if len(
            model.weights
        ):  # a kept constraint has its helper on with probability 1 - e^-w, and adds w
            adds = torch.from_numpy(model.weights / -np.expm1(-model.weights)).to(self._device)
            entropy -= found[:, n:] @ adds
        return found[:, :n], entropy.clamp_(min=0.0)

    def _odds(self, theta: npt.NDArray[np.floating]) -> Tensor:
        """The log-odds of beliefs, those of 0 and 1 moved inside."""
        sent = torch.from_numpy(np.ascontiguousarray(theta)).to(self._device).double()
        return torch.logit(sent, eps=CLIP)

    def _in_blocks(self, n_items: int, fill: Callable[[slice], None]) -> None:
        step = max(1, self.cells_at_once // max(1, len(self._onto)))
        for start in range(0, n_items, step):
            fill(slice(start, start + step))


def _some(values: Any, rows: slice) -> Any:
    return None if values is None else values[rows]


def _write(found: Tensor, out: Floats) -> None:
    """From a device into an array, with no copy between."""
    torch.from_numpy(out).copy_(found)


def _entropy(p: float) -> float:
    """Of a yes or no with this probability."""
    return float((entr(torch.tensor([p, 1.0 - p], dtype=torch.float64))).sum())


class FieldLoss:
    """Less the log-likelihood of the known cells, for scores that are linear in features, and its slope.

    Each item is taken as often as it counts, and scores are kept within `largest`. `known` is propagated.
    """

    def __init__(
        self,
        onto: Ontology,
        features: Any,
        known: Facts,
        counts: Floats,
        *,
        largest: float,
        device: torch.device,
    ):
        self._onto = onto
        self._largest = largest
        self._device = device
        self._features = self._matrix(features)
        self._transposed = self._matrix(features.T)
        self._known = torch.from_numpy(known).to(device)
        self._counts = torch.from_numpy(counts).to(device)
        self._partial = torch.from_numpy(np.flatnonzero((known < 0).any(axis=1))).to(device)
        self._partly_known = self._known[self._partial]

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """For weights of features x labels, the last row of which are the biases."""
        given = torch.from_numpy(weights).to(self._device)
        scores = self._times(self._features, given[:-1]) + given[-1]
        scores = scores.clamp_(-self._largest, self._largest)
        slope, log_z = marginals(self._onto, scores)
        with_facts = self._known.double()
        log_facts = torch.where(self._known == 1, scores, 0.0).sum(1)
        if len(self._partial):
            found, log_found = marginals(
                self._onto, scores[self._partial], self._partly_known, propagated=True
            )
            with_facts[self._partial] = found
            log_facts[self._partial] = log_found
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
