"""Propositional expressions over label names: a small immutable syntax tree and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

#: A literal over names: (name, whether it is positive). A clause is a set of them, one of which must hold.
Literal = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Name:
    """The label of this name is true; `of` has the variables in a rule about pairs, such as `eats(x, y)`."""

    name: str
    of: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    """The part is false."""

    part: Expression


@dataclass(frozen=True, slots=True)
class And:
    """All parts are true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part is true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """If the first then the second."""

    condition: Expression
    consequence: Expression


@dataclass(frozen=True, slots=True)
class Iff:
    """Both or neither."""

    left: Expression
    right: Expression


Expression = Name | Constant | Not | And | Or | Implies | Iff

TRUE = Constant(True)
FALSE = Constant(False)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """The direct sub-expressions, left to right."""
    match expression:
        case Not(part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Implies(a, b) | Iff(a, b):
            return (a, b)
    return ()


def names(expression: Expression) -> Iterator[str]:
    """Label names in order of mention, with repetitions."""
    if isinstance(expression, Name):
        yield expression.name
    for part in parts_of(expression):
        yield from names(part)


def atoms(expression: Expression) -> Iterator[Name]:
    """The names of a rule about pairs, with their variables, in order of mention."""
    if isinstance(expression, Name) and expression.of:
        yield expression
    for part in parts_of(expression):
        yield from atoms(part)


def evaluate(expression: Expression, world: Mapping[str, bool]) -> bool:
    """Whether the expression holds when every name has a value."""
    match expression:
        case Name(name):
            return world[name]
        case Constant(value):
            return value
        case Not(part):
            return not evaluate(part, world)
        case And(parts):
            return all(evaluate(p, world) for p in parts)
        case Or(parts):
            return any(evaluate(p, world) for p in parts)
        case Implies(a, b):
            return not evaluate(a, world) or evaluate(b, world)
        case Iff(a, b):
            return evaluate(a, world) == evaluate(b, world)


def rename(expression: Expression, to: Callable[[str], str]) -> Expression:
    """The same expression over other names."""
    return replace(expression, lambda name: Name(to(name.name), name.of))


def replace(expression: Expression, by: Callable[[Name], Expression]) -> Expression:
    """The same expression with something else in the place of each name."""
    match expression:
        case Name():
            return by(expression)
        case Constant():
            return expression
        case Not(part):
            return Not(replace(part, by))
        case And(parts):
            return And(tuple(replace(p, by) for p in parts))
        case Or(parts):
            return Or(tuple(replace(p, by) for p in parts))
        case Implies(a, b):
            return Implies(replace(a, by), replace(b, by))
        case Iff(a, b):
            return Iff(replace(a, by), replace(b, by))


def simplify(expression: Expression, values: Mapping[str, bool]) -> Expression:
    """The expression with some names replaced by their values, constants folded away and And, Or flattened."""
    match expression:
        case Name(name):
            return Constant(values[name]) if name in values else expression
        case Constant():
            return expression
        case Not(part):
            part = simplify(part, values)
            match part:
                case Constant(value):
                    return Constant(not value)
                case Not(inner):
                    return inner
            return Not(part)
        case And(parts):
            return _join(And, parts, values, neutral=TRUE)
        case Or(parts):
            return _join(Or, parts, values, neutral=FALSE)
        case Implies(a, b):
            return simplify(Or((Not(a), b)), values)
        case Iff(a, b):
            a = simplify(a, values)
            b = simplify(b, values)
            if isinstance(b, Constant):
                a, b = b, a
            if isinstance(a, Constant):
                return b if a.value else simplify(Not(b), {})
            return TRUE if a == b else Iff(a, b)


def _join(
    kind: type[And] | type[Or],
    parts: tuple[Expression, ...],
    values: Mapping[str, bool],
    *,
    neutral: Constant,
) -> Expression:
    kept: dict[Expression, None] = {}
    for part in parts:
        part = simplify(part, values)
        if isinstance(part, Constant):
            if part != neutral:
                return part
        else:
            kept.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    if not kept:
        return neutral
    return next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """Formulas that say the same together: a wide one in parts, each small enough for clauses."""
    match expression:
        case And(parts):
            for part in parts:
                yield from conjuncts(part)
        case Implies(Name() | Not(Name()) as condition, And(parts)):
            for part in parts:
                yield from conjuncts(Implies(condition, part))
        case Implies(Or(parts), Name() | Not(Name()) as consequence):
            for part in parts:
                yield from conjuncts(Implies(part, consequence))
        case _:
            yield expression


def clauses(expression: Expression, limit: int) -> list[frozenset[Literal]] | None:
    """The expression as a conjunction of clauses over its own names, or None past `limit` clauses.

    No name is added, so the form is exact for every question, the information gain included. Tautologies are
    dropped and a clause that another one makes needless is removed.
    """
    found = _cnf(expression, True, limit, {})
    if found is None:
        return None
    minimal = [c for c in found if not any(other < c for other in found)]
    return sorted(minimal, key=lambda c: (len(c), sorted(c)))


def _cnf(
    expression: Expression, positive: bool, limit: int, known: Known
) -> set[frozenset[Literal]] | None:
    """Clauses of the expression, or of its negation where `positive` is False.

    An equivalence needs both forms of both sides; `known` has those of each equivalence, or nested ones would take
    exponential time.
    """
    match expression:
        case Name(name):
            return {frozenset({(name, positive)})}
        case Constant(value):
            return set() if value == positive else {frozenset()}
        case Not(part):
            return _cnf(part, not positive, limit, known)
        case And(parts):
            return (_all if positive else _any)(
                [_cnf(p, positive, limit, known) for p in parts], limit
            )
        case Or(parts):
            return (_any if positive else _all)(
                [_cnf(p, positive, limit, known) for p in parts], limit
            )
        case Implies(a, b):
            return (_any if positive else _all)(
                [_cnf(a, not positive, limit, known), _cnf(b, positive, limit, known)], limit
            )
        case Iff(a, b):
            if id(expression) not in known:
                a_no = _cnf(a, False, limit, known)
                a_yes = _cnf(a, True, limit, known)
                b_no = _cnf(b, False, limit, known)
                b_yes = _cnf(b, True, limit, known)
                differ = _all([_any([a_yes, b_yes], limit), _any([a_no, b_no], limit)], limit)
                same = _all([_any([a_no, b_yes], limit), _any([a_yes, b_no], limit)], limit)
                known[id(expression)] = (differ, same)
            return known[id(expression)][positive]


ClauseSets = list[set[frozenset[Literal]] | None]
Known = dict[int, tuple[set[frozenset[Literal]] | None, set[frozenset[Literal]] | None]]


def _all(sets: ClauseSets, limit: int) -> set[frozenset[Literal]] | None:
    """Conjunction: the union of the clauses."""
    union: set[frozenset[Literal]] = set()
    for found in sets:
        if found is None:
            return None
        union |= found
    return union if len(union) <= limit else None


def _any(sets: ClauseSets, limit: int) -> set[frozenset[Literal]] | None:
    """Disjunction: the product of the clauses, without tautologies."""
    product: set[frozenset[Literal]] = {frozenset()}
    for found in sets:
        if found is None or len(product) * len(found) > 16 * limit:
            return None
        joined = {a | b for a in product for b in found}
        product = {c for c in joined if not any((name, not positive) in c for name, positive in c)}
        if len(product) > limit:
            return None
    return product
