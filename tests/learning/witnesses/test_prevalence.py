"""How common labels are, under the constraints."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.prevalence import Prevalence

from ...logic.ontologies import ontologies, worlds


@settings(max_examples=40, deadline=None)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_the_legal_worlds_have_labels_as_often_as_a_mixture_of_them(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    onto, rng = co.Ontology(labels, constraints), np.random.default_rng(seed)
    wanted = rng.dirichlet(np.ones(len(legal))) @ legal
    look = np.tile(wanted, (3, 1))
    everywhere = np.ones(len(labels), np.bool_)
    found = Prevalence(onto, look, everywhere, ~everywhere)
    np.testing.assert_allclose(onto.marginals(found.odds[None])[0][0], wanted, atol=0.02)


def test_labels_of_which_nothing_was_said_stay_even_and_the_first_look_holds_on():
    onto = co.Ontology(["a", "b"])
    told = np.array([True, False])
    found = Prevalence(onto, np.full((4, 2), 0.2), told, ~told)
    assert found.odds[1] == 0
    found.update(np.full((4, 2), 0.8))
    np.testing.assert_allclose(onto.marginals(found.odds[None])[0][0], [0.5, 0.5], atol=1e-3)
