"""Which engine serves a component: the cheapest exact one that fits the budget, else an estimate."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from . import Budget, Component, Engine, TooLarge
from .diagram import Diagram
from .estimate import BeliefPropagation
from .junction import compile_junction
from .pruning import PrunedJunction

#: For a hierarchy with exclusions a diagram gets this part of the states allowed: more take seconds to find out.
FIRST_TRY = 128


def choose_engine(component: Component, budget: Budget) -> Engine:
    """An engine for a component that is not a tree."""
    try:
        if component.only_subsumption:
            return compile_junction(component, budget)
        if component.only_hierarchy:
            return _with_exclusions(component, budget)
        return Diagram.compile(component, budget)
    except TooLarge:
        estimate = BeliefPropagation(component)
        if component.only_hierarchy and budget.error > 0:
            try:
                return PrunedJunction(component, budget, estimate)
            except TooLarge:
                pass  # too many pairs of exclusive labels
        return estimate


def _with_exclusions(component: Component, budget: Budget) -> Engine:
    """A small diagram where there is one, else a junction tree: one of them suits most, and both decide quickly."""
    small = replace(budget, states=max(1, budget.states // FIRST_TRY))
    if component.n <= small.states:  # each label takes a node at least
        with suppress(TooLarge):
            return Diagram.compile(component, small)
    return compile_junction(component, budget)
