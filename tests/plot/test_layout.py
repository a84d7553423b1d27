"""Where labels are drawn, and what excludes what."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.language.constraints import Constraint
from corollary.plot.layout import above, groups_of, parents_of, places

NAMES = [f"l{n}" for n in range(9)]
pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(
    lambda pair: pair[0] != pair[1]
)


@given(st.lists(pairs, max_size=25))
def test_the_layout_keeps_what_is_implied_and_nothing_overlaps(
    found: list[tuple[str, str]],
) -> None:
    constraints = [co.implies(child, parent) for child, parent in found]
    parents = parents_of(NAMES, constraints)
    # the naive twin: with the pairs that do not close a circle, in their order, the closure is the same
    kept: dict[str, set[str]] = {label: {label} for label in NAMES}
    for child, parent in found:
        if child not in kept[parent]:
            for label in NAMES:
                if child in kept[label]:
                    kept[label] |= kept[parent]
    assert {label: above(label, parents) | {label} for label in NAMES} == kept
    for label, own in parents.items():  # and no parent follows from another
        assert not any(a in above(b, parents) for a in own for b in own if a != b), label
    at = places(parents)
    for a, b in combinations(NAMES, 2):
        assert at[a].column != at[b].column or abs(at[a].row - at[b].row) >= 1
    for label, own in parents.items():
        assert at[label].column == 1 + max((at[parent].column for parent in own), default=-1)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True), max_size=8))
def test_groups_exclude_just_what_the_constraints_do(found: list[list[str]]) -> None:
    constraints: list[Constraint] = [co.exclusive(*labels) for labels in found]
    said = {frozenset(pair) for labels in found for pair in combinations(labels, 2)}
    groups = groups_of(NAMES, constraints)
    assert {frozenset(pair) for group in groups for pair in combinations(group.labels, 2)} == said
    assert len(groups) <= len(found)


def test_pairs_are_joined_and_parts_of_groups_say_less() -> None:
    pairs = [co.exclusive(a, b) for a, b in combinations("abc", 2)]
    assert groups_of("abc", pairs) == [("at most one", ("a", "b", "c"))]
    assert groups_of("ab", [co.exactly_one("a", "b", "c")]) == [("at most one", ("a", "b"))]
    assert groups_of("ab", [co.at_least_one("a", "b", "c"), co.equivalent("a", "b")]) == [
        ("all or none", ("a", "b"))
    ]
