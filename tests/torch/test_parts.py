"""Engines on a device: made once for each model, and gone with it; those on a CPU that PyTorch leaves alone."""

from __future__ import annotations

import gc

import numpy as np
import torch

import corollary as co
from corollary.torch import parts
from corollary.torch.parts import parts_of

CPU = torch.device("cpu")


def test_parts_are_made_once_and_go_with_their_model():
    onto = co.Ontology.parse("a > exclusive: b, c")
    model = onto.reasoner.weighed
    assert parts_of(model, CPU) is parts_of(model, CPU)
    gc.collect()  # what other tests left
    held = len(parts._MADE)
    del onto, model
    gc.collect()
    assert len(parts._MADE) == held - 1


def test_on_a_cpu_all_but_trees_is_left_to_the_engines():
    found = parts_of(
        co.Ontology.parse("a > exclusive: b, c\nrule: d | e & f\nrule: g").reasoner.weighed, CPU
    )
    assert [sorted(part.labels.tolist()) for part in found.parts] == [[0, 1, 2]]
    assert [service.columns[0].tolist() for service in found.others] == [[3, 4, 5]]
    assert (found.forced.tolist(), found.values.tolist()) == ([6], [1])


def test_equivalent_labels_are_one_node():
    onto = co.Ontology.parse("a > exclusive: b, c\nequivalent: b, d")
    (part,) = parts_of(onto.reasoner.weighed, CPU).parts
    odds = torch.randn(3, 4, dtype=torch.float64)
    posterior, log_z, both = (
        torch.empty_like(odds),
        torch.zeros(3, dtype=torch.float64),
        torch.ones_like(odds),
    )
    part.fill(odds, None, posterior, log_z, both)
    expected, expected_log_z = onto.marginals(odds.numpy())
    np.testing.assert_allclose(posterior, expected, atol=1e-12)
    np.testing.assert_allclose(log_z, expected_log_z, atol=1e-12)
    assert both[:, [onto.index["b"], onto.index["d"]]].eq(0).all()


def test_items_in_blocks_are_the_same(monkeypatch):
    onto = co.Ontology.parse("a > exclusive: b, c")
    (part,) = parts_of(onto.reasoner.weighed, CPU).parts
    odds, known = torch.randn(7, 3), torch.full((7, 3), -1, dtype=torch.int8)
    known[2] = torch.tensor([1, 0, 1])
    whole, whole_z, halves, halves_z = (
        torch.empty(7, 3),
        torch.zeros(7),
        torch.empty(7, 3),
        torch.zeros(7),
    )
    part.fill(odds, known, whole, whole_z)
    monkeypatch.setattr(parts, "NUMBERS_AT_ONCE", 50)
    assert len(list(part._blocks(7))) > 1
    part.fill(odds, known, halves, halves_z)
    torch.testing.assert_close(whole, halves)
    torch.testing.assert_close(whole_z, halves_z)
