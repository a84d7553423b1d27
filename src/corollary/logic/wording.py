"""Constraints and facts in plain words, for people who label and people who mend an ontology."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .language.constraints import AtLeastOne, Constraint, Covers, Equivalent, ExactlyOne, Exclusive, Formula, Subsumes
from .language.notation import render_expression

#: A list longer than this is shown by its first few and a count.
SHOWN_UP_TO = 6
FIRST_FEW = 3


def fact_in_words(label: str, value: bool) -> str:
    """One fact: `bird is yes`."""
    return f"{label} is {'yes' if value else 'no'}"


def in_words(constraint: Constraint, *, about: Collection[str] = ()) -> str:
    """What a constraint says, and in brackets where it is written; labels in `about` are named before others."""
    where = f" [{constraint.source}]" if constraint.source else ""
    return _sentence(constraint, about) + where


def listed(names: Iterable[str], *, noun: str, last: str = ", ") -> str:
    """The names one after the other, or their number and the first few."""
    names = list(names)
    if len(names) > SHOWN_UP_TO:
        return f"{len(names):,} {noun} ({', '.join(names[:FIRST_FEW])}, ...)"
    return last.join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sentence(constraint: Constraint, about: Collection[str]) -> str:
    match constraint:
        case Subsumes(parent, children):
            named = [child for child in children if child in about] or children
            if len(named) == 1:
                return f"{named[0]} implies {parent}"
            return f"each of {_labels(named)} implies {parent}"
        case Covers(parent, children):
            one_of = "one of " if len(children) > SHOWN_UP_TO else ""
            return f"every {parent} is {one_of}{_labels(_first(children, about), last=' or ')}"
        case Exclusive(labels):
            return f"at most one of {_labels(_first(labels, about))}"
        case ExactlyOne(labels):
            return f"exactly one of {_labels(_first(labels, about))}"
        case AtLeastOne(labels):
            return f"at least one of {_labels(_first(labels, about))}"
        case Equivalent(labels):
            named = [label for label in labels if label in about]
            together = _labels(named if len(named) > 1 else labels, last=" and ")
            return f"{together} are the same"
        case Formula(expression):
            return render_expression(expression)


def _labels(names: Sequence[str], *, last: str = ", ") -> str:
    return listed(names, noun="labels", last=last)


def _first(labels: Sequence[str], about: Collection[str]) -> list[str]:
    """The labels, those that matter here in front where not all will be shown."""
    if len(labels) <= SHOWN_UP_TO:
        return list(labels)
    return sorted(labels, key=lambda label: label not in about)
