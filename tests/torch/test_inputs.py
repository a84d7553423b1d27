"""What logits, facts and evidence must be, and the errors that tell what is not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import corollary as co
from corollary.torch.inputs import check_finite, check_logits, known_and_odds

ONTO = co.Ontology.parse("a > exclusive: b, c")


@pytest.mark.parametrize(
    ("logits", "message"),
    [
        (np.zeros((2, 3)), "logits must be a tensor of floats, items x 3 labels; got ndarray"),
        (torch.zeros(2, 3, dtype=torch.int64), "got torch.int64"),
        (torch.zeros(3), r"got shape \(3,\); for one item pass logits\[None\]"),
        (torch.zeros(2, 4), r"logits must be items x 3 labels, got shape \(2, 4\)"),
    ],
)
def test_logits_that_will_not_do(logits, message):
    with pytest.raises(co.CorollaryError, match=message):
        check_logits(ONTO, logits)


def test_logits_that_are_not_finite_are_told():
    check_finite(ONTO, torch.zeros(2, 3))
    with pytest.raises(co.CorollaryError, match="logits must be finite; item 1, label 'b' has nan"):
        check_finite(ONTO, torch.tensor([[0, 0, 0], [0, torch.nan, 0]]))


def test_half_precision_becomes_float32():
    assert check_logits(ONTO, torch.zeros(2, 3, dtype=torch.bfloat16)).dtype == torch.float32


def test_facts_and_infinite_evidence_are_known_and_all_that_follows():
    evidence = torch.tensor([[0.5, torch.inf, 0], [-torch.inf, 0, 0]])
    known, odds = known_and_odds(
        ONTO, torch.ones(2, 3), [[-1, -1, -1], [-1, 0, -1]], evidence, propagated=False
    )
    assert known.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert odds.tolist() == [[1.5, 1, 1], [1, 1, 1]]


def test_evidence_of_half_precision_will_do():
    evidence = torch.tensor([[0.5, torch.inf, 0]], dtype=torch.bfloat16)
    known, odds = known_and_odds(ONTO, torch.ones(1, 3), None, evidence, propagated=False)
    assert known.tolist() == [[1, 1, 0]]
    assert odds.tolist() == [[1.5, 1, 1]]


@pytest.mark.parametrize("propagated", [False, True])
def test_facts_of_other_items_are_refused(propagated):
    facts = torch.full((3, 3), -1, dtype=torch.int8)
    with pytest.raises(
        co.CorollaryError, match=r"facts and logits must have one shape, got \(3, 3\) and \(2, 3\)"
    ):
        known_and_odds(ONTO, torch.zeros(2, 3), facts, None, propagated=propagated)
