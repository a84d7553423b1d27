"""Relations: labels of pairs, and what ties them to the labels of a pair's ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from ..errors import OntologyError
from . import constraints as c
from . import formula as f
from .constraints import Constraint, Source, check_name
from .syntax import check_expression, parse_formula


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation needs its head and its tail to have certain labels."""

    name: str
    head: f.Expression
    tail: f.Expression
    source: Source | None = c.no_source()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the ends need."""
        return tuple(dict.fromkeys((*f.names(self.head), *f.names(self.tail))))


@dataclass(frozen=True, slots=True)
class Symmetric:
    """If the relation holds of (x, y), it holds of (y, x)."""

    name: str
    source: Source | None = c.no_source()
    labels = ()


@dataclass(frozen=True, slots=True)
class Inverse:
    """The relation holds of (x, y) exactly if the other one holds of (y, x)."""

    name: str
    other: str
    source: Source | None = c.no_source()
    labels = ()


@dataclass(frozen=True, slots=True)
class Functional:
    """At most one tail for each head; with `inverse`, at most one head for each tail."""

    name: str
    inverse: bool = False
    source: Source | None = c.no_source()
    labels = ()


Declared = Relation | Symmetric | Inverse | Functional
#: Whatever ties labels of items, or relations, or both.
Said = Constraint | Declared


def relation(
    name: str,
    head: str | f.Expression,
    tail: str | f.Expression,
    *,
    source: Source | None = None,
) -> Relation:
    """Declare a relation, and the conditions on its head and tail.

    Parameters
    ----------
    name
        The name of the relation.
    head, tail
        A label or a formula such as `person | animal`, which each head or tail satisfies.
    source
        The place where the statement was written, for messages.

    Returns
    -------
    Relation
    """
    ends = [_end(check_name(name), end) for end in (head, tail)]
    return Relation(name, ends[0], ends[1], source=source)


def symmetric(relation: str, *, source: Source | None = None) -> Symmetric:
    """State that a relation of (x, y) also holds of (y, x).

    Parameters
    ----------
    relation
        The name of the relation.
    source
        The place where the statement was written, for messages.

    Returns
    -------
    Symmetric
    """
    return Symmetric(check_name(relation), source=source)


def inverse(relation: str, other: str, *, source: Source | None = None) -> Inverse:
    """State that a relation holds of (x, y) exactly if another one holds of (y, x).

    Parameters
    ----------
    relation, other
        The names of the two relations.
    source
        The place where the statement was written, for messages.

    Returns
    -------
    Inverse
    """
    if check_name(relation) == check_name(other):
        raise OntologyError(
            f"{relation!r} cannot be named as its own inverse; say that it is symmetric"
        )
    return Inverse(relation, other, source=source)


def functional(relation: str, *, inverse: bool = False, source: Source | None = None) -> Functional:
    """State that a relation has at most one tail for each head.

    Parameters
    ----------
    relation
        The name of the relation.
    inverse
        If True, it has at most one head for each tail.
    source
        The place where the statement was written, for messages.

    Returns
    -------
    Functional
    """
    return Functional(check_name(relation), bool(inverse), source=source)


def _end(name: str, end: str | f.Expression) -> f.Expression:
    expression = parse_formula(end) if isinstance(end, str) else end
    check_expression(expression)
    if any(True for _ in f.atoms(expression)):
        raise OntologyError(f"the ends of {name!r} are labels without (x); write only the label")
    return f.rename(expression, check_name)


def check_said(said: object) -> Said:
    """A constraint, or a declaration of a relation, as the functions make them."""
    match said:
        case Relation(name, head, tail):
            relation(name, head, tail)
        case Symmetric(name) | Functional(name, _):
            check_name(name)
        case Inverse(name, other):
            inverse(name, other)
        case _:
            return _checked_rule(c.check_constraint(said))
    return said


def _checked_rule(constraint: Constraint) -> Constraint:
    """A rule about pairs has variables in all its names, and two of them."""
    inner = constraint.constraint if isinstance(constraint, c.Soft) else constraint
    if isinstance(inner, c.Formula) and (atoms := list(f.atoms(inner.expression))):
        where = f" [{constraint.source}]" if constraint.source else ""
        if plain := next((one for one in _all_names(inner.expression) if not one.of), None):
            raise OntologyError(
                f"the rule has {plain.name!r} without a variable{where}; "
                f"write {plain.name}(x) for a label of an end, {plain.name}(x, y) for a relation"
            )
        variables = dict.fromkeys(variable for one in atoms for variable in one.of)
        if len(variables) != 2 or any(len(set(one.of)) < len(one.of) for one in atoms):
            raise OntologyError(
                f"a rule about pairs has two variables, got {', '.join(variables)}{where}; "
                "write a rule about one item without variables"
            )
    return constraint


def _all_names(expression: f.Expression) -> Iterator[f.Name]:
    if isinstance(expression, f.Name):
        yield expression
    for part in f.parts_of(expression):
        yield from _all_names(part)


def is_rule_about_pairs(said: Said) -> bool:
    """Whether this is a formula with variables."""
    inner = said.constraint if isinstance(said, c.Soft) else said
    return isinstance(inner, c.Formula) and any(True for _ in f.atoms(inner.expression))


def divided(
    said: Iterable[Said], labels: Collection[str] = ()
) -> tuple[tuple[Constraint, ...], tuple[Said, ...], tuple[str, ...]]:
    """Constraints on items, all else, which is about pairs, and the relations in order of mention.

    A name is a relation if it is declared as one, has two variables in a rule, or shares a constraint with a relation.
    `labels` are names of items' labels.
    """
    said = tuple(said)
    named = [_relations_and_labels(one) for one in said]
    if not any(related or ends for related, ends, _ in named):
        return said, (), ()  # type: ignore[return-value]  # nothing is declared
    of_items = {*labels, *(name for _, ends, _ in named for name in ends)}
    mentions: dict[str, list[int]] = {}
    for place, (_, _, open_names) in enumerate(named):
        for name in open_names:
            mentions.setdefault(name, []).append(place)
    found: set[str] = set()
    waiting = deque((name, place) for place, one in enumerate(named) for name in one[0])
    while waiting:
        name, place = waiting.popleft()
        if name in of_items:
            raise OntologyError(_both(name, said[place]))
        if name not in found:
            found.add(name)
            waiting.extend(
                (other, tied) for tied in mentions.get(name, ()) for other in named[tied][2]
            )
    relations = dict.fromkeys(
        name for related, _, rest in named for name in (*related, *rest) if name in found
    )
    of_pairs = [
        bool(related or ends) or not found.isdisjoint(rest) for related, ends, rest in named
    ]
    return (
        tuple(one for one, pair in zip(said, of_pairs, strict=True) if not pair),  # type: ignore[misc]  # declared ones are about pairs
        tuple(one for one, pair in zip(said, of_pairs, strict=True) if pair),
        tuple(relations),
    )


def _relations_and_labels(said: Said) -> tuple[list[str], list[str], list[str]]:
    """The names that must be relations, those that must be labels, and those that can be either."""
    match said:
        case Relation(name):
            return [name], list(said.labels), []
        case Inverse(name, other):
            return [name, other], [], []
        case Symmetric(name) | Functional(name):
            return [name], [], []
    if is_rule_about_pairs(said):
        inner = said.constraint if isinstance(said, c.Soft) else said
        atoms = list(f.atoms(inner.expression)) if isinstance(inner, c.Formula) else []
        pairs = dict.fromkeys(one.name for one in atoms if len(one.of) == 2)
        return list(pairs), list(dict.fromkeys(o.name for o in atoms if len(o.of) == 1)), []
    return [], [], list(said.labels)


def _both(name: str, said: Said) -> str:
    where = f" [{said.source}]" if said.source else ""
    return (
        f"{name!r} is a label of items, and a relation here{where}; give them two names. "
        "What a relation needs of its ends is said by relation eats(animal, food) or a rule with variables"
    )
