"""Derivations and the search for worlds against the list of all legal worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.language.constraints import Constraint
from corollary.logic.solving.clauses import to_clauses
from corollary.logic.solving.deduction import ClauseIndex, Search
from corollary.logic.solving.sat import Solver

from ..ontologies import entailed, facts_of, ontologies, random_ontology, worlds


def literals(labels: list[str], facts: dict[str, bool]) -> list[int]:
    return [2 * labels.index(label) + (not value) for label, value in facts.items()]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_search_is_never_wrong(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies())
    check_search(labels, constraints, [data.draw(facts_of(labels)) for _ in range(6)])


@pytest.mark.parametrize("seed", range(60))
def test_the_search_knows_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 9, 8, kinds=["subsumes", "exclusive", "equivalent"])
    drawn = [rng.permutation(9)[: rng.integers(1, 4)] for _ in range(8)]
    cases = [{labels[k]: bool(rng.random() < 0.6) for k in ks} for ks in drawn]
    assert check_search(labels, constraints, cases) == 0


def test_the_search_tells_nearly_always() -> None:
    """Of every kind of constraint, choices to make among them: it may leave a case open, now and then."""
    asked = unknown = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels, constraints = random_ontology(rng, 8, 6)
        cases = [
            {labels[k]: bool(rng.random() < 0.6) for k in rng.permutation(8)[:2]} for _ in range(8)
        ]
        unknown += check_search(labels, constraints, cases)
        asked += len(cases) * (2 + len(constraints)) * (len(worlds(labels, constraints)) > 0)
    assert asked > 2000
    assert unknown < 0.05 * asked


def check_search(
    labels: list[str], constraints: list[Constraint], cases: list[dict[str, bool]]
) -> int:
    """Compare with the list of worlds; how many cases were left open."""
    index = ClauseIndex(to_clauses(labels, constraints), constraints=constraints)
    world = Solver(index.clauses).world(index.n_variables)
    if world is None:
        return 0
    search = Search(index, np.array(world))
    unknown = 0
    for case in cases * 2:  # a question leaves no trace
        answer = search.possible(literals(labels, case))
        unknown += answer is None
        assert answer in (None, entailed(worlds(labels, constraints), labels, case) is not None)
    for owner in range(len(constraints)):
        search.off[:] = False
        search.off[index.clauses_of(owner)] = True
        others = worlds(labels, [*constraints[:owner], *constraints[owner + 1 :]])
        for case in cases:
            answer = search.possible(literals(labels, case))
            unknown += answer is None
            assert answer in (None, entailed(others, labels, case) is not None)
    return unknown


def test_the_search_keeps_to_facts() -> None:
    labels, constraints = random_ontology(
        np.random.default_rng(3), 8, 6, kinds=["subsumes", "covers"]
    )
    legal = worlds(labels, constraints)
    index = ClauseIndex(to_clauses(labels, constraints))
    answers = []
    for world in legal[:: max(1, len(legal) // 9)]:
        facts = {label: bool(world[k]) for k, label in enumerate(labels[:3])}
        search = Search(
            index,
            np.array([*world, *[False] * (index.n_variables - len(labels))]),
            facts=literals(labels, facts),
        )
        for k, label in enumerate(labels):
            answer = search.possible([2 * k + bool(world[k])])
            assert answer in (
                None,
                entailed(legal, labels, facts | {label: not world[k]}) is not None and k >= 3,
            )
            answers.append(answer)
    assert answers.count(None) < 0.05 * len(answers)
    assert answers.count(True) > 0.2 * len(answers)
    assert answers.count(False) > 0.2 * len(answers)


@pytest.mark.parametrize("seed", range(30))
def test_what_pairs_entail_is_derived(seed: int) -> None:
    """Where clauses are of two literals, all that follows from an answer and not from nothing, step by step."""
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 8, 7, kinds=["subsumes", "exclusive", "equivalent"])
    legal = worlds(labels, constraints)
    index = ClauseIndex(to_clauses(labels, constraints), constraints=constraints)
    always = entailed(legal, labels, {})
    for answer in labels:
        for expected in [entailed(legal, labels, {answer: value}) for value in (True, False)]:
            for label, value in (expected or {}).items():
                if label not in always:
                    target = 2 * labels.index(label) + (not value)
                    assert (
                        index.derive(literals(labels, {answer: expected[answer]}), target=target)
                        is not None
                    )


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_what_is_derived_is_entailed(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies())
    facts = data.draw(facts_of(labels))
    index = ClauseIndex(to_clauses(labels, constraints), constraints=constraints)
    expected = entailed(worlds(labels, constraints), labels, facts)
    given_literals = literals(labels, facts)
    for k, label in enumerate(labels):
        for target, value in ((2 * k, True), (2 * k + 1, False)):
            found = index.derive(given_literals, target=target)
            if found is None:
                continue
            known: set[int] = set()
            for literal, reason in zip(found.literals, found.reasons, strict=True):
                if reason < 0:
                    assert literal in given_literals
                else:
                    assert literal in index.clause(reason)
                    assert {
                        other ^ 1 for other in index.clause(reason) if other != literal
                    } <= known
                known.add(literal)
            if found.violated >= 0:
                assert {literal ^ 1 for literal in index.clause(found.violated)} <= known
                assert expected is None
            else:
                assert found.literals[-1] == target
                assert expected is None or expected[label] == value
