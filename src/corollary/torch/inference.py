"""Posterior and log Z of all labels, each component by what serves it: kernel or passes in PyTorch, or an engine."""

from __future__ import annotations

import torch
from torch import Tensor

from ..logic.compiled.model import Model
from .layouts import on_engines
from .parts import parts_of


def infer(
    model: Model, odds: Tensor, known: Tensor | None, *, both: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return the posterior (items x labels), log Z, and with `both` a third table.

    It has the probability that both values of a label are legal. `known` is completely propagated;
    None means that nothing is known. No result can be differentiated.
    """
    posterior = torch.empty_like(odds, memory_format=torch.contiguous_format)
    log_z = odds.new_zeros(len(odds))
    legal = torch.zeros_like(posterior) if both else None
    found = parts_of(model, odds.device)
    if len(found.forced):
        posterior[:, found.forced] = found.values.to(odds.dtype)
        log_z += odds[:, found.forced[found.values == 1]].sum(1)
    for part in found.parts:
        part.fill(odds, known, posterior, log_z, legal)
    for service in found.others:
        columns = on_engines.labels_of(service, odds.device)
        said = on_engines.infer(service, odds, known, both=both)
        posterior.index_copy_(1, columns, said.posterior.t())
        log_z += said.log_z
        if legal is not None and said.both is not None:
            legal.index_copy_(1, columns, said.both.t())
    return posterior, log_z, legal


def finds_what_is_not_finite(model: Model, odds: Tensor) -> bool:
    """Whether log Z is nan where odds are not finite, as after a kernel that has read all of them."""
    found = parts_of(model, odds.device)
    alone = len(found.parts) == 1 and not found.others and not len(found.forced)
    return alone and found.parts[0].kernel_for(odds) is not None
