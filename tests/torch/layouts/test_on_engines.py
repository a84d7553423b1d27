"""Components that the engines do for PyTorch, those that are estimates among them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import corollary as co
from corollary.torch import marginals, on_engines

SEVERAL_PARENTS = "a > c, d\nb > c, d\ne > c, f"


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        (SEVERAL_PARENTS, "pruned junction"),
        ("rule: a | b & c\nrule: c -> d | a", "belief propagation"),
    ],
)
def test_engines_that_are_not_exact_say_so_and_are_taken(text, engine):
    onto = co.Ontology.parse(text, budget=co.Budget(states=1))
    assert [info.engine for info in onto.engines] == [engine]
    odds = np.random.default_rng(0).normal(0, 1, (3, len(onto)))
    with pytest.warns(co.EstimateWarning):
        posterior, log_z = marginals(onto, torch.from_numpy(odds))
    with pytest.warns(co.EstimateWarning):
        expected, expected_log_z = onto.marginals(odds)
    np.testing.assert_allclose(posterior, expected, atol=1e-10)
    np.testing.assert_allclose(log_z, expected_log_z, atol=1e-10)


def test_the_covariance_is_that_of_the_legal_worlds():
    onto = co.Ontology.parse("rule: a | b & c\nrule: c -> d | a\nequivalent: d, e")
    model = onto.reasoner.weighed
    (service,) = model.services
    every = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1).T.astype(np.int8)
    legal = every[~onto.closure(every)[1]].astype(float)
    rng = np.random.default_rng(0)
    odds, direction = rng.normal(0, 1, (2, 3, 5))
    known = torch.full((3, 5), -1, dtype=torch.int8)
    found = on_engines.covariance(
        model, service, torch.tensor(odds), known, torch.tensor(direction)
    )
    order = service.columns[0]
    for i in range(3):
        weight = np.exp(legal @ odds[i])
        expected = np.cov(legal.T, aweights=weight, ddof=0) @ direction[i]
        np.testing.assert_allclose(found[:, i], expected[order], atol=1e-12)
