"""A forest laid out for PyTorch: its nodes by depth, and in each depth groups of one kind and size side by side."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from ...logic.engines.tree import EXACTLY_ONE, Tree

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Groups of one kind (FREE, AT_MOST_ONE, ...) and size, at one depth."""

    kind: int
    count: int
    size: int

    @property
    def nodes(self) -> int:
        """How many nodes there are in all groups together."""
        return self.count * self.size


@dataclass(frozen=True, slots=True)
class Level:
    """All nodes of one depth, bundle by bundle; where a level up the parent of each group is, and that of each node.

    `bound` are the nodes that cannot be on while all below them are off.
    """

    bundles: tuple[Bundle, ...]
    group_parents: torch.Tensor
    node_parents: torch.Tensor
    bound: torch.Tensor

    @property
    def nodes(self) -> int:
        """How many nodes are this deep."""
        return sum(bundle.nodes for bundle in self.bundles)


@dataclass(frozen=True, slots=True)
class Levels:
    """The depths of a forest from the top; `variables` are those of its engine in the order in which nodes stand."""

    levels: tuple[Level, ...]
    variables: torch.Tensor

    @property
    def sizes(self) -> list[int]:
        """How many nodes each level has."""
        return [level.nodes for level in self.levels]

    def to(self, device: torch.device) -> Levels:
        """The same on another device."""
        moved = (
            Level(
                x.bundles, x.group_parents.to(device), x.node_parents.to(device), x.bound.to(device)
            )
            for x in self.levels
        )
        return Levels(tuple(moved), self.variables.to(device))


def by_levels(tree: Tree) -> Levels:
    """The forest of an engine, level by level."""
    label, first_group, kind, first_member, member = tree.shape
    levels: list[Level] = []
    variables: list[Ints] = []
    above = np.zeros(
        1, np.int64
    )  # the nodes a level up, in their order there: at first the virtual root
    while len(above):
        bundles: dict[tuple[int, int], list[tuple[int, Ints]]] = defaultdict(
            list
        )  # of (parent's place, members)
        for place, v in enumerate(above.tolist()):
            for g in range(first_group[v], first_group[v + 1]):
                members = member[first_member[g] : first_member[g + 1]]
                bundles[int(kind[g]), len(members)].append((place, members))
        found = sorted(bundles.items())
        above = np.array(
            [c for _, groups in found for _, members in groups for c in members], np.int64
        )
        if len(above):
            shapes = tuple(Bundle(of_kind, len(groups), size) for (of_kind, size), groups in found)
            parents = np.array([place for _, groups in found for place, _ in groups], np.int64)
            sizes = [size for (_, size), groups in found for _ in groups]
            bound = [_is_bound(kind[first_group[v] : first_group[v + 1]]) for v in above]
            of_nodes = torch.from_numpy(parents.repeat(sizes)), torch.tensor(bound)
            levels.append(Level(shapes, torch.from_numpy(parents), *of_nodes))
            variables.append(label[above])
    return Levels(
        tuple(levels), torch.from_numpy(np.concatenate([np.empty(0, np.int64), *variables]))
    )


def _is_bound(kinds: Ints) -> bool:
    return bool((kinds >= EXACTLY_ONE).any())
