"""Constraints and facts in the words that people read."""

from __future__ import annotations

import pytest

from corollary.logic.language import constraints as c
from corollary.logic.wording import fact_in_words, in_words, listed

MANY = tuple(f"l{k}" for k in range(9))


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (c.implies("bird", "animal"), "bird implies animal"),
        (c.subsumes("animal", "bird", "fish"), "each of bird, fish implies animal"),
        (c.covers("animal", "bird", "fish"), "every animal is bird or fish"),
        (c.covers("animal", *MANY), "every animal is one of 9 labels (l0, l1, l2, ...)"),
        (c.exclusive("bird", "fish"), "at most one of bird, fish"),
        (c.exactly_one("bird", "fish"), "exactly one of bird, fish"),
        (c.at_least_one("bird", "fish"), "at least one of bird, fish"),
        (c.equivalent("a", "b", "c"), "a, b and c are the same"),
        (c.formula("penguin >> ~flies"), "penguin >> ~flies"),
        (c.implies("bird", "animal", source=c.Source("zoo.onto", 3)), "bird implies animal [zoo.onto:3]"),
    ],
)
def test_every_kind_has_its_words(constraint, words):
    assert in_words(constraint) == words


def test_labels_that_matter_are_named():
    assert in_words(c.subsumes("animal", *MANY), about=["l7"]) == "l7 implies animal"
    assert in_words(c.exclusive(*MANY), about=["l7", "l5"]) == "at most one of 9 labels (l5, l7, l0, ...)"
    assert in_words(c.equivalent(*MANY), about=["l7", "l5"]) == "l5 and l7 are the same"


def test_facts_and_lists():
    assert (fact_in_words("bird", True), fact_in_words("bird", False)) == ("bird is yes", "bird is no")
    assert listed(["a"], noun="items") == "a"
    assert listed(iter("abc"), noun="items", last=" or ") == "a, b or c"
    assert listed(map(str, range(1200)), noun="items") == "1,200 items (0, 1, 2, ...)"
