"""Whether constraints follow from an ontology: each as implications from a few facts, put to complete propagation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines import Facts
from ..language import constraints as c
from ..language import formula as f

#: Numbers in a table of facts that are worked on at once.
CELLS = 10_000_000
#: What follows from facts, and which rows contradict themselves.
Closure = Callable[[Facts], tuple[Facts, npt.NDArray[np.bool_]]]


class Implication(NamedTuple):
    """Where these facts hold, all of those must."""

    given: dict[str, bool]
    then: dict[str, bool]


def implications(constraint: c.Hard) -> Iterator[Implication]:
    """What a constraint says, all of it; a formula has no such form."""
    match constraint:
        case c.Subsumes(parent, children):
            for child in children:
                yield Implication({child: True}, {parent: True})
        case c.Covers(parent, children):
            *others, last = children
            yield Implication({parent: True} | dict.fromkeys(others, False), {last: True})
        case c.AtLeastOne(labels):
            *others, last = labels
            yield Implication(dict.fromkeys(others, False), {last: True})
        case c.Exclusive(labels):
            for label in labels:
                yield Implication(
                    {label: True}, {other: False for other in labels if other != label}
                )
        case c.ExactlyOne(labels):
            yield from implications(c.AtLeastOne(labels))
            yield from implications(c.Exclusive(labels))
        case c.Equivalent(labels):
            for one, other in zip(labels, (*labels[1:], labels[0]), strict=True):
                yield Implication({one: True}, {other: True})


def entails_all(
    constraints: Iterable[c.Hard],
    index: Mapping[str, int],
    closure: Closure,
    possible: Callable[[c.Constraint], bool],
) -> bool:
    """Whether all constraints follow.

    `possible` says whether a further constraint leaves any legal world.
    """
    listed = list(dict.fromkeys(constraints))
    formulas = [one.expression for one in listed if isinstance(one, c.Formula)]
    waiting = (one for constraint in listed for one in implications(constraint))
    while part := list(islice(waiting, max(1, CELLS // max(1, len(index))))):
        facts = np.full((len(part), len(index)), -1, np.int8)
        for i, one in enumerate(part):
            for label, value in one.given.items():
                facts[i, index[label]] = value
        known, impossible = closure(facts)
        for i, one in enumerate(part):
            if not impossible[i] and any(
                known[i, index[label]] != value for label, value in one.then.items()
            ):
                return False
    return not any(possible(c.Formula(f.Not(expression))) for expression in formulas)
