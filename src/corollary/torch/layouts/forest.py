"""All trees of an ontology on one device, for the passes over its levels and, where it can be compiled, a kernel."""

from __future__ import annotations

import torch
from torch import Tensor

from ...logic.engines.tree import Tree
from . import passes
from .levels import by_levels
from .passes import Found


class Forest:
    """The forest of an engine; `variables` has that of each of its nodes, in their order."""

    def __init__(self, engine: Tree, device: torch.device):
        levels = by_levels(engine)
        self.variables = levels.variables.numpy()
        self.cells = 8 * engine.size
        self._levels = levels.to(device)

    def infer(self, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
        """See `Found`; `odds` and `known` are nodes x items."""
        return passes.infer(self._levels, odds, known, both=both)

    def most_probable(self, odds: Tensor, known: Tensor) -> Tensor:
        """Which nodes are on in the heaviest world, nodes x items."""
        return passes.most_probable(self._levels, odds, known)
