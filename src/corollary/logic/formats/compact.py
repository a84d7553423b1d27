"""A document in fewer words: one constraint for all children of a parent, beside it that they exclude each other."""

from __future__ import annotations

from dataclasses import replace

from ..language.constraints import Constraint, Covers, Exclusive, Subsumes, hard_ones, soft_ones
from ..language.notation import Document, document


def compact(long: Document) -> Document:
    """Return the document with all children of a parent in one constraint, then others about them.

    The meaning is the same. Labels come in the order of first mention.
    """
    families: dict[str, Subsumes] = {}
    for one in long.constraints:
        if isinstance(one, Subsumes):
            before = families.get(one.parent, one)
            children = tuple(dict.fromkeys((*before.children, *one.children)))
            families[one.parent] = Subsumes(one.parent, children, source=before.source)
    beside: dict[str, list[Constraint]] = {parent: [] for parent in families}
    by_children = {frozenset(family.children): family for family in reversed(families.values())}
    rest: list[Constraint] = []
    for one in dict.fromkeys(hard_ones(long.constraints)):
        if (
            isinstance(one, Exclusive)
            and (family := by_children.get(frozenset(one.labels))) is not None
        ):
            beside[family.parent].append(Exclusive(family.children, source=one.source))
        elif isinstance(one, Covers) and frozenset(one.children) == frozenset(
            _children(families, one.parent)
        ):
            beside[one.parent].append(
                Covers(one.parent, families[one.parent].children, source=one.source)
            )
        elif not isinstance(one, Subsumes):
            rest.append(one)
    grouped = [
        made for family in families.values() for made in (family, *_in_order(beside[family.parent]))
    ]
    every = [
        *grouped,
        *rest,
        *soft_ones(long.constraints),
    ]  # a soft one that is said twice counts twice
    found = document(every, not_expressed=long.not_expressed)
    alone = [label for label in long.labels if label not in set(found.labels)]
    return replace(long, labels=(*found.labels, *alone), constraints=found.constraints)


def _children(families: dict[str, Subsumes], parent: str) -> tuple[str, ...]:
    return families[parent].children if parent in families else ()


def _in_order(said: list[Constraint]) -> list[Constraint]:
    """That they exclude each other first, then that one is true: so they print as one statement."""
    return sorted(dict.fromkeys(said), key=lambda one: isinstance(one, Covers))
