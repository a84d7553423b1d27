"""What PyTorch does not do by itself: the engines do it, on the CPU and in float64, wherever the tensors are."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ...logic.compiled.model import Model, Service
from ...logic.compiled.posterior import in_blocks, warn_of_estimates
from ...logic.engines import Facts, Floats, Inferred
from .passes import Found


def labels_of(service: Service, device: torch.device) -> Tensor:
    """The columns that an engine serves."""
    return torch.from_numpy(service.columns[0]).to(device)


def infer(service: Service, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
    """Return the results of an engine for its labels, labels x items.

    Log Z includes known labels.
    """
    own, states = _of_variables(service, odds, known)
    found = _infer(service, own, states, both=both)
    warn_of_estimates(found.error)
    _, variable, alone = service.columns
    log_z = found.log_z + np.where(states == 1, own, 0.0).sum(1)
    legal = None
    if found.both is not None:
        legal = np.zeros((len(variable), len(own)))
        legal[alone] = found.both.T[variable[alone]]
    return Found(
        _like(odds, found.posterior.T[variable]),
        _like(odds, log_z),
        None if legal is None else _like(odds, legal),
    )


def most_probable(service: Service, odds: Tensor, known: Tensor) -> Tensor:
    """Which of an engine's labels are on in the heaviest world, labels x items."""
    own, states = _of_variables(service, odds, known)
    world = np.empty_like(states)

    def decide(rows: slice) -> None:
        world[rows] = service.engine.most_probable(own[rows], states[rows])

    in_blocks(own.shape, decide)
    return torch.from_numpy(world.T[service.columns[1]] == 1).to(odds.device)


def covariance(
    model: Model, service: Service, odds: Tensor, known: Tensor | None, direction: Tensor
) -> Tensor:
    """The covariance of an engine's labels times a direction (items x labels), labels x items.

    It is the slope of the posterior, and exact: of two labels, P(a) (P(b | a) - P(b)). That takes a posterior for each
    label a in turn.
    """
    labels, variable, _ = service.columns
    own, states = _of_variables(service, odds, known)
    along, _ = _of_variables(service, direction, known)
    along[states >= 0] = 0.0
    posterior = _infer(service, own, states).posterior
    slope = np.zeros_like(posterior)
    everything: Facts = np.tile(model.base, (len(own), 1)) if known is None else known.cpu().numpy()
    first = _first_labels(service)
    for a in range(own.shape[1]):
        rows = np.flatnonzero(along[:, a])
        if len(rows):
            given = everything[rows]
            given[:, labels[variable == a]] = 1
            known_cells = np.ascontiguousarray(model.propagate(given)[0][:, first])
            weight = along[rows, a] * posterior[rows, a]
            slope[rows] += weight[:, None] * (
                _infer(service, own[rows], known_cells).posterior - posterior[rows]
            )
    return _like(odds, slope.T[variable])


def _infer(service: Service, own: Floats, states: Facts, *, both: bool = False) -> Inferred:
    """What an engine says of its variables, items x variables."""
    n = len(own)
    out = Inferred(
        np.empty(own.shape), np.empty(n), np.empty(own.shape) if both else None, np.empty(n)
    )

    def solve(rows: slice) -> None:
        found = service.engine.infer(own[rows], states[rows], both=both)
        out.posterior[rows] = found.posterior
        out.log_z[rows] = found.log_z
        out.error[rows] = found.error
        if out.both is not None:
            out.both[rows] = found.both

    in_blocks(own.shape, solve)
    return out


def _of_variables(service: Service, odds: Tensor, known: Tensor | None) -> tuple[Floats, Facts]:
    """Return log-odds and known values of an engine's variables.

    Odds of equal labels are summed.
    """
    own: Floats = (
        odds.detach().index_select(1, labels_of(service, odds.device)).cpu().double().numpy()
    )
    if own.shape[1] > len(service.members):
        own = np.add.reduceat(own, np.flatnonzero(np.diff(service.columns[1], prepend=-1)), axis=1)
    if known is None:
        return own, np.full(own.shape, -1, np.int8)
    first = torch.from_numpy(_first_labels(service)).to(known.device)
    return own, known.index_select(1, first).cpu().contiguous().numpy()


def _first_labels(service: Service) -> np.ndarray:
    return np.array([labels[0] for labels in service.members], np.int64)


def _like(odds: Tensor, values: Floats) -> Tensor:
    return torch.from_numpy(values).to(odds.dtype).to(odds.device)
