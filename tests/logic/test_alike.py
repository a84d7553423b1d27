"""Names that are almost the same: against a plain comparison of all pairs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.logic.lint import SHORTEST, alike


def left_out(name: str) -> set[str]:
    """The name, and the name without one of its letters."""
    return {name} | {name[:i] + name[i + 1 :] for i in range(len(name))}


@given(st.lists(st.text("abC", min_size=3, max_size=7), unique=True, max_size=12))
def test_all_pairs(labels):
    expected = [
        (one, other)
        for one, other in combinations(labels, 2)
        if min(len(one), len(other)) >= SHORTEST and left_out(one.casefold()) & left_out(other.casefold())
    ]
    assert alike(labels, []) == expected


def test_a_slip_is_told_by_lint():
    onto = co.Ontology.parse("course > exclusive: starter, dessert\nrule: desert >> sweet")
    (finding,) = onto.lint()
    assert (finding.kind, finding.severity, finding.labels) == ("alike", "info", ("dessert", "desert"))
    assert co.Ontology.parse("exclusive: dessert, desert").lint() == []  # whoever wrote this meant both


def test_codes_and_short_names_are_left_alone():
    assert alike(["GO:00001", "GO:00002", "cat", "car", "class 1", "class 2"], []) == []
    assert alike(["main dish", "Main_dish"], []) == [("main dish", "Main_dish")]
