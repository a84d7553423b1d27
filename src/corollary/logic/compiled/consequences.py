"""How much an answer would settle: for every open label and both answers, the summed weight of what would follow."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from ..engines import Facts, Floats
from ..engines.rows import over_rows
from ..engines.tree import EXACTLY_ONE, Tree
from .model import Model

Ints = npt.NDArray[np.int64]
#: Single answers are propagated in blocks of about this many cells.
CELLS_AT_ONCE = 8_000_000
#: Above this share of non-zeros a dense product is faster than a sparse one.
DENSE = 0.05


class Consequences:
    """What follows from one more answer, weighed.

    On trees whose child groups are free or exclusive one pass up and one down give all totals, O(labels) an item. Where
    all constraints have two literals, what an answer entails does not depend on the facts: a matrix product. Elsewhere
    every answer is tried.
    """

    def __init__(self, model: Model):
        self._model = model
        self._n = model.clauses.n_labels

    def weigh(self, yes: Floats, no: Floats, known: Facts) -> tuple[Floats, Floats]:
        """Totals (N, K) of what a yes and what a no to each label would newly settle.

        `yes` and `no` are the weights (N, K) of learning that a label is on or off; `known` is completely propagated.
        Known labels weigh nothing and get 0.
        """
        is_known = known >= 0
        yes = np.where(is_known, 0.0, yes)
        no = np.where(is_known, 0.0, no)
        if self._tree is not None:
            if_yes, if_no = self._on_tree(yes, no)
        elif self._pairwise:
            if_yes, if_no = self._by_product(yes, no)
        else:
            if_yes, if_no = self._by_trial(yes, no, known)
        if_yes[is_known] = 0.0
        if_no[is_known] = 0.0
        return if_yes, if_no

    @cached_property
    def _tree(self) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
        if self._model.components_beyond_trees:
            return None
        (service,) = self._model.services or (None,)
        if (
            service is None
            or not isinstance(service.engine, Tree)
            or len(service.columns[2]) < self._n
        ):
            return None  # forced or equivalent labels
        label, first_group, kind, first_member, member = service.engine.shape
        if (kind >= EXACTLY_ONE).any():
            return None
        column = np.concatenate([[-1], service.columns[0][label[1:]]])
        return column, first_group, kind, first_member, member

    @cached_property
    def _pairwise(self) -> bool:
        return self._model.pairwise

    @cached_property
    def _entailed(self) -> csr_array:
        """(2K, 2K): what each literal entails by itself, the literal included."""
        blocks = []
        step = max(1, CELLS_AT_ONCE // max(1, self._n))
        for start in range(0, 2 * self._n, step):
            literals = np.arange(start, min(start + step, 2 * self._n))
            rows = np.full((len(literals), self._n), -1, np.int8)
            rows[np.arange(len(literals)), literals >> 1] = 1 - (literals & 1)
            found, clash = self._model.propagate(rows)
            found[clash] = -1
            row, label = np.nonzero(found >= 0)
            column = 2 * label + 1 - found[row, label]
            blocks.append(
                csr_array((np.ones(len(row)), (row, column)), shape=(len(literals), 2 * self._n))
            )
        return csr_array(vstack(blocks))

    @cached_property
    def _transposed(self) -> npt.NDArray[np.float64] | csr_array:
        entailed = self._entailed
        if entailed.nnz > DENSE * entailed.shape[0] * entailed.shape[1]:
            return np.ascontiguousarray(entailed.toarray().T)
        return csr_array(entailed.T)

    def _on_tree(self, yes: Floats, no: Floats) -> tuple[Floats, Floats]:
        from . import consequences_kernels

        assert self._tree is not None
        shape = self._tree
        if_yes = np.empty_like(yes)
        if_no = np.empty_like(no)

        def run(start: int, stop: int) -> None:
            rows = slice(start, stop)
            consequences_kernels.weigh_on_tree(
                yes[rows], no[rows], *shape, if_yes[rows], if_no[rows]
            )

        over_rows(run, len(yes))
        return if_yes, if_no

    def _by_product(self, yes: Floats, no: Floats) -> tuple[Floats, Floats]:
        weights = np.empty((len(yes), 2 * self._n))
        weights[:, 0::2] = yes
        weights[:, 1::2] = no
        totals = np.asarray(weights @ self._transposed)
        return np.ascontiguousarray(totals[:, 0::2]), np.ascontiguousarray(totals[:, 1::2])

    def _by_trial(self, yes: Floats, no: Floats, known: Facts) -> tuple[Floats, Floats]:
        if_yes, if_no = self._by_product(
            yes, no
        )  # right where nothing is known beyond what holds anyway
        for i in np.flatnonzero((known != self._model.base).any(axis=1)):
            unknown = np.flatnonzero(known[i] < 0)
            step = max(1, CELLS_AT_ONCE // self._n)
            for value, totals in ((1, if_yes), (0, if_no)):
                for start in range(0, len(unknown), step):
                    tried = unknown[start : start + step]
                    rows = np.repeat(known[i : i + 1], len(tried), axis=0)
                    rows[np.arange(len(tried)), tried] = value
                    found, _ = self._model.propagate(rows, settled=known[i])
                    totals[i, tried] = np.where(
                        found == 1, yes[i], np.where(found == 0, no[i], 0.0)
                    ).sum(axis=1)
        return if_yes, if_no
