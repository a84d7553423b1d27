"""Logits, facts and evidence as tensors: checked, and completed by all that follows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..logic.compiled.model import Model
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology

#: Facts or evidence of some items: a tensor on any device, or what numpy takes; or none.
Given: TypeAlias = Tensor | npt.ArrayLike | None


def check_logits(onto: Ontology, logits: Tensor) -> Tensor:
    """Logits, items x labels, as float32 or float64; those of less precision become float32."""
    n = len(onto)
    if not isinstance(logits, Tensor) or not logits.is_floating_point():
        kind = logits.dtype if isinstance(logits, Tensor) else type(logits).__name__
        raise CorollaryError(f"logits must be a tensor of floats, items x {n} labels; got {kind}")
    if logits.ndim != 2 or logits.shape[1] != n:
        hint = "; for one item pass logits[None]" if logits.shape == (n,) else ""
        raise CorollaryError(
            f"logits must be items x {n} labels, got shape {tuple(logits.shape)}{hint}"
        )
    return logits if logits.dtype in (torch.float32, torch.float64) else logits.float()


def check_finite(onto: Ontology, logits: Tensor) -> None:
    """Tell of the first of the logits that is not finite."""
    if not bool(torch.isfinite(logits).all()):
        i, k = torch.nonzero(~torch.isfinite(logits))[0].tolist()
        raise CorollaryError(
            f"logits must be finite; item {i}, label {onto.labels[k]!r} has {logits[i, k].item()}"
        )


def known_and_odds(
    onto: Ontology, logits: Tensor, facts: Given, evidence: Given, *, propagated: bool
) -> tuple[Tensor | None, Tensor]:
    """What follows from facts and infinite evidence, int8, and the log-odds after the evidence that is finite.

    Where neither is given, None: nothing is known but what always holds.
    """
    if facts is None and evidence is None:
        return None, logits
    if evidence is None and propagated and isinstance(facts, Tensor) and facts.dtype == torch.int8:
        _check_like("facts", facts.shape, logits)
        return facts.to(logits.device), logits
    shape_of = np.broadcast_to(0.0, tuple(logits.shape))
    given = _as_numpy(facts)
    said = _as_numpy(evidence)
    for what, values in (("facts", given), ("evidence", said)):
        if values is not None:
            _check_like(what, np.shape(values), logits)
    known, _ = onto.reasoner.known_and_evidence(shape_of, given, said, propagated=propagated)
    states = torch.from_numpy(np.ascontiguousarray(known)).to(logits.device)
    if evidence is None:
        return states, logits
    ratios = torch.as_tensor(evidence).to(logits.dtype).to(logits.device)
    return states, logits + torch.where(torch.isinf(ratios), 0.0, ratios)


def widened(
    model: Model, odds: Tensor, known: Tensor | None, of_helpers: np.ndarray
) -> tuple[Tensor, Tensor | None]:
    """The same with columns for the helpers of soft constraints: see `corollary.logic.compiled.soft`."""
    if not len(of_helpers):
        return odds, known
    helpers = torch.from_numpy(of_helpers).to(odds.dtype).to(odds.device).expand(len(odds), -1)
    wide = torch.cat([odds, helpers], 1)
    if known is None:
        return wide, None
    open_ones = np.full((len(odds), len(of_helpers)), -1, np.int8)
    states, _ = model.propagate(np.hstack([known.cpu().numpy(), open_ones]), complete=False)
    return wide, torch.from_numpy(states).to(odds.device)


def _as_numpy(values: Given) -> npt.NDArray[Any] | None:
    if not isinstance(values, Tensor):
        return None if values is None else np.asarray(values)
    here: Tensor = values.detach().cpu()
    return np.asarray(
        (here.double() if here.is_floating_point() else here).numpy()
    )  # numpy has no bfloat16


def _check_like(what: str, shape: tuple[int, ...], logits: Tensor) -> None:
    if tuple(shape) != tuple(logits.shape):
        raise CorollaryError(
            f"{what} and logits must have one shape, got {tuple(shape)} and {tuple(logits.shape)}"
        )
