"""Posterior and log Z as one operation that PyTorch can differentiate: the slope of log Z is the posterior."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual

from ..logic.compiled.model import Model
from ..logic.errors import CorollaryError
from . import inference
from .layouts import on_engines
from .parts import parts_of


def infer(model: Model, odds: Tensor, known: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the posterior, items x labels, and log Z of each item.

    A world weighs e to the sum of its odds.

    `known` is completely propagated; None means that nothing is known. Helpers of soft constraints
    are labels here.
    """
    forwards = (
        unpack_dual(odds).tangent is not None
    )  # that is refused below: kernels and engines would lose it
    if not forwards and not (
        odds.requires_grad and torch.is_grad_enabled()
    ):  # spares preparing for a gradient
        posterior, log_z, _ = inference.infer(model, odds, known, both=False)
        return posterior, log_z
    found: tuple[Tensor, Tensor] = _Marginals.apply(odds, known, model)
    return found


class _Marginals(torch.autograd.Function):  # type: ignore[misc]  # PyTorch is not there where types are checked
    @staticmethod
    def forward(
        ctx: Any, odds: Tensor, known: Tensor | None, model: Model
    ) -> tuple[Tensor, Tensor]:
        posterior, log_z, _ = inference.infer(model, odds.detach(), known, both=False)
        ctx.save_for_backward(odds, known, posterior)
        ctx.model = model
        ctx.set_materialize_grads(False)
        return posterior, log_z

    @staticmethod
    def backward(
        ctx: Any, of_posterior: Tensor | None, of_log_z: Tensor | None
    ) -> tuple[Tensor | None, None, None]:
        odds, known, posterior = ctx.saved_tensors
        slope: Tensor | None = None if of_log_z is None else of_log_z[:, None] * posterior
        if of_posterior is not None:
            further = _Covariance.apply(odds, known, of_posterior, ctx.model)
            slope = further if slope is None else slope + further
        return slope, None, None


class _Covariance(torch.autograd.Function):  # type: ignore[misc]  # as above
    """The covariance of the labels times a direction: what the posterior does where the odds go that way."""

    @staticmethod
    def forward(
        _ctx: Any, odds: Tensor, known: Tensor | None, direction: Tensor, model: Model
    ) -> Tensor:
        slope = torch.zeros_like(odds)
        found = parts_of(model, odds.device)
        for part in found.parts:
            part.covariance(odds, known, direction, slope)
        for service in found.others:
            moved = on_engines.covariance(model, service, odds, known, direction)
            slope.index_copy_(1, on_engines.labels_of(service, odds.device), moved.t())
        return slope

    @staticmethod
    def backward(_ctx: Any, *_: Any) -> None:
        raise CorollaryError(
            "corollary.torch has first derivatives of the posterior and second ones of log Z, no more"
        )
