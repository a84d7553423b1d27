"""Components that are not trees: the engines do them, on the CPU and in float64, wherever the tensors are."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..logic.compiled.model import Model, Service
from ..logic.compiled.posterior import in_blocks, warn_of_estimates
from ..logic.engines import Facts, Floats
from ..logic.engines.tree import Tree


def beyond_trees(model: Model) -> list[Service]:
    """The engines that are not the one of trees."""
    return [service for service in model.services if not isinstance(service.engine, Tree)]


def labels_of(service: Service, device: torch.device) -> Tensor:
    """The columns that an engine serves."""
    return torch.from_numpy(service.columns[0]).to(device)


def infer(service: Service, odds: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    """The posterior of an engine's labels, labels x items, and log Z over what is not known."""
    posterior, log_z, error = _infer(service, *_of_variables(service, odds, known))
    warn_of_estimates(error)
    return _like(odds, posterior.T[service.columns[1]]), _like(odds, log_z)


def most_probable(service: Service, odds: Tensor, known: Tensor) -> Tensor:
    """Which of an engine's labels are on in the heaviest world, labels x items."""
    own, states = _of_variables(service, odds, known)
    world = np.empty_like(states)

    def decide(rows: slice) -> None:
        world[rows] = service.engine.most_probable(own[rows], states[rows])

    in_blocks(own.shape, decide)
    return torch.from_numpy(world.T[service.columns[1]] == 1).to(odds.device)


def covariance(model: Model, service: Service, odds: Tensor, known: Tensor, direction: Tensor) -> Tensor:
    """The covariance of an engine's labels times a direction (items x labels), labels x items.

    It is the slope of the posterior, and exact: of two labels, P(a) (P(b | a) - P(b)). That takes a posterior for each
    label a in turn.
    """
    labels, variable, _ = service.columns
    own, states = _of_variables(service, odds, known)
    along, _ = _of_variables(service, direction, known)
    along[states >= 0] = 0.0
    posterior, _, _ = _infer(service, own, states)
    slope = np.zeros_like(posterior)
    everything: Facts = known.cpu().numpy()
    first = _first_labels(service)
    for a in range(own.shape[1]):
        rows = np.flatnonzero(along[:, a])
        if len(rows):
            given = everything[rows]
            given[:, labels[variable == a]] = 1
            told = np.ascontiguousarray(model.propagate(given)[0][:, first])
            weight = along[rows, a] * posterior[rows, a]
            slope[rows] += weight[:, None] * (_infer(service, own[rows], told)[0] - posterior[rows])
    return _like(odds, slope.T[variable])


def _infer(service: Service, own: Floats, states: Facts) -> tuple[Floats, Floats, Floats]:
    """Posterior, log Z and error of an engine's variables."""
    posterior, log_z, error = np.empty(own.shape), np.empty(len(own)), np.empty(len(own))

    def solve(rows: slice) -> None:
        found = service.engine.infer(own[rows], states[rows])
        posterior[rows], log_z[rows], error[rows] = found.posterior, found.log_z, found.error

    in_blocks(own.shape, solve)
    return posterior, log_z, error


def _of_variables(service: Service, odds: Tensor, known: Tensor) -> tuple[Floats, Facts]:
    """The log-odds of an engine's variables, summed over equivalent labels, and what is known of them."""
    own: Floats = odds.detach().index_select(1, labels_of(service, odds.device)).cpu().double().numpy()
    if own.shape[1] > len(service.members):
        own = np.add.reduceat(own, np.flatnonzero(np.diff(service.columns[1], prepend=-1)), axis=1)
    first = torch.from_numpy(_first_labels(service)).to(known.device)
    return own, known.index_select(1, first).cpu().contiguous().numpy()


def _first_labels(service: Service) -> np.ndarray:
    return np.array([labels[0] for labels in service.members], np.int64)


def _like(odds: Tensor, values: Floats) -> Tensor:
    return torch.from_numpy(values).to(odds.dtype).to(odds.device)
