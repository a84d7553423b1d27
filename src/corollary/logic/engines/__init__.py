"""Engines that compute the posterior of one component, all behind the same small Protocol."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import CorollaryError
from ..language import formula as f

Floats = npt.NDArray[np.float64]
Facts = npt.NDArray[np.int8]  # items x labels: -1 unknown, 0 no, 1 yes
#: Log-odds up to which a probability, the rest to 1 and their ratio are normal numbers.
EXP_LIMIT = 600.0


@dataclass(frozen=True, slots=True)
class Component:
    """Labels tied together by constraints, in the form engines take: numbered 0..n-1, nothing forced, no cycles.

    Implications are transitively reduced; an exclusion that follows from the exclusion of ancestors is left out.
    """

    n: int
    #: parents[k]: the labels that k directly implies; children is the reverse.
    parents: tuple[tuple[int, ...], ...]
    children: tuple[tuple[int, ...], ...]
    #: At most one of each group is on.
    groups: tuple[tuple[int, ...], ...] = ()
    #: Other clauses: literals 2k (yes) and 2k+1 (no).
    clauses: tuple[tuple[int, ...], ...] = ()
    #: Formulas too large for clauses, over names str(k).
    circuits: tuple[f.Expression, ...] = ()

    @property
    def only_subsumption(self) -> bool:
        """Whether implications are all there is."""
        return not (self.groups or self.clauses or self.circuits)

    @property
    def only_hierarchy(self) -> bool:
        """Whether implications and exclusions are all there is."""
        return not (self.clauses or self.circuits)

    def ancestors_first(self) -> list[int]:
        """The labels in an order in which each comes after all that it implies."""
        waiting = [len(parents) for parents in self.parents]
        order = [k for k in range(self.n) if not waiting[k]]
        for k in order:
            for child in self.children[k]:
                waiting[child] -= 1
                if not waiting[child]:
                    order.append(child)
        return order


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest cost of an exact answer, and the error at which pruning may stop.

    Parameters
    ----------
    states
        The largest number of table entries (junction tree) or nodes (diagram) of a component.
    seconds
        The largest time to compile a component.
    error
        The largest proven error of a probability that pruning may leave; 0 forbids pruning.
    """

    states: int = 1_000_000
    seconds: float = 30.0
    error: float = 1e-6

    def __post_init__(self) -> None:
        numbers = all(isinstance(value, Real) for value in (self.states, self.seconds, self.error))
        if not numbers or self.states < 1 or not self.seconds > 0 or not 0 <= self.error < 1:
            raise CorollaryError(
                f"a budget needs states >= 1, seconds > 0 and 0 <= error < 1, got {self}"
            )


class TooLarge(Exception):
    """The component does not fit the budget of this engine."""


@dataclass(slots=True)
class Inferred:
    """What an engine says of N items: weights are exp(odds) for an unknown label that is on, 1 for everything else."""

    posterior: Floats  # (N, n): probability that the label is on
    log_z: Floats  # (N,): log of the summed weight of the legal worlds
    both: (
        Floats | None
    )  # (N, n): probability that the other labels leave both values legal, 0 for known labels
    error: Floats  # (N,): proven bound on the error of every probability; 0 is exact, nan is an estimate


class Engine(Protocol):
    """Inference over the legal worlds of one component.

    `odds` is float64 (N, n), finite log-odds of beliefs and evidence; beyond EXP_LIMIT, `both` of that label may be
    anything. `known` is int8 (N, n), already completely propagated and free of contradictions. Rows are independent;
    inputs are not changed.
    """

    name: str
    size: int
    guarantee: str

    def infer(self, odds: Floats, known: Facts, *, both: bool = False) -> Inferred:
        """Posterior, normaliser and, on request, the probability that both values are legal."""
        ...

    def most_probable(self, odds: Floats, known: Facts) -> Facts:
        """The legal world of the largest weight; of equals, the one that has 0 first where they differ."""
        ...
