"""Constraints made by hand are checked."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (c.Exclusive("ab"), "exclusive needs a tuple of labels, got str 'ab'"),
        (c.Exclusive(["a", "b"]), "exclusive needs a tuple of labels, got list"),
        (c.AtLeastOne(None), "at_least_one needs a tuple of labels, got NoneType"),
        (c.ExactlyOne(()), "exactly_one needs at least 1 labels"),
        (c.Exclusive(("a", "a")), "exclusive names the label 'a' twice"),
        (c.Subsumes("a", "b"), "subsumes needs a tuple of labels, got str 'b'"),
        (c.Covers(["a"], ("b",)), "a label name must be text, got list"),
        (c.Formula("a"), "'a' is not a part of a formula"),
        (c.Formula(f.And(None)), "is not a part of a formula"),
        (c.Formula(f.Name(["a"])), "is not a part of a formula"),
        ("a > b", "'a > b' is not a constraint"),
    ],
)
def test_constraints_made_by_hand_are_checked(constraint, message):
    with pytest.raises(co.OntologyError) as caught:
        co.Ontology(["a", "b"], [constraint])
    assert message in str(caught.value)
