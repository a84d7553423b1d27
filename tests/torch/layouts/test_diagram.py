"""Diagrams in PyTorch beside their engine, and how they are differentiated."""

from __future__ import annotations

from corollary.logic.engines import diagram as engines
from corollary.torch.layouts.diagram import Diagram

from ...logic.ontologies import random_ontology
from ..laid_out import CPU, cases, check_is_the_engine, check_slope


def any_constraints(rng):
    return random_ontology(rng, int(rng.integers(3, 11)), int(rng.integers(2, 10)))


def test_all_is_that_of_the_engine():
    for engine, odds, known in cases(0, 80, engines.Diagram, any_constraints):
        check_is_the_engine(Diagram(engine, CPU), engine, odds, known)


def test_the_slope_is_that_of_small_steps():
    for engine, odds, known in cases(2, 10, engines.Diagram, any_constraints):
        check_slope(Diagram(engine, CPU), odds, known)
