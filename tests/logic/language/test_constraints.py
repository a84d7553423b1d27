"""Constraints made by hand are checked."""

from __future__ import annotations

import numpy as np
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
        (c.Soft(c.Exclusive(("a",)), 1.0), "exclusive needs at least 2 labels"),
        (
            c.Soft(c.Exclusive(("a", "b")), -1.0),
            "a weight is a number above 0, up to 600; got -1.0",
        ),
        (c.Soft(c.Soft(c.Exclusive(("a", "b")), 1.0), 1.0), "has two weights; give it one"),
    ],
)
def test_constraints_made_by_hand_are_checked(constraint, message):
    with pytest.raises(co.OntologyError) as caught:
        co.Ontology(["a", "b"], [constraint])
    assert message in str(caught.value)


def test_a_weight_makes_any_constraint_soft():
    source = c.Source("zoo.onto", 3)
    assert co.implies("a", "b", weight=3) == c.Soft(c.Subsumes("b", ("a",)), 3.0)
    assert co.subsumes("a", "b", "c", weight=3) == c.Soft(c.Subsumes("a", ("b", "c")), 3.0)
    assert co.covers("a", "b", weight=3) == c.Soft(c.Covers("a", ("b",)), 3.0)
    for make, kind in (
        (co.exclusive, c.Exclusive),
        (co.exactly_one, c.ExactlyOne),
        (co.at_least_one, c.AtLeastOne),
    ):
        assert make("a", "b", weight=0.5) == c.Soft(kind(("a", "b")), 0.5)
        assert make("a", "b") == kind(("a", "b"))
    assert co.equivalent("a", "b", weight=np.float32(2)) == c.Soft(c.Equivalent(("a", "b")), 2.0)
    for text in ("a | b", f.Or((f.Name("a"), f.Name("b")))):
        made = co.formula(text, weight=2, source=source)
        assert made == c.Soft(c.Formula(f.Or((f.Name("a"), f.Name("b")))), 2.0)
        assert (made.source, made.labels) == (source, ("a", "b"))


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), 601, True, "3", [3]])
def test_weights_that_cannot_be(weight):
    with pytest.raises(co.OntologyError, match="a weight is a number above 0, up to 600") as caught:
        co.implies("a", "b", weight=weight)
    assert ("leave the weight out" in str(caught.value)) == (weight in (float("inf"), 601))
