"""All that follows where unit propagation may miss something, without the posterior's engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.compiled import completion
from corollary.logic.compiled.completion import Completion
from corollary.logic.compiled.model import Model
from corollary.logic.engines import Budget, choice
from corollary.logic.solving.clauses import to_clauses

from ..engines.components import anything, legal_worlds
from ..ontologies import entailed, ontologies, worlds

DEFINED = "a > b, c\nb > d\nc > d\ne > c\nrule: b & c >> d | e\nrule: ~a >> e | f\nexclusive: b, f"


def random_facts(rng, n_rows, n):
    return np.where(rng.random((n_rows, n)) < 0.3, rng.integers(0, 2, (n_rows, n)), -1).astype(
        np.int8
    )


@pytest.mark.parametrize("many", [1, 1_000_000])
def test_entailment_is_complete_by_diagram_and_by_sat(many, monkeypatch):
    monkeypatch.setattr(completion, "MANY", many)
    # Without the look at the structure, so that rows need no unit propagation before.
    monkeypatch.setattr(
        Completion, "_doubtful", lambda self, known, settled: np.ones(len(known), np.bool_)
    )
    clashes = followed = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        part = anything(rng)
        legal = legal_worlds(part)
        facts = random_facts(rng, 4, part.n)
        one = Completion(part)
        found = one.entailed(facts)
        assert (one.diagram is not None) == (many == 1)
        for row, known in zip(found, facts, strict=True):
            agree = legal[((legal == known) | (known < 0)).all(axis=1)]
            if not len(agree):
                clashes += 1
                assert row[0] == -2
                continue
            expected = np.where((agree == agree[0]).all(axis=0), agree[0], -1)
            followed += (expected != known).any()
            np.testing.assert_array_equal(row, expected)
    assert clashes > 10
    assert followed > 10


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=6), st.integers(0, 2**32 - 1))
def test_propagation_on_top_of_a_complete_row_is_complete(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    rng = np.random.default_rng(seed)
    model = Model(to_clauses(labels, constraints), Budget())
    world = legal[rng.integers(len(legal))]
    first = np.where(rng.random(len(labels)) < 0.4, world, -1).astype(np.int8)
    settled = model.propagate(first[None])[0][0]
    rows = np.where(settled >= 0, settled, random_facts(rng, 6, len(labels))).astype(np.int8)
    found, clash = model.propagate(rows, settled=settled)
    for row, known, impossible in zip(rows, found, clash, strict=True):
        facts = {label: bool(v) for label, v in zip(labels, row, strict=True) if v >= 0}
        expected = entailed(legal, labels, facts)
        assert impossible == (expected is None)
        if expected is not None:
            assert known.tolist() == [int(expected.get(label, -1)) for label in labels]


def test_the_solver_is_asked_only_where_a_clause_lost_a_literal():
    onto = co.Ontology.parse(DEFINED)
    model = Model(to_clauses(onto.labels, onto.constraints), Budget())
    ((part,),) = (model.beyond_trees,)
    one = Completion(part.component)
    facts = np.full((3, len(onto)), -1, np.int8)
    facts[1, onto.index["d"]] = 1
    facts[2, onto.index["d"]] = 0
    known, _ = model.propagate(facts, complete=False)
    rows = known[:, [labels[0] for labels in part.members]]
    assert one._doubtful(rows, None).tolist() == [False, False, True]


def test_logic_never_asks_for_the_engine_of_the_posterior(monkeypatch):
    asked = []

    def refuse(component, budget):
        asked.append(component.n)
        raise AssertionError("the engine of the posterior")

    monkeypatch.setattr(choice, "choose_engine", refuse)
    onto = co.Ontology.parse(DEFINED)
    assert onto.propagate({"a": False, "f": False})["e"]
    _, clash = onto.closure(np.array([[-1, 1, 1, 0, 0, -1]] * 3, np.int8))
    assert clash.all()
    assert onto.explain({"a": False, "f": False}, "e").value
    assert onto.same_as(co.Ontology.parse(DEFINED))
    onto.lint()
    weights = np.ones((2, len(onto)))
    onto.consequences(weights, weights, np.full((2, len(onto)), -1, np.int8))
    with pytest.raises(co.Contradiction):
        onto.propagate({"a": False, "f": False, "e": False})
    assert not asked


def test_an_engine_is_chosen_once(monkeypatch):
    chosen = []
    real = choice.choose_engine
    monkeypatch.setattr(
        choice, "choose_engine", lambda *given: chosen.append(given) or real(*given)
    )
    onto = co.Ontology.parse(DEFINED, budget=co.Budget(states=1))
    for _ in range(3):
        assert onto.engines[0].guarantee == "estimate"
        with pytest.warns(co.EstimateWarning):
            onto.posterior(np.full((2, len(onto)), 0.3))
    assert len(chosen) == 1
