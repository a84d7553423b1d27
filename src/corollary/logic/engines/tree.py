"""Closed form for forests whose child groups are free, at most one, exactly one, or covering: O(labels) per item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import EXP_LIMIT, Component, Facts, Floats, Inferred, TooLarge
from .rows import infer_rows, over_rows

FREE, AT_MOST_ONE, EXACTLY_ONE, COVER = range(4)

#: The children of one label (or of the virtual root) that a constraint ties together, and how.
Groups = list[tuple[int, list[int]]]


class NotATree(TooLarge):
    """The component is not of the form that this engine solves."""


class Tree:
    """Inference by one pass up and one down. Node 0 is a virtual root, node v > 0 is label `label[v]`, in preorder."""

    name = "tree"
    guarantee = "exact"

    def __init__(self, groups: dict[int, Groups]):
        label: list[int] = []
        kinds: list[int] = []
        members: list[int] = []
        leaves: list[bool] = []
        first_group = [0]
        first_member = [0]
        position: dict[int, int] = {}
        stack = [-1]
        while stack:
            v = stack.pop()
            position[v] = len(label)
            label.append(v)
            for _, children in reversed(groups[v]):
                stack.extend(reversed(children))
        in_leaves: set[int] = set()
        for v in label:
            for kind, children in groups[v]:
                kinds.append(kind)
                members.extend(position[c] for c in children)
                alone = kind == FREE and len(children) == 1  # at most one, too
                leaves.append(
                    (kind == AT_MOST_ONE or alone) and not any(groups[c] for c in children)
                )
                if leaves[-1]:
                    in_leaves.update(children)
                first_member.append(len(members))
            first_group.append(len(kinds))
        self.size = len(label) - 1
        #: label, first group and members of each node, in the form the kernels take.
        self.shape = (
            np.array(label, np.int64),
            np.array(first_group, np.int64),
            np.array(kinds, np.int64),
            np.array(first_member, np.int64),
            np.array(members, np.int64),
        )
        #: Which groups are at most one of leaves, handled as a whole by the exponentials of their log-odds, so far as
        #: these are no more than EXP_LIMIT; the nodes that are in no such group, in preorder.
        self.leaves = (
            np.array(leaves, np.bool_),
            np.array([position[v] for v in label if v not in in_leaves], np.int64),
        )

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        large = odds.max(axis=1, initial=0.0) > EXP_LIMIT
        if not large.any():
            return self._infer(odds, np.exp, self.leaves, known, both=both)
        found = self._infer(
            np.where(large[:, None], 0.0, odds), np.exp, self.leaves, known, both=both
        )
        no_leaves = np.zeros_like(self.leaves[0]), np.arange(self.size + 1)
        again = self._infer(odds[large], _exp_within, no_leaves, known[large], both=both)
        found.posterior[large] = again.posterior
        found.log_z[large] = again.log_z
        if found.both is not None:
            found.both[large] = again.both
        return found

    def _infer(
        self,
        odds: Floats,
        exp: Callable[[Floats], Floats],
        leaves: tuple[Any, Any],
        known: Facts,
        *,
        both: bool,
    ) -> Inferred:
        from .kernels import tree as tree_kernels

        def kernel(odds: Floats, *arrays: Any) -> None:
            tree_kernels.infer(
                odds, exp(odds), *arrays
            )  # numpy's exp does several at a time, a kernel's does not

        return infer_rows(kernel, (*self.shape, *leaves), odds, known, both=both)

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        from .kernels import tree as tree_kernels

        world = np.empty_like(known)

        def run(start: int, stop: int) -> None:
            tree_kernels.most_probable(
                odds[start:stop], known[start:stop], *self.shape, world[start:stop]
            )

        over_rows(run, len(odds))
        return world


def _exp_within(odds: Floats) -> Floats:
    return np.exp(np.minimum(odds, EXP_LIMIT))


def child_groups(component: Component) -> dict[int, Groups]:
    """For each label, and for -1 as the virtual root, its children by the constraint that ties them; or NotATree."""
    if component.circuits:
        raise NotATree("a formula that is not a clause")
    if any(len(p) > 1 for p in component.parents):
        raise NotATree("a label with several parents")
    parent = [p[0] if p else -1 for p in component.parents]
    cliques = _exclusive_siblings(component, parent)
    covers = _covers(component, parent)
    groups: dict[int, Groups] = {}
    for v in range(-1, component.n):
        children = (
            component.children[v] if v >= 0 else [k for k in range(component.n) if parent[k] < 0]
        )
        groups[v] = _group_children(children, cliques.get(v, []), covers.get(v, []))
    return groups


def join(forests: Iterable[tuple[int, dict[int, Groups]]]) -> dict[int, Groups]:
    """Several forests, each with its number of labels, as one: the labels of the later ones are shifted."""
    joined: dict[int, Groups] = {-1: []}
    shift = 0
    for n, groups in forests:
        for v, found in groups.items():
            moved = [(kind, [k + shift for k in children]) for kind, children in found]
            if v < 0:
                joined[-1] += moved
            else:
                joined[v + shift] = moved
        shift += n
    return joined


def _exclusive_siblings(component: Component, parent: Sequence[int]) -> dict[int, list[list[int]]]:
    """Cliques of exclusive siblings by parent.

    Any other exclusion must follow from them, else it is no tree.
    """
    by_parent: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    across: list[tuple[int, ...]] = []
    for group in component.groups:
        parents = {parent[k] for k in group}
        if len(parents) == 1:
            by_parent[parents.pop()].append(group)
        else:
            across.append(group)
            siblings: dict[int, list[int]] = defaultdict(list)
            for k in group:
                siblings[parent[k]].append(k)
            for p, some in siblings.items():
                if len(some) > 1:
                    by_parent[p].append(tuple(some))
    cliques = {p: _cliques(groups) for p, groups in by_parent.items()}
    clique_of = {
        k: (p, i) for p, found in cliques.items() for i, clique in enumerate(found) for k in clique
    }
    for group in across:
        _check_implied(group, parent, clique_of)
    return cliques


def _cliques(groups: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Merge overlapping groups of siblings where all pairs are exclusive."""
    merged: list[tuple[set[int], list[tuple[int, ...]]]] = []
    home: dict[int, int] = {}
    for group in groups:
        touched = sorted({home[k] for k in group if k in home})
        if not touched:
            touched = [len(merged)]
            merged.append((set(), []))
        members, parts = merged[touched[0]]
        for other in touched[1:]:
            members |= merged[other][0]
            parts += merged[other][1]
            merged[other] = (set(), [])
        members.update(group)
        parts.append(group)
        for k in members if len(touched) > 1 else group:
            home[k] = touched[0]
    for members, parts in merged:
        if any(len(part) == len(members) for part in parts):
            continue
        pairs = {(a, b) for part in parts for a in part for b in part if a < b}
        if 2 * len(pairs) != len(members) * (len(members) - 1):
            raise NotATree("siblings of which some pairs are exclusive and others are not")
    return [sorted(members) for members, _ in merged if members]


