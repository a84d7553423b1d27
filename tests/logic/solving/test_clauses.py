"""Constraints as clauses mean what the constraints mean, by listing all assignments of labels and helpers."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.solving.clauses import PAIRS_UP_TO, no, to_clauses, yes

from ..ontologies import ontologies, worlds


def naive_worlds(clauses):
    """Assignments of the labels for which the helpers can be chosen so that every clause and circuit holds."""
    found = set()
    for values in product((False, True), repeat=clauses.n_variables):
        labels = values[: clauses.n_labels]
        named = {str(k): value for k, value in enumerate(labels)}
        if all(
            any(values[x >> 1] != (x & 1) for x in literals) for literals, _ in clauses.clauses
        ) and all(f.evaluate(circuit, named) for circuit, _ in clauses.circuits):
            found.add(labels)
    return found


@settings(max_examples=60)
@given(ontologies(max_labels=5, max_constraints=5))
def test_clauses_have_the_worlds_of_the_constraints(ontology):
    labels, constraints = ontology
    legal = {tuple(map(bool, world)) for world in worlds(labels, constraints)}
    assert naive_worlds(to_clauses(labels, constraints)) == legal


@pytest.mark.parametrize("size", [2, PAIRS_UP_TO, PAIRS_UP_TO + 1, 9])
def test_at_most_one_of_many_stays_linear(size):
    labels = [f"l{k}" for k in range(size)]
    found = to_clauses(labels, [c.exclusive(*labels)])
    assert found.groups == [(tuple(range(size)), 0)]
    assert len(found.clauses) <= max(3 * size, PAIRS_UP_TO * (PAIRS_UP_TO - 1) // 2)
    assert len(naive_worlds(found)) == size + 1


def test_every_clause_knows_its_constraint():
    found = to_clauses(["a", "b", "c"], [c.implies("b", "a"), c.at_least_one("a", "c")])
    assert found.clauses == [((no(1), yes(0)), 0), ((yes(0), yes(2)), 1)]
