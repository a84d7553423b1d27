"""Axioms as constraints: disjoint classes by pairs and by halves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.formats import owl
from corollary.logic.formats.owl import axioms
from corollary.logic.language.constraints import Equivalent, Exclusive, Subsumes
from corollary.logic.language.notation import Document

from ....fuzz.frame import within
from ..documents import PLAIN, expressions, worlds
from ..turtles import turtle


@pytest.mark.slow
def test_many_disjoint_classes_are_one_constraint_at_once():
    names = tuple(f"c{k}" for k in range(28_000))
    with within(60):  # rdflib alone takes seconds
        data, _ = owl.write(Document(names, (Exclusive(names),)), serialisation="nt")
        assert owl.read(data, file="t", serialisation="nt").constraints == (Exclusive(names),)


def test_many_disjoint_expressions_stay_few():
    members = " ".join(f"[ owl:intersectionOf ( :a{k} :b{k} ) ]" for k in range(300))
    found = turtle(f"[] a owl:AllDisjointClasses ; owl:members ( :x :y {members} ) .")
    assert len(found.constraints) == 301
    assert sum(len(c.labels) for c in found.constraints) < 10_000


@given(st.lists(expressions(st.sampled_from(PLAIN)), max_size=6))
@settings(max_examples=50)
def test_disjoint_by_halves_says_what_pairs_say(parts):
    pairs = axioms.disjoint(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axioms, "MAX_PAIRS", -1)
        halves = axioms.disjoint(parts)
    assert worlds(Document(tuple(PLAIN), tuple(halves))) == worlds(
        Document(tuple(PLAIN), tuple(pairs))
    )


RETIRED = ("d", "e")


@given(
    st.lists(
        st.one_of(
            st.lists(st.sampled_from(PLAIN), min_size=2, max_size=2, unique=True).map(
                lambda pair: Subsumes(pair[0], (pair[1],))
            ),
            st.lists(st.sampled_from(PLAIN), min_size=2, max_size=3, unique=True).map(
                lambda labels: Equivalent(tuple(labels))
            ),
        ),
        max_size=8,
    )
)
@settings(max_examples=150)
def test_what_passes_through_retired_terms_still_holds(constraints):
    live = tuple(name for name in PLAIN if name not in RETIRED)
    kept, dropped = axioms.without_retired(constraints, RETIRED)
    assert not {name for one in kept for name in one.labels} & {*RETIRED}
    assert all({*one.labels} & {*RETIRED} for one in dropped)
    expected = {world - {*RETIRED} for world in worlds(Document(tuple(PLAIN), tuple(constraints)))}
    assert worlds(Document(live, tuple(kept))) == expected
