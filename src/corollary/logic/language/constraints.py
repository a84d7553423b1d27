"""The constraints that tie labels together: small immutable values, and the functions that make them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeVar

from ..errors import OntologyError
from . import formula as f
from .syntax import check_expression, parse_formula

#: Beyond this weight a world that breaks the constraint is nothing beside the others, and numbers run out of room.
HEAVIEST = 600.0


@dataclass(frozen=True, slots=True)
class Source:
    """Where a constraint was written."""

    file: str | None
    line: int | None

    def __str__(self) -> str:
        file = self.file or "line"
        return (
            file
            if self.line is None
            else f"{file}:{self.line}"
            if self.file
            else f"line {self.line}"
        )


def no_source() -> Source | None:
    """The place where a constraint is written; no part of equality."""
    return field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class _Family:
    parent: str
    children: tuple[str, ...]
    source: Source | None = no_source()

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.parent, *self.children)


@dataclass(frozen=True, slots=True)
class _Group:
    labels: tuple[str, ...]
    source: Source | None = no_source()


class Subsumes(_Family):
    """Each child implies the parent: every bird, every fish is an animal."""

    __slots__ = ()


class Covers(_Family):
    """The parent implies at least one of the children: an animal is a bird, a fish or a mammal."""

    __slots__ = ()


class Exclusive(_Group):
    """At most one of the labels is true."""

    __slots__ = ()


class ExactlyOne(_Group):
    """One of the labels is true, the others are not."""

    __slots__ = ()


class AtLeastOne(_Group):
    """One or more of the labels are true."""

    __slots__ = ()


class Equivalent(_Group):
    """All of the labels are true or none is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """Any propositional formula over labels."""

    expression: f.Expression
    source: Source | None = no_source()

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(f.names(self.expression)))


#: What always holds.
Hard = Subsumes | Covers | Exclusive | ExactlyOne | AtLeastOne | Equivalent | Formula


@dataclass(frozen=True, slots=True)
class Soft:
    """A constraint that may be broken: a world that breaks it is exp(-weight) as probable as if it kept it.

    It counts as a whole: broken once or in many places, it is broken. Nothing follows from it.
    """

    constraint: Hard
    weight: float
    source: Source | None = no_source()

    @property
    def labels(self) -> tuple[str, ...]:
        return self.constraint.labels


Constraint = Hard | Soft
_AnyHard = TypeVar(
    "_AnyHard", Subsumes, Covers, Exclusive, ExactlyOne, AtLeastOne, Equivalent, Formula
)


def implies(
    label: str, consequence: str, *, weight: float | None = None, source: Source | None = None
) -> Subsumes | Soft:
    """Make a constraint: if `label` holds, `consequence` holds.

    Parameters
    ----------
    label
        The narrower label.
    consequence
        The label that follows.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Subsumes or Soft

    Examples
    --------
    >>> import corollary as co
    >>> onto = co.Ontology(["bird", "animal"], [co.implies("bird", "animal")])
    >>> onto.propagate({"bird": True})
    {'bird': True, 'animal': True}
    """
    return subsumes(consequence, label, weight=weight, source=source)


def subsumes(
    parent: str, *children: str, weight: float | None = None, source: Source | None = None
) -> Subsumes | Soft:
    """Make a constraint: each of the children implies the parent.

    Parameters
    ----------
    parent
        The wider label.
    *children
        The narrower labels.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Subsumes or Soft
    """
    _check("subsumes", (parent, *children), at_least=2)
    return _weighed(Subsumes(parent, children, source=source), weight)


def covers(
    parent: str, *children: str, weight: float | None = None, source: Source | None = None
) -> Covers | Soft:
    """Make a constraint: the parent implies at least one of the children.

    Parameters
    ----------
    parent
        The wider label.
    *children
        The labels that cover it.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Covers or Soft
    """
    _check("covers", (parent, *children), at_least=2)
    return _weighed(Covers(parent, children, source=source), weight)


def exclusive(
    *labels: str, weight: float | None = None, source: Source | None = None
) -> Exclusive | Soft:
    """Make a constraint: at most one of the labels holds.

    Parameters
    ----------
    *labels
        The names of the labels.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Exclusive or Soft
    """
    return _weighed(Exclusive(_check("exclusive", labels, at_least=2), source=source), weight)


def exactly_one(
    *labels: str, weight: float | None = None, source: Source | None = None
) -> ExactlyOne | Soft:
    """Make a constraint: exactly one of the labels holds.

    Parameters
    ----------
    *labels
        The names of the labels.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    ExactlyOne or Soft
    """
    return _weighed(ExactlyOne(_check("exactly_one", labels, at_least=1), source=source), weight)


