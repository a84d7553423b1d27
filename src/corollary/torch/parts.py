"""The engines of an ontology that run in PyTorch on a device, each with its labels: from labels to nodes, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.func import jvp

from ..logic.compiled.model import Model, Service
from ..logic.engines import diagram, junction, tree
from . import cuda
from .forest_kernel import ForestKernel
from .junction_kernel import JunctionKernel
from .layouts import on_engines
from .layouts.diagram import Diagram
from .layouts.forest import Forest
from .layouts.junction import Junction
from .layouts.passes import Found

#: Numbers in a block of items in the passes, about: some gigabytes; on a GPU, as many as fit.
NUMBERS_AT_ONCE = 2**29

#: Sums over more labels than this lose too much in float32, so that all but trees are worked out in float64.
MOST_IN_FLOAT32 = 1_000

_MADE: WeakKeyDictionary[Model, dict[torch.device, Parts]] = WeakKeyDictionary()


class LaidOut(Protocol):
    """An engine laid out on a device; `variables` has that of each of its nodes, `cells` what an item takes."""

    variables: npt.NDArray[np.int64]
    cells: int

    def infer(self, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
        """See `Found`; `odds` and `known` are nodes x items."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What PyTorch does by itself on a device, and the engines that do the rest.

    Labels that have one value always belong to neither: their columns, and the values.
    """

    parts: tuple[Part, ...]
    others: tuple[Service, ...]
    forced: Tensor
    values: Tensor


def parts_of(model: Model, device: torch.device) -> Parts:
    """The parts of a model on a device, made and sent there once."""
    made = _MADE.setdefault(model, {})
    if device not in made:
        laid_out = [(service, _lay_out(service, device)) for service in model.services]
        served = np.concatenate(
            [np.empty(0, np.int64), *(service.columns[0] for service in model.services)]
        )
        forced = np.setdiff1d(np.arange(len(model.base)), served)
        made[device] = Parts(
            tuple(Part(service, one, device) for service, one in laid_out if one is not None),
            tuple(service for service, one in laid_out if one is None),
            torch.from_numpy(forced).to(device),
            torch.from_numpy(model.base[forced]).to(device),
        )
    return made[device]


def _lay_out(service: Service, device: torch.device) -> LaidOut | None:
    """Trees run in PyTorch everywhere; on a CPU the engines are the faster ones for all else."""
    engine = service.engine
    if isinstance(engine, tree.Tree):
        return Forest(engine, device)
    if device.type != "cpu" and isinstance(engine, diagram.Diagram):
        return Diagram(engine, device)
    if device.type != "cpu" and isinstance(engine, junction.Junction):
        return Junction(engine, device)
    return None


class Part:
    """An engine laid out on a device, and the labels that it serves."""

    def __init__(self, service: Service, laid_out: LaidOut, device: torch.device):
        labels, variable, _ = service.columns
        self._service = service
        self._laid_out = laid_out
        n = len(service.members)
        place = np.empty(n, np.int64)  # of each variable among the nodes
        place[laid_out.variables] = np.arange(n)
        order = np.argsort(place[variable], kind="stable")
        nodes = place[variable][order]
        self._order = torch.from_numpy(order).to(device)
        #: The columns in the order of the nodes; those of equivalent labels stand side by side.
        self.labels = torch.from_numpy(labels[order]).to(device)
        self._places = self.labels.argsort()
        self._nodes = torch.from_numpy(nodes).to(device)
        self._first = torch.from_numpy(np.flatnonzero(np.diff(nodes, prepend=-1))).to(device)
        self._alone = torch.from_numpy(np.bincount(nodes, minlength=n)[nodes] == 1).to(device)
        self._equivalents = len(nodes) > n
        self._precise = n > MOST_IN_FLOAT32 and not isinstance(laid_out, Forest)
        #: Kernels that do this part where they can be compiled: a whole one, and one in place of the passes over nodes.
        self.kernel: ForestKernel | None = None
        self.on_nodes: JunctionKernel | None = None
        if device.type == "cuda" and cuda.is_there():
            if isinstance(service.engine, tree.Tree) and not self._equivalents:
                self.kernel = ForestKernel(service.engine, labels, device)
            elif isinstance(service.engine, junction.Junction):
                self.on_nodes = JunctionKernel(service.engine.tree, device)

    def kernel_for(self, odds: Tensor) -> ForestKernel | None:
        """The kernel that does this part by itself, if there is one and it has room; else the passes do."""
        return self.kernel if self.kernel is not None and self.kernel.takes(odds.dtype) else None

    def fill(
        self,
        odds: Tensor,
        known: Tensor | None,
        posterior: Tensor,
        log_z: Tensor,
        both: Tensor | None = None,
    ) -> None:
        """Write the posterior of the labels into their columns, and `both`.

        Add log Z, with known labels.
        """
        if both is None and (kernel := self.kernel_for(odds)) is not None:
            kernel.infer(
                _by_rows(odds), None if known is None else _by_rows(known), posterior, log_z
            )
            return
        for rows in self._blocks(len(odds)):
            own, states = self._of_nodes(odds[rows], None if known is None else known[rows])
            if both is None and self.on_nodes is not None:
                found = self.on_nodes.infer(own, states)
            else:
                found = self._laid_out.infer(own, states, both=both is not None)
            self._write(posterior[rows], self._of_labels(found.posterior))
            log_z[rows] += found.log_z
            if states is not None:
                log_z[rows] += torch.where(states == 1, own, 0.0).sum(0)
            if both is not None and found.both is not None:
                legal = torch.where(self._alone[:, None], self._of_labels(found.both), 0.0)
                self._write(both[rows], legal)

    def covariance(
        self, odds: Tensor, known: Tensor | None, direction: Tensor, slope: Tensor
    ) -> None:
        """Write the covariance of the labels times a direction into their columns: all but `self` are items x columns.

        It is symmetric, so that it is what the posterior does where the odds go that way.
        """
        for rows in self._blocks(len(odds)):
            own, states = self._of_nodes(odds[rows], None if known is None else known[rows])
            way, _ = self._of_nodes(direction[rows], None)
            _, moved = jvp(lambda x, y=states: self._laid_out.infer(x, y).posterior, (own,), (way,))
            self._write(slope[rows], self._of_labels(moved))

    def most_probable(self, odds: Tensor, known: Tensor) -> Tensor:
        """Which of the labels are on in the heaviest world, labels x items; all but trees are left to their engine."""
        if not isinstance(self._laid_out, Forest):
            return on_engines.most_probable(self._service, odds, known).index_select(0, self._order)
        own, states = self._of_nodes(odds, known)
        assert states is not None
        return self._of_labels(self._laid_out.most_probable(own, states))

    def _blocks(self, n_items: int) -> Iterator[slice]:
        step = max(1, _numbers_at_once(self.labels.device) // max(1, self._laid_out.cells))
        return (slice(start, min(n_items, start + step)) for start in range(0, n_items, step))

    def _of_nodes(self, odds: Tensor, known: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Return the log-odds of each node, summed over equivalent labels, and its known values.

        Nodes x items.
        """
        own = self._select(odds)
        own = own.double() if self._precise else own
        states = None if known is None else self._select(known)
        if self._equivalents:
            own = own.new_zeros(len(self._first), own.shape[1]).index_add(0, self._nodes, own)
            states = None if states is None else states.index_select(0, self._first)
        return own, states

    def _select(self, matrix: Tensor) -> Tensor:
        """The labels of a matrix (items x columns), in the order of the nodes: labels x items."""
        if len(self.labels) == matrix.shape[1]:  # then it is turned first, which is quicker
            return matrix.t().contiguous().index_select(0, self.labels)
        return matrix.t().index_select(0, self.labels)

    def _write(self, matrix: Tensor, found: Tensor) -> None:
        """The reverse: what was found of the labels goes into their columns."""
        if len(self.labels) == matrix.shape[1]:
            matrix.copy_(found.index_select(0, self._places).t())
        else:
            matrix.index_copy_(1, self.labels, found.t().to(matrix.dtype))

    def _of_labels(self, found: Tensor) -> Tensor:
        return found.index_select(0, self._nodes) if self._equivalents else found


def _numbers_at_once(device: torch.device) -> int:
    """How many numbers the passes may hold: on a GPU what fits a quarter of its memory that is free."""
    if device.type != "cuda":
        return NUMBERS_AT_ONCE
    free = (
        torch.cuda.mem_get_info(device)[0]
        + torch.cuda.memory_reserved(device)
        - torch.cuda.memory_allocated(device)
    )
    return int(free) // 4 // 8


def _by_rows(matrix: Tensor) -> Tensor:
    return matrix if matrix.stride(1) == 1 else matrix.contiguous()
