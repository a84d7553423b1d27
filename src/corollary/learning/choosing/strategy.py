"""Strategies of your own.

After a training, a strategy gets known labels and beliefs and returns scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..knowledge import Rows

#: What each question about some rows is worth, (n, K) or, with a last column for the whole item, (n, K+1), given what
#: is known of the rows.
Worth = Callable[[Rows, Facts], Floats]


@dataclass(frozen=True, eq=False)
class Situation:
    """The state of a session after a training, as a strategy gets it.

    Attributes
    ----------
    known : int8 (N, K)
        The known labels: 1 yes, 0 no, -1 unknown.
    answered : int8 (N, K)
        The answers among them.
    beliefs : float (N, K)
        The learner's probabilities.
    learner, X
        The fitted learner and its features; None if beliefs were given.
    propagated : bool
        Whether answers also settle the labels that follow.
    seed
        A seed, another one after each training.
    infer
        A function that computes the posterior in place of the engines, for example on a device.
    """

    onto: Ontology
    beliefs: Floats
    known: Facts
    answered: Facts
    learner: Any
    X: Any
    propagated: bool
    seed: tuple[int, int]
    infer: Callable[[Floats, Facts], Floats] | None = None

    def complete(self, known: Facts) -> Facts:
        """Return the known labels of some rows, propagated."""
        return known if self.propagated else self.onto.propagate(known)

    def posterior(self, rows: Rows, known: Facts) -> Floats:
        """Return the posterior of some rows, given their known labels."""
        beliefs = self.beliefs[rows]
        complete = self.complete(known)
        if self.infer is not None:
            return self.infer(beliefs, complete)
        return self.onto.infer(beliefs, complete, propagated=True).posterior


@runtime_checkable
class Strategy(Protocol):
    """Returns the worth of questions after each training.

    Answers until the next one change the known labels.

    The best question is asked first. Known cells are never asked.
    """

    def worth(self, now: Situation, /) -> Worth:
        """Return the worth of questions, as a function of rows and their known labels."""
        ...