def at_least_one(
    *labels: str, weight: float | None = None, source: Source | None = None
) -> AtLeastOne | Soft:
    """Make a constraint: at least one of the labels holds.

    Parameters
    ----------
    *labels
        The names of the labels.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    AtLeastOne or Soft
    """
    return _weighed(AtLeastOne(_check("at_least_one", labels, at_least=1), source=source), weight)


def equivalent(
    *labels: str, weight: float | None = None, source: Source | None = None
) -> Equivalent | Soft:
    """Make a constraint: all of the labels hold, or none.

    Parameters
    ----------
    *labels
        The names of the labels.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Equivalent or Soft
    """
    return _weighed(Equivalent(_check("equivalent", labels, at_least=2), source=source), weight)


def formula(
    text: str | f.Expression, *, weight: float | None = None, source: Source | None = None
) -> Formula | Soft:
    """Make a constraint of a formula such as `flies & ~bird >> insect | bat`.

    Parameters
    ----------
    text
        The formula. The notation page describes all operators.
    weight
        If given, the constraint is soft: a labelling that breaks it is exp(-weight) as probable.
    source
        The place where the constraint was written, for messages.

    Returns
    -------
    Formula or Soft

    Raises
    ------
    NotationError
        If the text is not a formula.
    """
    if isinstance(text, str):
        return _weighed(Formula(f.rename(parse_formula(text), check_name), source=source), weight)
    check_expression(text)
    return _weighed(Formula(text, source=source), weight)


def _weighed(constraint: _AnyHard, weight: float | None) -> _AnyHard | Soft:
    return (
        constraint
        if weight is None
        else Soft(constraint, check_weight(weight), source=constraint.source)
    )


def check_weight(weight: object) -> float:
    """A weight as a number above 0, and not more than numbers have room for."""
    value = float(weight) if isinstance(weight, Real) and not isinstance(weight, bool) else 0.0
    if not 0 < value <= HEAVIEST:
        hint = (
            "; leave the weight out where the constraint always holds" if value > HEAVIEST else ""
        )
        raise OntologyError(
            f"a weight is a number above 0, up to {HEAVIEST:g}; got {weight!r}{hint}"
        )
    return value


def hard_ones(constraints: Iterable[Constraint]) -> tuple[Hard, ...]:
    """The constraints that always hold, in their order."""
    return tuple(one for one in constraints if not isinstance(one, Soft))


def soft_ones(constraints: Iterable[Constraint]) -> tuple[Soft, ...]:
    """The others."""
    return tuple(one for one in constraints if isinstance(one, Soft))


def check_constraint(constraint: object) -> Constraint:
    """A constraint as the functions of this module make it; values made by hand may be anything."""
    match constraint:
        case Subsumes(parent, children) | Covers(parent, children):
            _check(_kind(constraint), (parent, *_tuple(constraint, children)), at_least=2)
        case Exclusive(labels) | Equivalent(labels):
            _check(_kind(constraint), _tuple(constraint, labels), at_least=2)
        case ExactlyOne(labels) | AtLeastOne(labels):
            _check(_kind(constraint), _tuple(constraint, labels), at_least=1)
        case Formula(expression):
            check_expression(expression)
        case Soft(Soft(), _):
            raise OntologyError(f"{constraint!r} has two weights; give it one")
        case Soft(inner, weight):
            check_constraint(inner)
            check_weight(weight)
        case _:
            raise OntologyError(
                f"{constraint!r} is not a constraint; make one with implies, exclusive, formula, ..."
            )
    return constraint


def _kind(constraint: Constraint) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(constraint).__name__).lower()


def _tuple(constraint: Constraint, labels: object) -> tuple[str, ...]:
    if not isinstance(labels, tuple):
        raise OntologyError(
            f"{_kind(constraint)} needs a tuple of labels, got {type(labels).__name__} {labels!r}"
        )
    return labels


def _check(kind: str, labels: tuple[str, ...], *, at_least: int) -> tuple[str, ...]:
    """Refuse what can only be a slip: too few labels, a label twice, something that is not a name."""
    for label in labels:
        check_name(label)
    if len(labels) < at_least:
        raise OntologyError(
            f"{kind} needs at least {at_least} labels, got {len(labels)}: {', '.join(labels) or 'none'}"
        )
    if twice := first_repeated(labels):
        raise OntologyError(f"{kind} names the label {twice!r} twice; remove one")
    return labels


def check_name(label: object) -> str:
    """A label name is text that is not empty and has no white space around it."""
    if not isinstance(label, str):
        hint = "; pass the labels one by one" if isinstance(label, Iterable) else ""
        raise OntologyError(
            f"a label name must be text, got {type(label).__name__} {label!r}{hint}"
        )
    if not label.strip():
        raise OntologyError("a label name is empty; give every label a name")
    if label != label.strip() or not label.isprintable():
        raise OntologyError(
            f"the label name {label!r} has white space around it or unprintable characters; clean it"
        )
    return label


def first_repeated(names: Iterable[str]) -> str | None:
    """The first name that occurs a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
