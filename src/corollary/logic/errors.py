"""What can go wrong in the logic, each as one exception whose message says what, where and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .language.constraints import Constraint


class CorollaryError(ValueError):
    """Base of every error that a caller can fix."""


class OntologyError(CorollaryError):
    """Labels or constraints that do not make an ontology."""


class NotationError(OntologyError):
    """Text that is not in the notation: where it stops making sense, and what was expected there."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None):
        super().__init__(message)
        self.line = line
        self.column = column


class FormatError(OntologyError):
    """A file that cannot be read as, or written to, the format asked for."""


class Contradiction(CorollaryError):
    """Answers that cannot all be true: a minimal clash of answers and constraints."""

    def __init__(
        self,
        message: str,
        *,
        answers: Mapping[str, bool],
        constraints: Iterable[Constraint],
        item: int | None = None,
    ):
        super().__init__(message)
        self.answers = dict(answers)
        self.constraints = tuple(constraints)
        self.item = item


class NotExpressedWarning(UserWarning):
    """Parts of a file that labels and constraints cannot express; all are in `Ontology.not_expressed`."""


class EstimateWarning(UserWarning):
    """A posterior that is an estimate without a proven bound; `Ontology.engines` tells where and why."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the label that was probably meant, or an empty string."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {matches[0]!r}?" if matches else ""
