"""All trees of an ontology on one device: from labels to nodes, and back."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from ..logic.compiled.model import Model
from ..logic.engines.tree import Tree
from . import passes
from .levels import by_levels

_MADE: WeakKeyDictionary[Model, dict[torch.device, Forest | None]] = WeakKeyDictionary()


def forest_of(model: Model, device: torch.device) -> Forest | None:
    """The trees of a model on a device, made and sent there once; None where there are none."""
    made = _MADE.setdefault(model, {})
    if device not in made:
        made[device] = _make(model, device)
    return made[device]


def _make(model: Model, device: torch.device) -> Forest | None:
    for service in model.services:
        if isinstance(service.engine, Tree):
            return Forest(service.engine, *service.columns[:2], device)
    return None


class Forest:
    """The forest of an engine; `labels` are the columns that it serves, `variable` has the engine's number of each."""

    def __init__(self, engine: Tree, labels: np.ndarray, variable: np.ndarray, device: torch.device):
        levels = by_levels(engine)
        place = np.empty(engine.size, np.int64)  # of each variable among the nodes
        place[levels.variables.numpy()] = np.arange(engine.size)
        order = np.argsort(place[variable], kind="stable")
        nodes = place[variable][order]
        self._levels = levels.to(device)
        #: The columns in the order of the nodes; those of equivalent labels stand side by side.
        self.labels = torch.from_numpy(labels[order]).to(device)
        self._nodes = torch.from_numpy(nodes).to(device)
        self._first = torch.from_numpy(np.flatnonzero(np.diff(nodes, prepend=-1))).to(device)
        self._equivalents = len(nodes) > engine.size

    def infer(self, odds: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        """The posterior of `labels`, labels x items, and log Z over what is not known; both can be differentiated."""
        posterior, log_z = passes.infer(self._levels, *self._of_nodes(odds, known))
        return self._of_labels(posterior), log_z

    def most_probable(self, odds: Tensor, known: Tensor) -> Tensor:
        """Which of `labels` are on in the heaviest world, labels x items."""
        return self._of_labels(passes.most_probable(self._levels, *self._of_nodes(odds, known)))

    def _of_nodes(self, odds: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        """The log-odds of each node, summed over equivalent labels, and what is known of it: nodes x items."""
        own, states = odds.t().index_select(0, self.labels), known.t().index_select(0, self.labels)
        if self._equivalents:
            own = own.new_zeros(len(self._first), own.shape[1]).index_add(0, self._nodes, own)
            states = states.index_select(0, self._first)
        return own, states

    def _of_labels(self, found: Tensor) -> Tensor:
        return found.index_select(0, self._nodes) if self._equivalents else found
