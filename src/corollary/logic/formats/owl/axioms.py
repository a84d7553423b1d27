"""Class axioms as constraints: the most telling constraint where one fits, a formula where none does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, permutations, product

from ...language import constraints as c
from ...language import formula as f

Pair = tuple[f.Expression, f.Expression]
#: Class expressions that exclude each other are written as pairs, up to this many.
MAX_PAIRS = 1_000


def subclass(low: f.Expression, high: f.Expression) -> list[c.Hard]:
    """Whatever is `low` is `high`."""
    low = simplified(low)
    high = simplified(high)
    if low in (high, f.FALSE) or high == f.TRUE:
        return []
    if high == f.FALSE:
        return [c.Formula(f.FALSE if low == f.TRUE else f.Not(low))]
    lower = _any_of(low)
    upper = _any_of(high)
    if isinstance(high, f.Name) and lower:
        return _some(c.Subsumes(high.name, tuple(name for name in lower if name != high.name)))
    if low == f.TRUE:
        return [c.AtLeastOne(upper) if upper else c.Formula(high)]
    if isinstance(low, f.Name) and upper:
        return [] if low.name in upper else [c.Covers(low.name, upper)]
    return [c.Formula(f.Implies(low, high))]


def same(a: f.Expression, b: f.Expression) -> list[c.Hard]:
    """Whatever is `a` is `b`, and the other way round."""
    a = simplified(a)
    b = simplified(b)
    if a == b:
        return []
    if isinstance(a, f.Constant):
        a, b = b, a
    if isinstance(b, f.Constant):
        return subclass(f.TRUE, a) if b.value else subclass(a, f.FALSE)
    if isinstance(a, f.Name) and isinstance(b, f.Name):
        return [c.Equivalent((a.name, b.name))]
    if not isinstance(a, f.Name):
        a, b = b, a
    parts = _any_of(b)
    if isinstance(a, f.Name) and parts and a.name not in parts:
        return [c.Subsumes(a.name, parts), c.Covers(a.name, parts)]
    return [c.Formula(f.Iff(a, b))]


def disjoint(parts: Iterable[f.Expression]) -> list[c.Hard]:
    """Nothing is two of the parts. A part that is there twice can have nothing in it."""
    count = Counter(part for part in map(simplified, parts) if part != f.FALSE)
    names = [part for part in count if isinstance(part, f.Name)]
    found: list[c.Hard] = (
        [c.Exclusive(tuple(part.name for part in names))] if len(names) >= 2 else []
    )
    for part, times in count.items():
        if times > 1:
            found += subclass(part, f.FALSE)
    others = [part for part in count if not isinstance(part, f.Name)]
    few = len(count) * len(others) <= MAX_PAIRS
    pairs = _pairs(names, others) if few else _halves([f.Or(tuple(names)), *others])
    return found + [constraint for pair in pairs for constraint in subclass(f.And(pair), f.FALSE)]


def _pairs(names: Sequence[f.Expression], others: Sequence[f.Expression]) -> Iterator[Pair]:
    """Any two of the parts, but for two names."""
    return chain(product(names, others), combinations(others, 2))


def _halves(parts: list[f.Expression]) -> Iterator[Pair]:
    """Pairs that exclude each other if and only if any two of the parts do: n log n in all where pairs would be n²."""
    if len(parts) > 1:
        middle = len(parts) // 2
        yield f.Or(tuple(parts[:middle])), f.Or(tuple(parts[middle:]))
        yield from _halves(parts[:middle])
        yield from _halves(parts[middle:])


def disjoint_union(whole: f.Expression, parts: Sequence[f.Expression]) -> list[c.Hard]:
    """The whole is its parts together, and nothing is two of them."""
    union = same(whole, f.Or(tuple(parts)))
    apart = disjoint(parts)
    return [
        *union[:1],
        *apart,
        *union[1:],
    ]  # subsumes, exclusive, covers: as the notation says `exactly one`


def simplified(expression: f.Expression) -> f.Expression:
    """Without constants inside, single parts and repeated parts."""
    match expression:
        case f.Not(part):
            part = simplified(part)
            return f.Constant(not part.value) if isinstance(part, f.Constant) else f.Not(part)
        case f.And(parts):
            return _joined(f.And, parts, neutral=f.TRUE)
        case f.Or(parts):
            return _joined(f.Or, parts, neutral=f.FALSE)
    return expression


def _joined(
    kind: type[f.And] | type[f.Or], parts: tuple[f.Expression, ...], *, neutral: f.Constant
) -> f.Expression:
    absorbing = f.Constant(not neutral.value)
    kept = dict.fromkeys(part for part in map(simplified, parts) if part != neutral)
    if absorbing in kept:
        return absorbing
    return neutral if not kept else next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


def _any_of(expression: f.Expression) -> tuple[str, ...]:
    """The names of a name or of a disjunction of names; empty for anything else."""
    parts = expression.parts if isinstance(expression, f.Or) else (expression,)
    names = tuple(part.name for part in parts if isinstance(part, f.Name))
    return names if len(names) == len(parts) else ()


def _some(constraint: c.Subsumes) -> list[c.Hard]:
    return [constraint] if constraint.children else []


def renamed(constraint: c.Hard, to: Callable[[str], str]) -> c.Hard:
    """The same constraint over other names, with the same source."""
    match constraint:
        case c.Subsumes(parent, children):
            return replace(constraint, parent=to(parent), children=tuple(map(to, children)))
        case c.Covers(parent, children):
            return replace(constraint, parent=to(parent), children=tuple(map(to, children)))
        case c.Formula(expression):
            return replace(constraint, expression=f.rename(expression, to))
    return replace(constraint, labels=tuple(map(to, constraint.labels)))


def without_retired(
    constraints: Iterable[c.Hard], retired: Container[str]
) -> tuple[list[c.Hard], list[c.Hard]]:
    """The constraints between other terms, and those that mention a retired one.

    A subsumption that passes through retired terms is kept: its ends are linked instead.
    """
    kept: list[c.Hard] = []
    dropped: list[c.Hard] = []
    above: dict[str, dict[str, None]] = {}
    for constraint in constraints:
        if not any(name in retired for name in constraint.labels):
            kept.append(constraint)
            continue
        dropped.append(constraint)
        for child, parent in _edges(constraint):
            above.setdefault(child, {})[parent] = None
    for child in above:
        if child not in retired:
            reached = _reached(child, above, retired)
            kept += [c.Subsumes(parent, (child,)) for parent in reached if parent != child]
    return kept, dropped


def _edges(constraint: c.Hard) -> Iterator[tuple[str, str]]:
    """The pairs (child, parent) of a constraint that says nothing but subsumption."""
    if isinstance(constraint, c.Subsumes):
        yield from ((child, constraint.parent) for child in constraint.children)
    elif isinstance(constraint, c.Equivalent):
        yield from permutations(constraint.labels, 2)


def _reached(
    child: str, above: dict[str, dict[str, None]], retired: Container[str]
) -> dict[str, None]:
    """The first terms above this one that are not retired."""
    found: dict[str, None] = {}
    seen = {child}
    open_ones = [child]
    while open_ones:
        for parent in above.get(open_ones.pop(), ()):
            if parent not in retired:
                found[parent] = None
            elif parent not in seen:
                seen.add(parent)
                open_ones.append(parent)
    return found
