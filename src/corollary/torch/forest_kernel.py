"""The passes over a forest as one kernel in CUDA C: what it takes of a tree, and how it is launched."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..logic.engines.tree import Tree
from . import cuda

#: The threads that have one item at a time, by the bytes that it takes at most, as measured on an H200: a part of a
#: warp, a warp, or a block. Parts of a block share it with others.
TEAMS = {300: 4, 900: 8, 2_500: 16, 15_000: 32, 30_000: 128, 60_000: 256}
WARP = 32
BLOCK = 128
LARGEST = 512
#: The threads that a multiprocessor has at most, and the bytes of its cache beside the shared
#: memory.
THREADS_AT_ONCE = 2048
LEFT_TO_CACHE = 32_768


class _Launch(NamedTuple):
    """A kernel and its launch: the number of blocks, and the items, threads and bytes of each."""

    kernel: cuda.Kernel
    blocks: int
    items: int
    team: int
    n_bytes: int


class ForestKernel:
    """The kernel for a forest on one device; `column` has that of each variable in the matrices that it takes."""

    def __init__(self, tree: Tree, column: npt.NDArray[np.int64], device: torch.device):
        tables = layout(tree, column)
        self._tables = torch.from_numpy(tables).to(device)
        self._groups = int(tables[2])
        self._nodes = int(tables[3])
        columns, nodes = tables[4:][: 2 * self._nodes].reshape(2, -1)
        self._every = bool((columns == np.arange(self._nodes)).all())
        self._ordered = self._every and bool((nodes == columns).all())
        self._launches: dict[tuple[torch.dtype, bool, int], _Launch] = {}

    def takes(self, dtype: torch.dtype) -> bool:
        """Whether an item fits the memory that threads share: some 40,000 labels in float32 do on large GPUs."""
        return self._bytes(dtype, facts=True) <= cuda.shared_memory_of_block(self._tables.device)

    def infer(self, odds: Tensor, known: Tensor | None, posterior: Tensor, log_z: Tensor) -> None:
        """Fill the posterior of the forest's columns and add log Z.

        `odds` and `known` are items x columns.

        log Z includes labels known to be on. It is nan if an item has odds that are not finite.
        """
        matrices = odds, odds if known is None else known, posterior
        how = odds.dtype, known is not None, self._wide(matrices)
        if how not in self._launches:
            self._launches[how] = self._launch(*how)
        launch = self._launches[how]
        if blocks := min(launch.blocks, -(-len(odds) // launch.items)):
            rows = [part for matrix in matrices for part in (matrix, matrix.stride(0))]
            shape = blocks, launch.items * launch.team, launch.items * launch.n_bytes
            launch.kernel.launch(*shape, [*rows, log_z, len(odds), self._tables])

    def _launch(self, dtype: torch.dtype, facts: bool, wide: int) -> _Launch:
        device = self._tables.device
        n_bytes = self._bytes(dtype, facts=facts)
        team = next((team for most, team in TEAMS.items() if n_bytes <= most), LARGEST)
        room = cuda.shared_memory_of_block(device) // n_bytes
        items = min(BLOCK // team, room) if team <= WARP else 1
        definitions = {
            "REAL": {torch.float32: "float", torch.float64: "double"}[dtype],
            "TEAM": team,
            "FACTS": int(facts),
            "EVERY": int(self._every),
            "ORDERED": int(self._ordered),
            "WIDE": wide,
        }
        gpu = torch.cuda.get_device_properties(device)
        blocks = (gpu.shared_memory_per_multiprocessor - LEFT_TO_CACHE) // (
            items * n_bytes + cuda.RESERVED
        )
        blocks = gpu.multi_processor_count * max(1, min(blocks, THREADS_AT_ONCE // (items * team)))
        return _Launch(_kernel(device, **definitions), blocks, items, team, n_bytes)

    def _bytes(self, dtype: torch.dtype, *, facts: bool) -> int:
        """What an item takes of shared memory: numbers for nodes, groups and warps, and a byte a fact."""
        numbers = self._nodes + self._groups + LARGEST // WARP
        of_facts = -(-self._nodes // 16) * 16 if facts else 0
        return -(-numbers // 4) * 4 * int(dtype.itemsize) + of_facts

    def _wide(self, matrices: tuple[Tensor, ...]) -> int:
        """How many numbers can be moved at once: 16 bytes of odds if all rows are aligned so, else one."""
        wide: int = 16 // matrices[0].element_size()
        ends = [
            end
            for x in matrices
            for end in (x.data_ptr() // x.element_size(), x.stride(0), self._nodes)
        ]
        return wide if self._every and not any(end % wide for end in ends) else 1


@cache
def _kernel(device: torch.device, **definitions: object) -> cuda.Kernel:
    return cuda.Kernel("forest_kernel.cu", device, definitions)


def layout(tree: Tree, column: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """The tables that the kernel walks, one after another.

    Nodes are numbered level by level from the top, the members of a group side by side, and the groups of a parent.
    """
    label, first_group, kind, first_member, member = tree.shape
    levels = [0]
    parents = []
    group_starts = [0]
    node_starts = [0]
    kinds: list[int] = []
    above: list[int] = []
    nodes: list[int] = []
    level = [
        (0, -1)
    ]  # places in the engine's arrays, and nodes: at first the virtual root, which is no node
    while level:
        below = []
        for place, node in level:
            groups = range(first_group[place], first_group[place + 1])
            for g in groups:
                kinds.append(kind[g])
                above.append(node)
                for v in member[first_member[g] : first_member[g + 1]]:
                    below.append((v, len(nodes)))
                    nodes.append(v)
                node_starts.append(len(nodes))
            if groups:
                parents.append(node)
                group_starts.append(len(kinds))
        if below:
            levels.append(len(parents))
        level = below
    group = np.repeat(np.arange(len(kinds)), np.diff(node_starts))
    columns = column[label[np.array(nodes, np.int64)]]
    rising = np.argsort(columns)
    sizes = len(levels) - 1, len(parents), len(kinds), len(nodes)
    of_columns = columns[rising], rising, group[rising]
    tables = (
        sizes,
        *of_columns,
        levels,
        parents,
        group_starts,
        node_starts,
        kinds,
        above,
        group[above],
    )
    return np.concatenate([np.asarray(table, np.int32) for table in tables])
