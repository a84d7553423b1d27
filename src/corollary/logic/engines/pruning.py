"""Inference on a hierarchy too large for a junction tree: fix what beliefs settle, with a proven error; solve the rest.

Write P for the posterior, σ(x) = 1 / (1 + e^-x), softplus(x) = log(1 + e^x); sums and minima are over open labels only.

    L_k = odds_k + Σ_children softplus(L_c)        P(k on)  <= yes_k = σ(L_k)  min_parents  yes_p
    M_k = odds_k - Σ_parents softplus(-M_p)        P(k off) <= no_k  = σ(-M_k) min_children no_c

Proof. P(k on) = P(parents on) P(k on | parents on). The first factor is at most min_parents P(p on). Legal worlds are
closed under union and intersection and weights are products, so P is log-supermodular; by the FKG inequality the second
factor is at most P(k on | all labels on but k and its descendants). There, k off has weight 1, and k on has e^odds_k
times the summed weight of the worlds below k. That sum is at most Π_children (1 + e^L_c): give each descendant that is
on to the first child of k above it (or equal to it). This splits a world below k into a legal world for each child that
is on, different worlds into different splits, and the weights multiply. By induction the odds of k are at most e^L_k.
The second line is the first, upside down.

Fix labels of yes_k < t off, of no_k < t on. A label fixed off has its descendants fixed off, as yes_c <= yes_k; one
fixed on has its ancestors fixed on. So some fixed label has the other value with probability at most ε = Σ yes + Σ no,
the first sum over labels fixed off with no parent fixed off, the second over labels fixed on with no child fixed on. To
condition on an event of probability 1 - ε moves every probability by at most ε, and log Z by at most -log(1 - ε). What
is left is a hierarchy again: no chain of implications between open labels passes through a fixed one. Its bounds may
fix more; the ε add up.

`both` of a label fixed off is at most P(a parent is on), so at most ε if a parent is fixed off. If not, a label that is
unlikely by itself may well have `both` near 1: such labels are left open when `both` is asked for.
"""

from __future__ import annotations

import numpy as np

from . import Budget, Component, Engine, Facts, Floats, Inferred, TooLarge
from .elimination import Ints, to_dag
from .junction import best_worlds, check_odds, compile_dag
from .rows import over_rows

#: Items that share a junction tree: a larger tree serves more of them, but takes longer for each.
BATCH = 16
#: Labels by which items are sorted to find alike ones.
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
        """See `Engine`. Exact for every item: a minimum cut needs no junction tree."""
        return best_worlds(self._dag, odds, known)

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
        is_open = np.any(fixed[rows] < 0, axis=0)[self._dag.column]
        if not is_open.any():
            return []
        dag = self._dag.within(is_open)
        budget = self._budget
        try:
            junction = compile_dag(dag, limit=budget.states, seconds=budget.seconds, tries=1)
        except TooLarge:
            if len(rows) == 1:
                return [int(rows[0])]
            halves = rows[: len(rows) // 2], rows[len(rows) // 2 :]
            return [
                i for half in halves for i in self._solve(odds, fixed, half, posterior, log_z, both)
            ]
        self.size = max(self.size, junction.size)
        junction.fill(odds, fixed, rows, posterior, log_z, both)
        return []

    def _guess(self, odds: Floats, known: Facts, rows: Ints, found: Inferred) -> None:
        if not len(rows):
            return
        guess = self._estimate.infer(odds[rows], known[rows], both=found.both is not None)
        found.posterior[rows] = guess.posterior
        found.log_z[rows] = guess.log_z
        found.error[rows] = np.nan
        if found.both is not None and guess.both is not None:
            found.both[rows] = guess.both


def _alike(fixed: Facts) -> list[Ints]:
    """Batches of rows that leave much the same labels open."""
    if not len(fixed):
        return []
    is_open = fixed < 0
    divided = np.argsort(np.abs(is_open.mean(axis=0) - 0.5), kind="stable")[:TRAITS]
    order = np.lexsort(is_open[:, divided[::-1]].T)
    return [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
