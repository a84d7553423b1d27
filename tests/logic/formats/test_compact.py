"""Documents in fewer words mean the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.formats.compact import compact
from corollary.logic.language.constraints import Exclusive, Subsumes
from corollary.logic.language.notation import parse, render

from ..reasoning.test_entailment import allowed
from .documents import PLAIN, documents


@settings(deadline=None)
@given(documents(names=st.sampled_from(PLAIN), most=4))
def test_they_mean_the_same_and_say_it_once(long):
    short = compact(long)
    assert set(short.labels) == set(long.labels)
    assert allowed(short) == allowed(long)
    assert len(short.constraints) <= len(long.constraints)
    parents = [one.parent for one in short.constraints if isinstance(one, Subsumes)]
    assert len(parents) == len(set(parents))
    assert compact(short) == short
    assert parse(render(short)) == short


def test_a_statement_for_each_parent():
    long = parse(
        "b > b1\na > a1\nb > b2\na > a2\nexclusive: a2, a1\nexclusive: a, b\na covered by a2, a1"
    )
    assert render(compact(long)) == "b > b1, b2\na > exactly one: a1, a2\nexclusive: a, b\n"


def test_soft_constraints_stay_apart_and_count_as_often_as_they_are_said():
    long = parse("a > b\na (weight 2) > c\na > c\na (weight 2) > c\nexclusive (weight 1): b, c")
    assert (
        render(compact(long))
        == "a > b, c\na (weight 2) > c\na (weight 2) > c\nexclusive (weight 1): b, c\n"
    )


def test_labels_that_stand_alone_and_places_are_kept():
    long = parse("labels: c, a, b\na > b", file="zoo.onto")
    short = compact(long)
    assert short.labels == ("a", "b", "c")
    assert str(short.constraints[0].source) == "zoo.onto:2"
    assert compact(parse("exclusive: a, b")).constraints == (Exclusive(("a", "b")),)
    assert co.Ontology.parse(render(short)).labels == short.labels
