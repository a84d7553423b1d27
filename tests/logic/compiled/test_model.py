"""A compiled ontology: complete propagation, and which engine serves which labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.compiled.completion import FEW
from corollary.logic.compiled.model import Model, Unsatisfiable
from corollary.logic.engines import Budget
from corollary.logic.language.notation import parse
from corollary.logic.solving.clauses import to_clauses

from ..ontologies import entailed, ontologies, worlds


def model_of(text):
    document = parse(text)
    return document.labels, Model(to_clauses(document.labels, document.constraints), Budget())


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=5), st.integers(0, 2**32 - 1), st.sampled_from((1, 2 * FEW)))
def test_propagation_is_complete_for_few_rows_and_for_many(ontology, seed, n):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    clauses = to_clauses(labels, constraints)
    if not len(legal):
        with pytest.raises(Unsatisfiable):
            Model(clauses, Budget())
        return
    rng = np.random.default_rng(seed)
    rows = np.where(
        rng.random((n, len(labels))) < 0.4, rng.integers(0, 2, (n, len(labels))), -1
    ).astype(np.int8)
    found, clash = Model(clauses, Budget()).propagate(rows)
    for row, known, impossible in zip(rows, found, clash, strict=True):
        facts = {label: bool(value) for label, value in zip(labels, row, strict=True) if value >= 0}
        expected = entailed(legal, labels, facts)
        assert impossible == (expected is None)
        if expected is not None:
            assert known.tolist() == [int(expected.get(label, -1)) for label in labels]


def test_trees_share_an_engine_and_other_components_have_their_own():
    labels, model = model_of("a > b, c\nd > e\nx > y\nz > y\nrule: p <-> (q <-> r)")
    assert model.components_beyond_trees == 2
    trees, *others = model.services
    assert {labels[k] for k in trees.columns[0]} == {"a", "b", "c", "d", "e"}
    assert trees.n_components == 2
    assert [sorted(labels[k] for k in one.columns[0]) for one in others] == [
        ["x", "y", "z"],
        ["p", "q", "r"],
    ]
    assert not model.pairwise
    assert model_of("a > b, c\nexclusive: b, c")[1].pairwise


def test_what_holds_without_any_fact():
    labels, model = model_of("rule: ~b\nat least one: a, b\na > c")
    assert dict(zip(labels, model.base.tolist(), strict=True)) == {"a": 1, "b": 0, "c": -1}