def _check_implied(
    group: tuple[int, ...], parent: Sequence[int], clique_of: dict[int, tuple[int, int]]
) -> None:
    """Members with different parents must be exclusive already because their ancestors are exclusive siblings."""

    def path(k: int) -> list[int]:
        up = [k]
        while parent[up[-1]] >= 0:
            up.append(parent[up[-1]])
        return up[::-1]

    paths = [path(k) for k in group]
    for i, one in enumerate(paths):
        for other in paths[i + 1 :]:
            split = next(
                (j for j, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None
            )
            if split is None or clique_of.get(one[split], 0) != clique_of.get(other[split], 1):
                raise NotATree("exclusive labels in different branches")


def _covers(component: Component, parent: Sequence[int]) -> dict[int, list[list[int]]]:
    """Clauses that say 'if the parent, then one of its children', by parent.

    With any other clause it is no tree.
    """
    covers: dict[int, list[list[int]]] = defaultdict(list)
    for clause in component.clauses:
        heads = [literal // 2 for literal in clause if literal % 2]
        children = [literal // 2 for literal in clause if literal % 2 == 0]
        owner = heads[0] if heads else -1
        if len(heads) > 1 or len(children) < 2 or any(parent[c] != owner for c in children):
            raise NotATree("a clause that is not a cover of a label by its children")
        covers[owner].append(children)
    return covers


def _group_children(
    children: Iterable[int], cliques: list[list[int]], covers: list[list[int]]
) -> Groups:
    kinds = {tuple(clique): AT_MOST_ONE for clique in cliques}
    taken = {k for clique in cliques for k in clique}
    for cover in covers:
        key = tuple(sorted(set(cover)))
        if kinds.get(key) in (AT_MOST_ONE, EXACTLY_ONE):
            kinds[key] = EXACTLY_ONE
        elif key in kinds:
            continue
        elif taken.intersection(key):
            raise NotATree("a cover that shares labels with another group")
        else:
            kinds[key] = COVER
            taken.update(key)
    groups: Groups = [(kind, list(key)) for key, kind in kinds.items()]
    if free := [k for k in children if k not in taken]:
        groups.append((FREE, free))
    return groups
