"""What each kind of constraint says, as a formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from . import constraints as c
from . import formula as f


def expression_of(constraint: c.Hard) -> f.Expression:
    """The formula that holds where the constraint does."""
    match constraint:
        case c.Subsumes(parent, children):
            return f.And(tuple(f.Implies(f.Name(child), f.Name(parent)) for child in children))
        case c.Covers(parent, children):
            return f.Implies(f.Name(parent), _any_of(children))
        case c.Exclusive(labels):
            return f.And(tuple(_at_most_one(labels)))
        case c.ExactlyOne(labels):
            return f.And((_any_of(labels), *_at_most_one(labels)))
        case c.AtLeastOne(labels):
            return _any_of(labels)
        case c.Equivalent(labels):
            return f.And(
                tuple(f.Implies(f.Name(a), f.Name(b)) for a, b in pairwise((*labels, labels[0])))
            )
        case c.Formula(expression):
            return expression


def _any_of(labels: Sequence[str]) -> f.Expression:
    return f.Or(tuple(map(f.Name, labels)))


def _at_most_one(labels: Sequence[str]) -> Iterator[f.Expression]:
    """Not one of either half, and in each half at most one: n log n in all where pairs would be n²."""
    if len(labels) > 1:
        middle = len(labels) // 2
        yield f.Not(f.And((_any_of(labels[:middle]), _any_of(labels[middle:]))))
        yield from _at_most_one(labels[:middle])
        yield from _at_most_one(labels[middle:])
