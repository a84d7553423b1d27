"""What follows from an ontology, against listing all worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.reasoning import entailment
from corollary.logic.reasoning.entailment import Implication, implications

from ..formats.documents import PLAIN, documents
from ..ontologies import worlds

plain = documents(names=st.sampled_from(PLAIN), most=4)


def allowed(document):
    """The legal worlds, as sets of the labels that are on: what a document means."""
    found = worlds(document.labels, document.constraints)
    return {frozenset(np.array(document.labels)[world].tolist()) for world in found}


@settings(deadline=None)
@given(plain, plain)
def test_the_same_if_and_only_if_they_allow_the_same_worlds(one, other):
    ontos = [co.Ontology(each.labels, each.constraints) for each in (one, other)]
    same = set(one.labels) == set(other.labels) and allowed(one) == allowed(other)
    assert ontos[0].same_as(ontos[1]) is same
    assert ontos[1].same_as(ontos[0]) is same
    assert all(onto.same_as(onto) for onto in ontos)


def test_soft_constraints_must_be_written_alike():
    one = co.Ontology.parse("a > b\nrule (weight 1): c\nrule (weight 2): a")
    assert one.same_as(co.Ontology.parse("rule (weight 2): a\nrule (weight 1): c\nrule: b >> a"))
    assert not one.same_as(co.Ontology.parse("a > b\nrule (weight 1): c\nrule (weight 1): a"))
    assert not one.same_as(co.Ontology.parse("labels: a, b, c\na > b\nrule (weight 1): c"))


def test_written_at_length_and_compactly(monkeypatch):
    long = co.Ontology.parse(
        "labels: cat, dog, animal\nanimal > cat\nanimal > dog\nrule: ~(cat & dog)"
    )
    short = co.Ontology.parse("animal > exclusive: cat, dog")
    assert long != short
    assert long.same_as(short)
    assert not long.same_as(co.Ontology.parse("animal > cat, dog"))
    monkeypatch.setattr(entailment, "CELLS", 1)  # row by row
    assert short.same_as(long)
    with pytest.raises(co.OntologyError, match="with another, got str"):
        long.same_as("animal > cat")


def test_constraints_as_implications():
    assert list(implications(co.covers("a", "b", "c"))) == [
        Implication({"a": True, "b": False}, {"c": True})
    ]
    assert list(implications(co.equivalent("a", "b"))) == [
        Implication({"a": True}, {"b": True}),
        Implication({"b": True}, {"a": True}),
    ]
    assert list(implications(co.formula("a >> b"))) == []
