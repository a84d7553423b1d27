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
    """A posterior that is an estimate without a proven bound.

    `Ontology.engines` shows where and why.
    """


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the label that was probably meant, or an empty string: only names that are a few slips apart."""
    written = {bare(one): one for one in known}
    wanted = bare(name)
    for found in get_close_matches(wanted, list(written), n=3, cutoff=0.6):
        if slips(wanted, found) <= max(1, round(len(wanted) / 4)):
            return f"; did you mean {written[found]!r}?"
    return ""


def bare(name: str) -> str:
    """A name without case, spaces, hyphens and underscores."""
    return name.casefold().translate(_SEPARATORS)


_SEPARATORS = str.maketrans("", "", " _-")


def slips(a: str, b: str) -> int:
    """How many letters must be added, left out, replaced or swapped with the next to make one name of the other."""
    before = [0] * (len(b) + 1)
    row = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        last = before
        before = row
        row = [i]
        for j in range(1, len(b) + 1):
            found = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                found = min(found, last[j - 2] + 1)
            row.append(found)
    return row[-1]
