"""The SAT solver against the list of all legal worlds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.solving.clauses import Clauses, to_clauses
from corollary.logic.solving.sat import Solver

from ..ontologies import entailed, facts_of, ontologies, random_ontology, worlds


def literals(labels: list[str], facts: dict[str, bool]) -> list[int]:
    return [2 * labels.index(label) + (not value) for label, value in facts.items()]


def check_backbone(
    labels: list[str], constraints: list[c.Constraint], facts: dict[str, bool]
) -> None:
    expected = entailed(worlds(labels, constraints), labels, facts)
    clauses = to_clauses(labels, constraints)
    for selectors in (False, True):
        solver = Solver(clauses, selectors=selectors)
        for _ in range(2):  # a question leaves no trace
            found = solver.backbone(literals(labels, facts))
            assert found == (None if expected is None else set(literals(labels, expected)))
        assert solver.satisfiable(literals(labels, facts)) == (expected is not None)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_backbone_is_what_all_worlds_share(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies())
    check_backbone(labels, constraints, data.draw(facts_of(labels)))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_only_some_constraints(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies(max_labels=6))
    facts = data.draw(facts_of(labels))
    kept = data.draw(st.sets(st.integers(0, len(constraints) - 1))) if constraints else set()
    solver = Solver(to_clauses(labels, constraints))
    left = worlds(labels, [constraints[i] for i in kept])
    possible = entailed(left, labels, facts) is not None
    assert solver.satisfiable(literals(labels, facts), only=kept) == possible
    dropped = set(range(len(constraints))) - kept
    assert solver.satisfiable(literals(labels, facts), without=dropped) == possible
    clash = solver.clash(literals(labels, facts), only=kept)
    assert (clash is None) == possible
    if clash:
        assert set(clash[1]) <= kept
        assert not solver.satisfiable(clash[0], only=clash[1])


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_minimal_clash(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies(max_labels=6))
    facts = data.draw(facts_of(labels))
    if entailed(worlds(labels, constraints), labels, facts) is not None:
        return
    owners = Solver(to_clauses(labels, constraints)).minimal_clash(
        literals(labels, facts), range(len(constraints))
    )
    chosen = [constraints[i] for i in owners]
    assert entailed(worlds(labels, chosen), labels, facts) is None
    for i in range(len(chosen)):
        assert entailed(worlds(labels, chosen[:i] + chosen[i + 1 :]), labels, facts) is not None


def test_world_is_legal() -> None:
    for seed in range(100):
        labels, constraints = random_ontology(np.random.default_rng(seed), 6, 6)
        legal = worlds(labels, constraints)
        found = Solver(to_clauses(labels, constraints)).world(len(labels))
        assert (found is None) == (len(legal) == 0)
        if found is not None:
            assert (legal == np.array(found)).all(axis=1).any()


def test_a_part_of_the_clauses_and_a_label_that_none_mentions() -> None:
    part = Clauses(3, 3, [((1, 2), 7)])
    solver = Solver(part)
    assert solver.backbone([0, 5]) == {0, 2, 5}
    assert solver.clash([0, 3, 5]) == ([0, 3], [7])
    assert solver.satisfiable([0, 3], without=[7])


def test_an_empty_clause_is_unsatisfiable() -> None:
    clauses = to_clauses(["a"], [c.Formula(f.FALSE)])
    assert Solver(clauses, selectors=False).backbone() is None
    assert Solver(clauses).clash([0]) == ([], [0])
