"""Which engine serves a component: the cheapest exact one that fits the budget, else an estimate."""

from __future__ import annotations

from . import Budget, Component, Engine, TooLarge
from .diagram import Diagram
from .estimate import BeliefPropagation
from .junction import compile_junction
from .pruning import PrunedJunction


def choose_engine(component: Component, budget: Budget) -> Engine:
    """An engine for a component that is not a tree."""
    try:
        if component.only_subsumption:
            return compile_junction(component, budget)
        return Diagram.compile(component, budget)
    except TooLarge:
        estimate = BeliefPropagation(component)
        if component.only_subsumption and budget.error > 0:
            return PrunedJunction(component, budget, estimate)
        return estimate
