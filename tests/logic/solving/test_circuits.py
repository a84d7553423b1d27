"""Circuits as clauses, against the list of all legal worlds."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.logic.solving.circuits import without_circuits
from corollary.logic.solving.clauses import to_clauses
from corollary.logic.solving.sat import Solver

from ..ontologies import random_ontology
from .test_sat import check_backbone


@pytest.mark.parametrize("seed", range(20))
def test_backbone_with_circuits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 10, 3)
    constraints += random_ontology(rng, 10, 1, kinds=["parity"])[1]
    assert to_clauses(labels, constraints).circuits
    known = rng.permutation(10)[: rng.integers(0, 9)]
    check_backbone(labels, constraints, {labels[k]: bool(rng.random() < 0.5) for k in known})


def test_definitions_of_a_circuit_say_nothing_about_labels() -> None:
    labels, constraints = random_ontology(np.random.default_rng(0), 9, 1, kinds=["parity"])
    expanded = without_circuits(to_clauses(labels, constraints))
    assert {owner for _, owner in expanded.clauses} == {0, ~0}
    (root,) = [literals for literals, owner in expanded.clauses if owner == 0]
    solver = Solver(expanded)
    for value in (root[0], root[0] ^ 1):
        assert solver.satisfiable([value], without=[0])
    assert not solver.satisfiable([root[0] ^ 1])
