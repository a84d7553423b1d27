"""The passes over a junction tree as one kernel in CUDA C: what it takes of an engine, and how it is launched."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..logic.engines.junction import Tree
from . import cuda
from .layouts.junction import bags_of_rows, first_links, heights, rows_that_matter
from .layouts.passes import Found

#: Items of a block, one for each thread of a warp; and the warps that share the work on them.
LANES = 32
WARPS = 16


class JunctionKernel:
    """The kernel for a junction tree on one device."""

    def __init__(self, tree: Tree, device: torch.device):
        tables = layout(tree)
        self._tables = torch.from_numpy(tables).to(device)
        self._entries = int(tables[1])
        self._rows = int(tables[2])
        #: Numbers that an item takes at once.
        self.cells = self._entries + 2 * self._rows + 4 * len(tree.order)

    def infer(self, odds: Tensor, known: Tensor | None) -> Found:
        """See `Found`; `odds` and `known` are labels x items, and contiguous."""
        n_items = odds.shape[1]
        numbers = [
            odds.new_empty(rows, n_items) for rows in (self._entries, self._rows, self._rows)
        ]
        posterior = torch.empty_like(odds)
        log_z = odds.new_empty(n_items)
        if n_items:
            real = {torch.float32: "float", torch.float64: "double"}[odds.dtype]
            kernel = _kernel(
                self._tables.device, REAL=real, LANES=LANES, FACTS=int(known is not None)
            )
            matrices = odds, odds if known is None else known, posterior, log_z, *numbers
            kernel.launch(
                -(-n_items // LANES), LANES * WARPS, 0, [*matrices, n_items, self._tables]
            )
        return Found.of(posterior, log_z, None, known)


@cache
def _kernel(device: torch.device, **definitions: object) -> cuda.Kernel:
    return cuda.Kernel("junction_kernel.cu", device, definitions)


def layout(tree: Tree) -> npt.NDArray[np.int32]:
    """The tables that the kernel walks, one after another: entries by the height of their separators, rows by entry."""
    _, of_separators = heights(tree)
    height = of_separators.repeat(np.diff(tree.state_start))
    by_height = np.argsort(height, kind="stable")
    number = np.empty_like(by_height)  # of each entry
    number[by_height] = np.arange(len(by_height))
    bags = bags_of_rows(tree)
    rows = rows_that_matter(tree)
    entry = number[tree.state_start[tree.group[bags[rows]]] + rows - tree.row_start[bags[rows]]]
    rows = rows[order := np.argsort(entry, kind="stable")]
    entry = entry[order]
    bags = bags[rows]
    kind = tree.kind[rows].astype(np.int64)
    branches = np.diff(tree.branch_start)[bags]
    counts = branches * np.where(kind == 3, 2, 1)
    row = np.repeat(np.arange(len(rows)), counts)  # of each link
    inside = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    link = number[tree.link[first_links(tree)[rows][row] + inside].astype(np.int64)]
    is_on = np.where(kind[row] == 3, inside >= branches[row], kind[row] == 2)
    above = (2 * row + is_on)[np.argsort(link, kind="stable")]
    label = tree.order[bags]
    may_be_on = np.flatnonzero(kind & 2)
    row_on = may_be_on[np.argsort(label[may_be_on], kind="stable")]
    n_heights = int(height.max())
    n_entries = len(height)
    n_labels = len(tree.order)
    tables = (
        (n_heights, n_entries, len(rows), len(link), n_labels, number[tree.root]),
        _starts(height - 1, n_heights),
        _starts(entry, n_entries),
        entry,
        label,
        kind,
        _starts(row, len(rows)),
        link,
        _starts(link, n_entries),
        above,
        _starts(label[may_be_on], n_labels),
        row_on,
    )
    return np.concatenate([np.asarray(table, np.int32) for table in tables])


def _starts(of: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Where each of n begins in a list of what belongs to them in turn, and the end."""
    return np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))])
