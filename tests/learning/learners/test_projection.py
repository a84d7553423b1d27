"""From marginals to scores: the field that is found has the marginals, on any ontology."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.learners.projection import Projection

from ...logic.ontologies import ontologies, worlds

FORESTS = {
    "free": "labels: a, b, c",
    "exclusive": "exclusive: a, b, c, d",
    "exactly one": "exactly one: a, b, c",
    "tree": "top > exclusive: a, b, c\na > d, e\nb > exclusive: f, g\nexclusive: top, other",
    "equivalent": "equivalent: a, b\na > exclusive: c, d",
}


@pytest.mark.parametrize("text", FORESTS.values(), ids=FORESTS)
def test_forests_have_a_closed_form(text, monkeypatch):
    onto = co.Ontology.parse(text)
    monkeypatch.setattr("corollary.learning.learners.projection.SWEEPS", 0)  # no fitting
    legal = worlds(onto.labels, onto.constraints)
    mix = np.random.default_rng(0).dirichlet(np.full(len(legal), 0.3), 50) * 0.999 + 0.001 / len(
        legal
    )
    found, _ = onto.marginals(Projection(onto).scores(mix @ legal))
    np.testing.assert_allclose(found, mix @ legal, atol=1e-7)


@settings(max_examples=60)
@given(ontologies(max_labels=6, max_constraints=6), st.integers(0, 2**32 - 1))
def test_scores_have_the_marginals(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    onto = co.Ontology(labels, constraints)
    rng = np.random.default_rng(seed)
    mix = 0.99 * rng.dirichlet(np.full(len(legal), 0.3), 5) + 0.01 / len(legal)
    found, _ = onto.marginals(Projection(onto).scores(mix @ legal))
    np.testing.assert_allclose(found, mix @ legal, atol=0.04)


def test_a_field_is_its_own_projection():
    onto = co.Ontology.parse("rule: a | b | c\nrule: c >> d & ~a")
    legal = worlds(onto.labels, onto.constraints)
    scores = np.random.default_rng(1).normal(0, 2, (20, len(onto)))
    weight = np.exp(scores @ legal.T)
    distribution = weight / weight.sum(axis=1, keepdims=True)
    again = np.exp(Projection(onto).scores(distribution @ legal) @ legal.T)
    np.testing.assert_allclose(again / again.sum(axis=1, keepdims=True), distribution, atol=0.01)


@settings(max_examples=40)
@given(ontologies(max_labels=6, max_constraints=5), st.integers(0, 2**32 - 1))
def test_bounded_scores_tell_the_same(ontology, seed):
    labels, constraints = ontology
    assume(len(worlds(labels, constraints)))
    onto = co.Ontology(labels, constraints)
    scores = np.random.default_rng(seed).normal(0, 40, (5, len(onto)))
    bounded = Projection(onto).bounded(scores)
    assert np.abs(bounded).max() <= 27
    np.testing.assert_allclose(onto.marginals(bounded)[0], onto.marginals(scores)[0], atol=0.04)
