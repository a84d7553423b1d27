"""Where labels are under another version: moves one after another, and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.labels.label_moves import LabelMoves, Moves

LABELS = ("a", "b", "c", "d")
names = st.sampled_from(LABELS)


@st.composite
def moves(draw):
    same = draw(st.dictionaries(names, st.one_of(st.none(), names), max_size=3))
    wider = draw(st.dictionaries(names, names, max_size=2))
    return Moves({k: v for k, v in same.items() if k not in wider}, wider)


@given(moves(), moves(), names)
def test_moves_one_after_another_are_those_of_each_label(one, other, label):
    both = one.then(other)
    between = one.target(label)
    assert both.target(label) == (None if between is None else other.target(between))
    means_the_same = one.label(label)
    if both.label(label) is not None:
        assert both.label(label) == other.label(str(means_the_same))


@given(st.permutations(LABELS))
def test_renamed_labels_go_back(order):
    onto = co.Ontology(LABELS)
    there = Moves(dict(zip(LABELS, order, strict=True)))
    back = there.back(onto, onto)
    assert [back.label(there.label(label)) for label in LABELS] == list(LABELS)


def test_a_label_that_took_in_another_goes_back_to_itself():
    old, new = co.Ontology(["a", "b", "x"]), co.Ontology(["b", "x"])
    assert Moves({"x": None}, {"a": "b"}).back(old, new) == Moves({"x": None})
    assert Moves({"a": "b"}).back(old, new) == Moves()


def test_versions_are_related_over_the_one_that_both_followed():
    ontologies = {n: co.Ontology([label]) for n, label in enumerate("abc", start=1)}
    found = LabelMoves(ontologies)
    found.add(2, 1, {"same": {"a": "b"}})
    found.add(3, 1, {"same": {"a": "c"}})  # after the second was taken back
    assert found.between(1, 3).label("a") == "c"
    assert found.between(2, 3).label("b") == "c"
    assert found.between(3, 2).label("c") == "b"
    assert found.moved(ontologies[3]) == {1, 2}
    assert LabelMoves(ontologies).moved(ontologies[3]) == frozenset()
