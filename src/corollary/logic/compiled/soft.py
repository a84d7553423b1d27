"""Soft constraints turned into hard ones: each has a helper label that implies it, and that has odds of its own.

Where a constraint of weight w is kept its helper may be on or off, where it is broken it is off. With odds of e^w - 1
on the helper, a world that keeps it weighs e^w in all and one that breaks it 1: just what a soft constraint says, for
any engine. Helpers come after the labels, and nobody outside this package sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..engines import Budget, Facts, Floats
from ..language import formula as f
from ..language.constraints import Formula, Hard, Soft
from ..language.expressions import expression_of
from ..solving.clauses import to_clauses
from .model import Model

#: Engines take log-odds up to this; beyond it the smaller weight is nothing beside the larger.
MOST = 600.0


def soften(
    labels: Sequence[str], hard: Iterable[Hard], soft: Sequence[Soft], budget: Budget
) -> Model:
    """The model of all constraints, with a helper for each soft one."""
    helpers = [f"\n{n}" for n in range(len(soft))]  # names that no label can have
    says = (expression_of(one.constraint) for one in soft)
    implied = [
        Formula(f.Implies(f.Name(name), part)) for name, part in zip(helpers, says, strict=True)
    ]
    clauses = to_clauses([*labels, *helpers], [*hard, *implied])
    return Model(clauses, budget, weights=[one.weight for one in soft])


def helper_odds(weights: Floats) -> Floats:
    """log(e^w - 1): with it, the two worlds that keep a constraint weigh e^w together."""
    odds: Floats = weights + np.log(-np.expm1(-weights))
    return np.clip(odds, -MOST, MOST)


def widened(model: Model, odds: Floats, known: Facts, of_helpers: Floats) -> tuple[Floats, Facts]:
    """Return log-odds and facts with columns for the helpers.

    Their odds, and the helpers that facts turn off.

    Unit propagation is enough. If it misses something, the engine sums over legal worlds only; and
    a helper can only be turned off.
    """
    shape = len(odds), len(of_helpers)
    wide = np.hstack([odds, np.broadcast_to(of_helpers, shape)])
    return wide, model.propagate(np.hstack([known, np.full(shape, -1, np.int8)]), complete=False)[0]
