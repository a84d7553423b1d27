"""Junction trees in PyTorch beside their engine, and how they are differentiated."""

from __future__ import annotations

from corollary.logic.engines import junction as engines
from corollary.torch.layouts.junction import Junction

from ...logic.ontologies import random_ontology
from ..laid_out import CPU, cases, check_is_the_engine, check_slope


def several_parents(rng):
    return random_ontology(rng, int(rng.integers(4, 12)), 10, kinds=["subsumes"])


def test_all_is_that_of_the_engine():
    for engine, odds, known in cases(1, 80, engines.Junction, several_parents):
        check_is_the_engine(Junction(engine, CPU), engine, odds, known)


def test_the_slope_is_that_of_small_steps():
    for engine, odds, known in cases(2, 10, engines.Junction, several_parents):
        check_slope(Junction(engine, CPU), odds, known)
