"""Unit propagation is never wrong, and complete where all clauses have two literals."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corollary.logic.compiled.implication import Implications
from corollary.logic.language.constraints import exclusive, implies
from corollary.logic.solving.clauses import to_clauses

from ..ontologies import entailed, facts_of, ontologies, worlds

PAIRS = ("subsumes", "exclusive", "equivalent")


def as_row(labels, facts):
    return np.array([[facts.get(label, -1) for label in labels]], np.int8)


@settings(max_examples=80)
@given(ontologies(max_labels=6), st.data())
def test_what_is_propagated_is_entailed(ontology, data):
    labels, constraints = ontology
    facts = data.draw(facts_of(labels))
    found, clash = Implications(to_clauses(labels, constraints)).propagate(as_row(labels, facts))
    expected = entailed(worlds(labels, constraints), labels, facts)
    if clash[0]:
        assert expected is None
    elif expected is not None:
        told = {
            label: bool(value) for label, value in zip(labels, found[0], strict=True) if value >= 0
        }
        assert facts.items() <= told.items() <= expected.items()


@settings(max_examples=80)
@given(ontologies(max_labels=6, kinds=PAIRS), st.data())
def test_on_pairs_with_what_is_forced_nothing_is_missed(ontology, data):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    implications = Implications(to_clauses(labels, constraints))
    forced = implications.forced()
    assert forced is not None  # all of these are true where everything is off
    assert forced.tolist() == as_row(labels, entailed(legal, labels, {})).tolist()[0]
    facts = data.draw(facts_of(labels))
    expected = entailed(legal, labels, facts)
    assume(expected is not None)
    found, clash = implications.given_also(forced).propagate(as_row(labels, facts))
    assert not clash[0]
    assert found.tolist() == as_row(labels, expected).tolist()


def test_rows_do_not_influence_one_another():
    labels = ["a", "b", "c"]
    implications = Implications(to_clauses(labels, [implies("b", "a"), exclusive("b", "c")]))
    found, clash = implications.propagate(np.array([[-1, 1, -1], [0, -1, -1], [-1, 1, 1]], np.int8))
    assert found[:2].tolist() == [[1, 1, 0], [0, 0, -1]]
    assert clash.tolist() == [False, False, True]
