"""What learners ask of a device: the same as without one, and what is told where there is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

import corollary as co
from corollary.learning.learners.crf import CRF, LARGEST
from corollary.torch.arrays import FieldLoss, device_of, posterior

from .forests import expit, random_facts, random_forest

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
def test_the_posterior_of_beliefs_is_that_of_the_ontology(device):
    rng = np.random.default_rng(0)
    onto = random_forest(rng, 20)
    beliefs, facts = rng.random((6, len(onto))), random_facts(rng, onto, 6)
    beliefs[0, :2] = 0, 1
    for given in (facts, None):
        np.testing.assert_allclose(posterior(onto, beliefs, given, device), onto.posterior(beliefs, given), atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_loss_of_a_field_is_that_of_the_learner(device, as_sparse):
    rng = np.random.default_rng(1)
    onto = random_forest(rng, 12)
    facts = onto.propagate(random_facts(rng, onto, 30))
    facts[:3] = onto.most_probable(rng.random((3, len(onto))))  # known in full
    features = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    features = sparse.csr_array(features) if as_sparse else features
    counts, weights = rng.random(30), rng.normal(size=(5, len(onto)))
    learner = CRF(onto)
    learner.onto_ = onto
    expected, slope = learner._loss_of_weights(features, facts, counts)(weights)
    loss = FieldLoss(onto, features, facts, counts, largest=LARGEST, device=torch.device(device))
    found, our_slope = loss(weights)
    assert found == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(our_slope, slope, atol=1e-9)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_learners_take_a_gpu():
    rng = np.random.default_rng(2)
    onto = random_forest(rng, 10)
    X, facts = rng.normal(size=(50, 3)), random_facts(rng, onto, 50)
    here, there = (CRF(onto, device=device).fit(X, facts) for device in ("cpu", "cuda"))
    assert there.loss_ == pytest.approx(here.loss_, rel=1e-4)  # where it stops depends on rounding
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=0.02)
    beliefs = expit(rng.normal(size=(5, len(onto))))
    one, other = (
        co.ConsistentClassifier("beliefs", onto, device=device).fit(beliefs).predict_proba(beliefs)
        for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize("name", ["no such thing", "cuda:99"])
def test_a_device_that_cannot_be_used_is_told(name):
    with pytest.raises(co.CorollaryError, match=f"PyTorch cannot use the device '{name}' here: .* device='cpu' always"):
        device_of(name)
    onto = co.Ontology(["a", "b"], [co.exclusive("a", "b")])
    with pytest.raises(co.CorollaryError, match="PyTorch cannot use the device"):
        CRF(onto, device=name).fit(np.eye(2), [[1, 0], [0, 1]])
