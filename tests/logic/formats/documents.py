"""Random documents with nasty names, and what a document means by listing its legal worlds: the naive twin."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language.notation import Document

NASTY = [
    "rule", "exclusive", "and", "or", "not", "labels", "covered", "covered by", "true", "false", "iff", "implies",
    "equivalent", "exactly one", "at least one", "rule:x", "labels:", "exclusive:a", "a#b", "# a", "a:b", "GO:0000001",
    "semi-aquatic", "3d", "-a", "a-", "a->b", "a > b", "a,b", '"', '"quoted"', "back\\slash", '\\"', "\\", "(a)",
    "~a", "é", "e\u0301", "鸟", "Ünïcode name", "a.b/c:d-e", "http://example.org/x#y", "urn:a:b", "x1", "_", "²", "'",
    "c label 1 x", "child", "parent", "%", "&amp;", "<b>", "{x}", "[Term]", "! a", "a  b",
    "weight", "(weight 3)", "rule (weight 3):", "a (weight 3)", "\U0001f426", "http://www.w3.org/2002/07/owl#Thing",
]  # fmt: skip
PLAIN = ["a", "b", "c", "d", "e"]

nasty_names = st.one_of(
    st.sampled_from(NASTY),
    st.text(min_size=1, max_size=6).filter(
        lambda name: name == name.strip() and name.isprintable() and name
    ),
)


weights = st.floats(0, c.HEAVIEST, exclude_min=True)


def expressions(names: st.SearchStrategy[str]) -> st.SearchStrategy[f.Expression]:
    leaves = st.one_of(names.map(f.Name), st.booleans().map(f.Constant))

    def grow(parts: st.SearchStrategy[f.Expression]) -> st.SearchStrategy[f.Expression]:
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            parts.map(f.Not),
            several.map(f.And),
            several.map(f.Or),
            st.builds(f.Implies, parts, parts),
            st.builds(f.Iff, parts, parts),
        )

    return st.recursive(leaves, grow, max_leaves=8)


@st.composite
def documents(
    draw: st.DrawFn,
    *,
    names: st.SearchStrategy[str] = nasty_names,
    most: int = 5,
    soft: bool = False,
) -> Document:
    """Labels, some of them in no constraint, and constraints of every kind, often neighbours that print as one.

    Where `soft`, some of them have a weight.
    """
    labels = draw(st.lists(names, min_size=2, max_size=most, unique=True))
    one = st.sampled_from(labels)
    found: list[c.Constraint] = []
    for _ in range(draw(st.integers(0, 6))):
        group = tuple(draw(st.permutations(labels))[: draw(st.integers(2, len(labels)))])
        parent, children = group[0], group[1:]
        match draw(st.integers(0, 10)):
            case 0:
                found.append(c.Subsumes(parent, children))
            case 1:
                found.append(c.Covers(parent, children))
            case 2:
                found.append(c.Exclusive(group))
            case 3:
                found.append(c.ExactlyOne(group[draw(st.integers(0, 1)) :]))
            case 4:
                found.append(c.AtLeastOne(group[draw(st.integers(0, 1)) :]))
            case 5:
                found.append(c.Equivalent(group))
            case 6:
                found += [c.Subsumes(parent, children), c.Covers(parent, children)]
            case 7 if len(children) > 1:
                found += [c.Subsumes(parent, children), c.Exclusive(children)]
            case 8 if len(children) > 1:
                found += [
                    c.Subsumes(parent, children),
                    c.Exclusive(children),
                    c.Covers(parent, children),
                ]
            case _:
                found.append(c.Formula(draw(expressions(one))))
    if soft:
        found = [c.Soft(one, draw(weights)) if draw(st.booleans()) else one for one in found]
    return Document(tuple(labels), tuple(found))


def holds(constraint: c.Constraint, world: dict[str, bool]) -> bool:
    """What each kind of constraint says, word for word."""
    on = [world[label] for label in constraint.labels]
    match constraint:
        case c.Subsumes():
            return all(on[0] or not child for child in on[1:])
        case c.Covers():
            return not on[0] or any(on[1:])
        case c.Exclusive():
            return sum(on) <= 1
        case c.ExactlyOne():
            return sum(on) == 1
        case c.AtLeastOne():
            return sum(on) >= 1
        case c.Equivalent():
            return all(on) or not any(on)
        case c.Formula(expression):
            return f.evaluate(expression, world)


def worlds(document: Document) -> set[frozenset[str]]:
    """The legal worlds, each as the set of its true labels."""
    every = [
        dict(zip(document.labels, values, strict=True))
        for values in product([False, True], repeat=len(document.labels))
    ]
    return {
        frozenset(label for label in world if world[label])
        for world in every
        if all(holds(constraint, world) for constraint in document.constraints)
    }
