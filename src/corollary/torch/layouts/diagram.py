"""The passes over a decision diagram in PyTorch: all nodes of one height at once, with nodes x items in memory.

As in the engine, a label that a path does not mention is off. So known labels that a path turns on are counted, and
each node keeps only the worlds that turn on the most of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from ...logic.engines import diagram as engines
from .passes import IMPOSSIBLE, LARGE, Found

#: A count that no number of known labels makes up for.
ILLEGAL = -10_000


class Edges(NamedTuple):
    """The edges of one kind that leave the nodes of a height: where they lead, and which labels they turn on.

    `entries` are the places, among the edges, of those that turn `labels` on.
    """

    to: Tensor
    entries: Tensor
    labels: Tensor

    def along(self, rows: Tensor, gained: Tensor) -> Tensor:
        """Return the weight of each edge: the weight of its end, plus the odds of its labels."""
        return rows.index_select(0, self.to).index_add_(
            0, self.entries, gained.index_select(0, self.labels)
        )

    def spread(self, flow: Tensor, at_ends: Tensor, on: Tensor) -> None:
        """Add the flow along each edge to its end, and to the labels that are on."""
        at_ends.index_add_(0, self.to, flow)
        on.index_add_(0, self.labels, flow.index_select(0, self.entries))


class Height(NamedTuple):
    """The nodes of one height, side by side: what they decide, and their edges."""

    nodes: slice
    label: Tensor
    low: Edges
    high: Edges
    both: Edges


class Diagram:
    """The diagram of an engine, laid out on a device; the last node stands for illegal worlds."""

    def __init__(self, engine: engines.Diagram, device: torch.device):
        label, to, first_on, turned_on = engine.shape
        n = len(label)
        height = np.zeros(n + 2, np.int64)  # the last is -1, for illegal worlds
        for node in range(1, n + 1):
            height[node] = 1 + height[to[3 * node - 3 : 3 * node - 1]].max()
        order = np.argsort(height[1 : n + 1], kind="stable") + 1
        number = np.zeros(n + 2, np.int64)
        number[order] = np.arange(1, n + 1)
        number[-1] = n + 1

        def tensor(values: np.ndarray) -> Tensor:
            return torch.from_numpy(values).to(device)

        def edges(kind: int, nodes: np.ndarray) -> Edges:
            numbers = 3 * (nodes - 1) + kind
            counts = first_on[numbers + 1] - first_on[numbers]
            entries = np.repeat(np.arange(len(nodes)), counts)
            inside = np.arange(len(entries)) - np.repeat(np.cumsum(counts) - counts, counts)
            labels = turned_on[np.repeat(first_on[numbers], counts) + inside]
            return Edges(tensor(number[to[numbers]]), tensor(entries), tensor(labels))

        self.variables = np.arange(engine.n)
        self.cells = 4 * (n + 2) + 2 * engine.n
        self._root = int(number[to[-1]])
        self._n_nodes = n + 2
        self._root_on = tensor(turned_on[first_on[-2] : first_on[-1]])
        self._heights = []
        first = 1
        for nodes in np.split(order, np.flatnonzero(np.diff(height[order])) + 1) if n else []:
            three = (edges(kind, nodes) for kind in (engines.LOW, engines.HIGH, engines.BOTH))
            self._heights.append(
                Height(slice(first, first + len(nodes)), tensor(label[nodes - 1]), *three)
            )
            first += len(nodes)

    def infer(self, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
        """See `Found`; `odds` and `known` are variables x items."""
        weight = (
            odds
            if known is None
            else torch.where(known < 0, odds, torch.where(known == 0, IMPOSSIBLE, 0.0))
        )
        yes = None if known is None else (known == 1).to(torch.int16)
        value = odds.new_zeros(self._n_nodes, odds.shape[1])
        value[-1] = IMPOSSIBLE
        count = None if yes is None else yes.new_zeros(value.shape)
        if count is not None:
            count[-1] = ILLEGAL
        share = torch.zeros_like(value)  # of the high edge
        for at in self._heights:
            low = at.low.along(value, weight)
            high = at.high.along(value, weight)
            if yes is not None and count is not None:
                of_low = at.low.along(count, yes)
                of_high = at.high.along(count, yes)
                of_low = torch.where(yes.index_select(0, at.label) == 1, ILLEGAL, of_low)
                most = torch.maximum(of_low, of_high)
                low = torch.where(of_low < most, IMPOSSIBLE, low)
                high = torch.where(of_high < most, IMPOSSIBLE, high)
                count[at.nodes] = most
            value[at.nodes] = torch.logaddexp(low, high)
            share[at.nodes] = torch.sigmoid(high - low)
        log_z = value[self._root] + weight.index_select(0, self._root_on).sum(0)
        posterior = torch.zeros_like(odds)
        flow = torch.zeros_like(value)
        flow[self._root] = 1.0
        posterior[self._root_on] = 1.0
        legal = torch.zeros_like(odds) if both else None
        for at in reversed(self._heights):
            here = flow[at.nodes]
            high = here * share[at.nodes]
            at.low.spread(here - high, flow, posterior)
            at.high.spread(high, flow, posterior)
            if legal is not None:
                rest = at.both.along(value, weight) + softplus(
                    odds.index_select(0, at.label), threshold=LARGE
                )
                found = here * torch.exp((rest - value[at.nodes]).clamp_(max=0.0))
                if yes is not None and count is not None:
                    found = torch.where(at.both.along(count, yes) == count[at.nodes], found, 0.0)
                legal.index_add_(0, at.label, found)
        return Found.of(posterior, log_z, legal, known)
