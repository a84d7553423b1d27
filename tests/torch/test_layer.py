"""The layer on top of a network: it learns from partial labels, and what comes out keeps the constraints."""

from __future__ import annotations

import copy
import io

import numpy as np
import torch
from torch import nn

import corollary as co
from corollary.torch import Consistent, log_likelihood, marginals, most_probable

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish\nexclusive: animal, place\nrule: flies -> bird"
)


def test_it_says_what_the_functions_say():
    layer, logits, facts = Consistent(ONTO), torch.randn(3, 5), np.full((3, 5), -1, np.int8)
    facts[0, 1] = 1
    torch.testing.assert_close(layer(logits, facts), marginals(ONTO, logits, facts)[0])
    torch.testing.assert_close(
        layer.loss(logits, facts), -log_likelihood(ONTO, logits, facts).mean()
    )
    assert layer.most_probable(logits, facts).equal(most_probable(ONTO, logits, facts))
    assert repr(layer) == f"Consistent(5 labels, {len(ONTO.constraints)} constraints)"


def test_a_network_with_it_is_saved_copied_and_has_nothing_to_learn_of_its_own():
    network = nn.Sequential(nn.Linear(4, 5), Consistent(ONTO))
    assert len(list(network[1].parameters())) == 0
    features = torch.randn(3, 4)
    kept = io.BytesIO()
    torch.save(network, kept)
    kept.seek(0)
    for other in (copy.deepcopy(network), torch.load(kept, weights_only=False)):
        torch.testing.assert_close(other(features), network(features))


def test_it_learns_from_partial_labels():
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(200, 4, generator=generator)
    truth = most_probable(ONTO, features @ torch.randn(4, 5, generator=generator) * 3)
    facts = torch.where(torch.rand(truth.shape, generator=generator) < 0.3, truth, -1)
    linear, layer = nn.Linear(4, 5), Consistent(ONTO)
    optimiser = torch.optim.Adam(linear.parameters(), 0.1)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = layer.loss(linear(features), facts)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert (layer.most_probable(linear(features)) == truth).float().mean() > 0.9
