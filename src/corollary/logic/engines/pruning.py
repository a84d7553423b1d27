"""Inference on a hierarchy too large for a junction tree: fix what beliefs settle, with a proven error; solve the rest.

Write P for the posterior, σ(x) = 1 / (1 + e^-x), softplus(x) = log(1 + e^x); the foes of k are the labels that k
excludes, without those that follow. Sums and minima are over open labels only.

    L_k = odds_k + Σ_children softplus(L_c)
    M_k = odds_k - Σ_parents softplus(-M_p) - Σ_foes softplus(L_x)
    P(k on)  <= yes_k = σ(L_k)  min(yes_p of parents, no_x of foes)
    P(k off) <= no_k  = σ(-M_k) min(no_c of children)

The proof is theorem 5 in docs/mathematics.md. In a world with k on, turn k and its descendants off. In a world with k
off, turn k and its ancestors on, and all that clashes with them off. The weights of the worlds that become the same one
add up to at most e^L_k times its own, or e^-M_k times.

Fix labels of yes_k < t off, of no_k < t on. A label fixed off has its descendants fixed off, as yes_c <= yes_k; one
fixed on has its ancestors fixed on and its foes fixed off, as yes_x <= no_k. So some fixed label has the other value
with probability at most ε = Σ yes + Σ no, the first sum over labels fixed off with no parent fixed off and no foe
fixed on, the second over labels fixed on with no child fixed on. To condition on an event of probability 1 - ε moves
every probability by at most ε, and log Z by at most -log(1 - ε). The rest is a hierarchy again: nothing that ties
open labels passes through a fixed one. Its bounds may fix more; the ε add up.

`both` of a label fixed off is at most P(a parent is on), so at most ε if a parent is fixed off. Likewise if a foe is
fixed on. If not, a label that is unlikely by itself may well have `both` near 1: such labels are left open when
`both` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from . import Budget, Component, Engine, Facts, Floats, Inferred, TooLarge
from .elimination import Ints, to_dag
from .junction import Junction, best_worlds, check_odds, compile_dag
from .rows import over_rows

#: Items that share a junction tree: a larger tree serves more of them, but takes longer for each.
BATCH = 16
#: States of a junction tree that several items may share: in a larger one each pays for the labels of the others.
SHARED = 20_000
#: Sets of open labels that an engine remembers as too large.
REMEMBERED = 10_000
#: Labels by which items are sorted to find similar ones.
TRAITS = 40


class PrunedJunction:
    """A junction tree on what the beliefs leave open; items for which that is too much get the estimate, error nan."""

    name = "pruned junction"

    def __init__(self, component: Component, budget: Budget, estimate: Engine):
        self.guarantee = (
            f"exact up to {budget.error:g} where beliefs allow, else {estimate.guarantee}"
        )
        #: States of the largest junction tree so far.
        self.size = 0
        self._dag = to_dag(component)
        self._budget = budget
        self._estimate = estimate
        #: Sets of open labels, as bits, that were tried and found too large.
        self._too_large: set[bytes] = set()

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        """See `Engine`; an item's answer does not depend on the other items, but for rounding."""
        check_odds(odds)
        fixed, error = self._prune(odds, known, both=both)
        found = Inferred(
            posterior=np.where(fixed > 0, 1.0, 0.0),
            log_z=np.where((fixed > 0) & (known < 0), odds, 0.0).sum(axis=1),
            both=np.zeros_like(odds) if both else None,
            error=error,
        )
        log_z = np.zeros(len(odds))
        batches = _alike(fixed)
        failed: list[int] = []

        def run(start: int, stop: int) -> None:
            for rows in batches[start:stop]:
                failed.extend(self._solve(odds, fixed, rows, found.posterior, log_z, found.both))

        over_rows(run, len(batches), at_least=1)
        found.log_z += log_z
        self._guess(odds, known, np.array(sorted(failed), np.int64), found)
        return found

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        """See `Engine`. Exact for every item without exclusions: a minimum cut needs no junction tree.

        With exclusions, an item for which too much is left open gets a good world that may not be the best.
        """
        if not len(self._dag.foe):
            return best_worlds(self._dag, odds, known)
        check_odds(odds)
        worlds = self._settle(odds, known)
        failed: list[int] = []
        for rows in _alike(worlds):
            failed += self._choose(odds, worlds, rows)
        if failed:
            rows = np.array(sorted(failed), np.int64)
            worlds[rows] = self._estimate.most_probable(odds[rows], known[rows])
        return worlds

    def _settle(self, odds: Floats, known: Facts) -> Facts:
        from .kernels import pruning as pruning_kernels

        fixed = np.empty_like(known)

        def run(start: int, stop: int) -> None:
            rows = slice(start, stop)
            pruning_kernels.settle_best(self._dag, odds[rows], known[rows], fixed[rows])

        over_rows(run, len(odds), at_least=8)
        return fixed

    def _prune(self, odds: Floats, known: Facts, *, both: bool) -> tuple[Facts, Floats]:
        from .kernels import pruning as pruning_kernels

        fixed = np.empty_like(known)
        error = np.empty(len(odds))
        allowed = self._budget.error / (2 if both else 1)
        slack = allowed if both else np.inf

        def run(start: int, stop: int) -> None:
            rows = slice(start, stop)
            pruning_kernels.prune(
                self._dag, odds[rows], known[rows], allowed, slack, fixed[rows], error[rows]
            )

        over_rows(run, len(odds), at_least=8)
        return fixed, error

    def _solve(
        self,
        odds: Floats,
        fixed: Facts,
        rows: Ints,
        posterior: Floats,
        log_z: Floats,
        both: Floats | None,
    ) -> list[int]:
        """Fill these rows by one junction tree on the labels open in any of them, or by more; return the too large."""

        def fill(junction: Junction, some: Ints) -> None:
            junction.fill(odds, fixed, some, posterior, log_z, both)

        return self._in_trees(fixed, rows, fill)

    def _choose(self, odds: Floats, worlds: Facts, rows: Ints) -> list[int]:
        """Decide the open labels of some rows, in place; return the rows that are too large."""
        before = worlds.copy()
        return self._in_trees(
            before, rows, lambda junction, some: junction.choose(odds, before, some, worlds)
        )

    def _in_trees(
        self, fixed: Facts, rows: Ints, solve: Callable[[Junction, Ints], None]
    ) -> list[int]:
        is_open = np.any(fixed[rows] < 0, axis=0)[self._dag.column]
        if not is_open.any():
            return []
        same = bool(((fixed[rows] < 0) == (fixed[rows[0]] < 0)).all())
        pattern = np.packbits(is_open).tobytes()
        try:
            junction = self._tree(is_open, pattern, shared=not same)
        except TooLarge:
            if same:
                if len(self._too_large) < REMEMBERED:
                    self._too_large.add(pattern)
                return [int(i) for i in rows]
            halves = rows[: len(rows) // 2], rows[len(rows) // 2 :]
            return [i for half in halves for i in self._in_trees(fixed, half, solve)]
        self.size = max(self.size, junction.size)
        solve(junction, rows)
        return []

    def _tree(self, is_open: npt.NDArray[np.bool_], pattern: bytes, *, shared: bool) -> Junction:
        """The junction tree of the open labels, for items that leave just these open or for several that share it."""
        if pattern in self._too_large:
            raise TooLarge
        budget = self._budget
        limit = min(budget.states, SHARED) if shared else budget.states
        dag = self._dag.within(is_open)
        return compile_dag(dag, limit=limit, seconds=budget.seconds, tries=1)

    def _guess(self, odds: Floats, known: Facts, rows: Ints, found: Inferred) -> None:
        if not len(rows):
            return
        # Before the first model all items are equal: an estimate costs much more than the search for equal rows.
        cells = np.hstack([odds[rows], known[rows]])
        _, first, of_row = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        asked, of_row = rows[first], of_row.reshape(-1)
        guess = self._estimate.infer(odds[asked], known[asked], both=found.both is not None)
        found.posterior[rows] = guess.posterior[of_row]
        found.log_z[rows] = guess.log_z[of_row]
        found.error[rows] = np.nan
        if found.both is not None and guess.both is not None:
            found.both[rows] = guess.both[of_row]


def _alike(fixed: Facts) -> list[Ints]:
    """Batches of rows that leave much the same labels open."""
    if not len(fixed):
        return []
    is_open = fixed < 0
    divided = np.argsort(np.abs(is_open.mean(axis=0) - 0.5), kind="stable")[:TRAITS]
    order = np.lexsort(is_open[:, divided[::-1]].T)
    return [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
