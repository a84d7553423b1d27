"""Belief propagation: an estimate, for components that no exact engine can take. It carries no guarantee."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..solving.clauses import Clauses, at_most_one, no, yes
from ..solving.sat import Solver, without_circuits
from . import Component, Facts, Floats, Inferred
from .rows import over_rows

CLAUSE, AT_MOST_ONE = range(2)


class BeliefPropagation:
    """Messages between constraints and labels until they settle; deterministic, so equal calls give equal answers."""

    name = "belief propagation"
    guarantee = "estimate"

    def __init__(self, component: Component, *, sweeps: int = 200, tolerance: float = 1e-7):
        self._component = component
        self._clauses = component_clauses(component)
        self._sweeps = sweeps
        self._tolerance = tolerance
        scopes = [(AT_MOST_ONE, [yes(k) for k in group]) for group in _minimal_groups(component)]
        scopes += [
            (CLAUSE, [no(k), yes(p)])
            for k, parents in enumerate(component.parents)
            for p in parents
        ]
        scopes += [(CLAUSE, list(clause)) for clause in component.clauses]
        gates = without_circuits(Clauses(component.n, component.n, circuits=self._clauses.circuits))
        scopes += [(CLAUSE, list(clause)) for clause, _ in gates.clauses]
        self._n_variables = gates.n_variables
        scopes.sort(key=lambda scope: min(scope[1]))
        self.size = sum(len(literals) for _, literals in scopes)
        self._shape = (
            np.array([kind for kind, _ in scopes], np.int64),
            np.concatenate([[0], np.cumsum([len(literals) for _, literals in scopes])]).astype(
                np.int64
            ),
            np.array([x for _, literals in scopes for x in literals], np.int64),
        )

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        from .kernels import estimate as estimate_kernels

        n_items, n = odds.shape
        helpers = self._n_variables - n
        wide_odds = np.hstack([odds, np.zeros((n_items, helpers))])
        wide_known = np.hstack([known, np.full((n_items, helpers), -1, np.int8)])
        posterior = np.empty_like(wide_odds)
        legal_both = np.empty_like(wide_odds)
        log_z = np.empty(n_items)

        def run(start: int, stop: int) -> None:
            rows = slice(start, stop)
            estimate_kernels.infer(
                wide_odds[rows],
                wide_known[rows],
                *self._shape,
                self._sweeps,
                self._tolerance,
                posterior[rows],
                log_z[rows],
                legal_both[rows],
            )

        over_rows(run, n_items, at_least=4)
        return Inferred(
            posterior[:, :n], log_z, legal_both[:, :n] if both else None, np.full(n_items, np.nan)
        )

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        """A legal world that follows the estimate, the surest labels first."""
        posterior = self.infer(odds, known).posterior
        return np.array(
            [self._decide(q, row) for q, row in zip(posterior, known, strict=True)], np.int8
        ).reshape(known.shape)

    def _decide(self, posterior: Floats, known: Facts) -> list[bool]:
        n = self._component.n
        decided = _literals(known)
        world = self._sat.world(n, decided)
        assert world is not None  # known is free of contradictions
        for k in np.argsort(-np.abs(posterior - 0.5), kind="stable").tolist():
            if known[k] >= 0:
                continue
            wanted = bool(posterior[k] > 0.5)
            if world[k] != wanted:
                world = self._sat.world(n, [*decided, 2 * k + 1 - wanted]) or world
            decided.append(2 * k + 1 - world[k])
        return world

    @cached_property
    def _sat(self) -> Solver:
        return Solver(self._clauses, selectors=False)


def _literals(known: Facts) -> list[int]:
    return [2 * k + 1 - value for k, value in enumerate(known.tolist()) if value >= 0]


def component_clauses(component: Component) -> Clauses:
    """A component as plain clauses, all of one owner."""
    out = Clauses(component.n, component.n)
    for k, parents in enumerate(component.parents):
        out.clauses += [((no(k), yes(p)), 0) for p in parents]
    out.clauses += [(clause, 0) for clause in component.clauses]
    for group in component.groups:
        at_most_one(out, group, 0)
    out.circuits += [(circuit, 0) for circuit in component.circuits]
    return out


def _minimal_groups(component: Component) -> list[tuple[int, ...]]:
    """Groups without the pairs that follow from the exclusion of ancestors: said twice, they would count twice."""
    up: list[frozenset[int]] = [frozenset()] * component.n
    pairs = {frozenset(group) for group in component.groups if len(group) == 2}
    if not pairs:
        return list(component.groups)
    for k in component.ancestors_first():
        up[k] = frozenset({k}).union(*(up[p] for p in component.parents[k]))
    of_group: list[set[int]] = [set() for _ in range(component.n)]
    for g, group in enumerate(component.groups):
        for k in group:
            of_group[k].add(g)

    def follows(group: tuple[int, ...]) -> bool:
        a, b = group
        return any(
            frozenset((x, y)) in pairs or of_group[x] & of_group[y]
            for x in up[a]
            for y in up[b]
            if x != y and (x, y) != (a, b)
        )

    return [group for group in component.groups if len(group) > 2 or not follows(group)]
