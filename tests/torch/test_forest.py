"""Trees on a device: made once for each model, and gone with it."""

from __future__ import annotations

import gc

import numpy as np
import torch

import corollary as co
from corollary.torch import forest
from corollary.torch.forest import forest_of

CPU = torch.device("cpu")


def test_a_forest_is_made_once_and_goes_with_its_model():
    onto = co.Ontology.parse("a > exclusive: b, c")
    model = onto.reasoner.weighed
    assert forest_of(model, CPU) is forest_of(model, CPU)
    held = len(forest._MADE)
    del onto, model
    gc.collect()
    assert len(forest._MADE) == held - 1


def test_no_tree_no_forest():
    assert forest_of(co.Ontology.parse("rule: a | b & c").reasoner.weighed, CPU) is None


def test_equivalent_labels_are_one_node():
    onto = co.Ontology.parse("a > exclusive: b, c\nequivalent: b, d")
    found = forest_of(onto.reasoner.weighed, CPU)
    odds = torch.randn(3, 4, dtype=torch.float64)
    posterior, _ = found.infer(odds, torch.full((3, 4), -1, dtype=torch.int8))
    expected, _ = onto.marginals(odds.numpy())
    np.testing.assert_allclose(posterior, expected.T[found.labels.numpy()], atol=1e-12)
    assert sorted(found.labels.tolist()) == [0, 1, 2, 3]
