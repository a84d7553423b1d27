"""A strategy of one's own: after a training it sees what is known and believed, and says what questions are worth."""

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
    """What a strategy sees after a training.

    `known` (N, K) is all that is known, `answered` what was answered of it, `beliefs` what the learner says. `learner`
    is fitted, and X is what it was fitted to; both are None where beliefs were given. Without `propagated` answers
    settle their own cell only. `seed` is another one after each training. `infer` makes beliefs consistent with what is
    known in place of the engines, say on a device.
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
        """What is known of some rows, with all that follows."""
        return known if self.propagated else self.onto.propagate(known)

    def posterior(self, rows: Rows, known: Facts) -> Floats:
        """The beliefs about some rows made consistent with what is known of them."""
        beliefs = self.beliefs[rows]
        complete = self.complete(known)
        if self.infer is not None:
            return self.infer(beliefs, complete)
        return self.onto.infer(beliefs, complete, propagated=True).posterior


@runtime_checkable
class Strategy(Protocol):
    """Says after each training what every question is worth; the answers that come until the next change what is known.

    What is worth most is asked first. Cells that are known are never asked, whatever they are worth.
    """

    def worth(self, now: Situation, /) -> Worth:
        """What each question is worth, as a function of rows and of what is known of them."""
        ...
