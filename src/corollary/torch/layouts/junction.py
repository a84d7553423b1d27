"""The passes over a junction tree in PyTorch.

All bags of one height at once, with rows x items in memory.

As in the engine, a row is a legal state of a bag's separator, in which the bag's label is off, on,
or either. A table holds one number for each state of a separator. A row in which the label is off,
with nothing below, changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ...logic.engines import junction as engines
from .passes import IMPOSSIBLE, Found

Ints = npt.NDArray[np.int64]
#: Odds beyond this settle a label: `both` is of no matter there.
SETTLED = 80.0


class Rows(NamedTuple):
    """The rows of the bags of one height, side by side, those with more branches first."""

    rows: slice
    label: Tensor  # of each row's bag
    entry: Tensor  # of each row in its separator's table
    barred: tuple[Tensor, Tensor]  # the rows in which the label cannot be off, and cannot be on
    links: tuple[
        tuple[Tensor, Tensor], ...
    ]  # by branch, for the first rows: entries below if it is off, and if it is on


class Junction:
    """The junction tree of an engine, laid out on a device."""

    def __init__(self, engine: engines.Junction, device: torch.device):
        tree = engine.tree
        self._device = device
        self._n_states = len(tree.state)
        self._root = tree.root
        self.variables = tree.column
        self._heights: list[Rows] = []
        number = np.full(len(tree.kind), -1, np.int64)  # of each row in this order
        self._n_rows = 0
        bags = bags_of_rows(tree)
        for rows in _by_height(tree):
            number[rows] = np.arange(self._n_rows, self._n_rows + len(rows))
            self._heights.append(self._lay_out(tree, bags[rows], rows))
            self._n_rows += len(rows)
        self.cells = 2 * self._n_states + 4 * self._n_rows + 4 * len(tree.order)
        self._both = self._readings(tree, number)

    def _lay_out(self, tree: engines.Tree, bags: Ints, rows: Ints) -> Rows:
        start = self._n_rows
        kind = tree.kind[rows]
        branches = np.diff(tree.branch_start)[bags]
        at = first_links(tree)[rows]  # of a row's states that of off comes first
        on_at = at + np.where(kind == 3, branches, 0)
        links = []
        for branch in range(int(branches.max(initial=0))):
            some = branches > branch
            links.append(
                (
                    self._tensor(tree.link[at[some] + branch]),
                    self._tensor(tree.link[on_at[some] + branch]),
                )
            )
        entry = tree.state_start[tree.group[bags]] + rows - tree.row_start[bags]
        barred = self._tensor(np.flatnonzero(kind == 2)), self._tensor(np.flatnonzero(kind == 1))
        label = self._tensor(tree.order[bags])
        return Rows(
            slice(start, start + len(rows)), label, self._tensor(entry), barred, tuple(links)
        )

    def _readings(self, tree: engines.Tree, number: Ints) -> tuple[Tensor, ...]:
        """Which rows, off or on, are read for `both` of which label; and by which value each label is read."""
        labels = []
        rows = []
        values = []
        entries = []
        for k, (coded, must, barred) in enumerate(
            zip(tree.bag, tree.must, tree.barred, strict=True)
        ):
            i = int(coded >> 1)
            value = int(coded & 1)
            first = tree.state_start[tree.group[i]]
            here = np.arange(tree.row_start[i], tree.row_start[i + 1])
            states = tree.state[first : first + len(here)]
            some = (
                (states & must == must)
                & (states & barred == 0)
                & ((tree.kind[here] >> value) & 1 == 1)
            )
            rows.append(here[some])
            entries.append(first + np.flatnonzero(some))
            labels.append(np.full(some.sum(), k))
            values.append(np.full(some.sum(), value))
        arrays = [np.concatenate(parts) for parts in (labels, rows, values, entries)]
        sure = number[arrays[1]] < 0  # rows that were left out: off, for certain
        return tuple(
            self._tensor(x)
            for x in (
                arrays[0],
                np.where(sure, 0, number[arrays[1]]),
                arrays[2],
                arrays[3],
                sure,
                tree.value,
            )
        )

    def _tensor(self, values: npt.NDArray[np.generic]) -> Tensor:
        kind = values if values.dtype == np.bool_ else values.astype(np.int64)
        return torch.from_numpy(kind).to(self._device)

    def infer(self, odds: Tensor, known: Tensor | None, *, both: bool = False) -> Found:
        """See `Found`; `odds` and `known` are variables x items."""
        if known is None:
            weigh_on = odds
            weigh_off = None
        else:
            weigh_on = torch.where(known < 0, odds, torch.where(known == 0, IMPOSSIBLE, 0.0))
            weigh_off = torch.where(known == 1, odds.new_tensor(IMPOSSIBLE), odds.new_zeros(()))
        n_items = odds.shape[1]
        table = odds.new_zeros(self._n_states, n_items)
        lead = odds.new_empty(self._n_rows, n_items)
        for at in self._heights:
            on = weigh_on.index_select(0, at.label)
            off = torch.zeros_like(on) if weigh_off is None else weigh_off.index_select(0, at.label)
            for below_off, below_on in at.links:
                off[: len(below_off)] += table.index_select(0, below_off)
                on[: len(below_on)] += table.index_select(0, below_on)
            off[at.barred[0]] = IMPOSSIBLE
            on[at.barred[1]] = IMPOSSIBLE
            table.index_add_(0, at.entry, torch.logaddexp(off, on))
            lead[at.rows] = on.sub_(off)
        log_z = table[self._root].clone()
        table = torch.zeros_like(table)
        table[self._root] = 1.0
        posterior = torch.zeros_like(odds)
        for at in reversed(self._heights):
            here = table.index_select(0, at.entry)
            on = here * torch.sigmoid(lead[at.rows])
            off = here * torch.sigmoid(-lead[at.rows])
            for below_off, below_on in at.links:
                table.index_add_(0, below_off, off[: len(below_off)])
                table.index_add_(0, below_on, on[: len(below_on)])
            posterior.index_add_(0, at.label, on)
        return Found.of(posterior, log_z, self._legal(odds, table, lead) if both else None, known)

    def _legal(self, odds: Tensor, table: Tensor, lead: Tensor) -> Tensor:
        """P(label off, all parents on) or P(label on, all children off), made what it is with either value."""
        labels, rows, values, entries, sure, by = self._both
        way = torch.where(values == 1, 1.0, -1.0).to(odds.dtype)[:, None]
        share = torch.where(sure[:, None], 1.0, torch.sigmoid(way * lead.index_select(0, rows)))
        joint = torch.zeros_like(odds).index_add_(0, labels, table.index_select(0, entries) * share)
        against = torch.where(by[:, None] == 1, -odds, odds).clamp(max=SETTLED)
        return joint * (1.0 + torch.exp(against))


def bags_of_rows(tree: engines.Tree) -> Ints:
    """The bag of each row."""
    return np.repeat(np.arange(len(tree.order)), np.diff(tree.row_start))


def first_links(tree: engines.Tree) -> Ints:
    """Where the links of each row begin."""
    size = np.diff(tree.branch_start)[bags_of_rows(tree)] * np.where(tree.kind == 3, 2, 1)
    first: Ints = np.cumsum(size) - size
    return first


def rows_that_matter(tree: engines.Tree) -> Ints:
    """The rows but those in which the label is off, with nothing below."""
    return np.flatnonzero((tree.kind != 1) | (np.diff(tree.branch_start)[bags_of_rows(tree)] > 0))


def heights(tree: engines.Tree) -> tuple[Ints, Ints]:
    """The height of each bag, and of each separator: the largest of its bags."""
    of_bags = np.zeros(len(tree.order), np.int64)
    of_separators = np.zeros(len(tree.state_start) - 1, np.int64)
    for i, g in enumerate(tree.group):
        below = of_separators[tree.branch[tree.branch_start[i] : tree.branch_start[i + 1]]]
        of_bags[i] = 1 + below.max(initial=0)
        of_separators[g] = max(of_separators[g], of_bags[i])
    return of_bags, of_separators


def _by_height(tree: engines.Tree) -> list[Ints]:
    """The rows that matter, by the height of their bags and in each those of more branches first."""
    rows = rows_that_matter(tree)
    bags = bags_of_rows(tree)[rows]
    height = heights(tree)[0][bags]
    order = np.lexsort((-np.diff(tree.branch_start)[bags], height))
    return np.split(rows[order], np.flatnonzero(np.diff(height[order])) + 1)
