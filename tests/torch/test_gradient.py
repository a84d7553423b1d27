"""What can be differentiated, how often, and what is told beyond."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import forward_ad

import corollary as co
from corollary.torch import marginals

MIXED = co.Ontology.parse("a > exclusive: b, c\nrule: d | e & f")


def test_a_loss_on_probabilities_and_log_z_together_has_both_slopes():
    logits = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)

    def slope(of):
        return torch.autograd.grad(of(*marginals(MIXED, logits)), logits)[0]

    together = slope(lambda posterior, log_z: (posterior**2).sum() + 3 * log_z.sum())
    apart = slope(lambda posterior, _: (posterior**2).sum()) + 3 * slope(
        lambda _, log_z: log_z.sum()
    )
    torch.testing.assert_close(together, apart)


def test_without_gradients_nothing_is_kept_for_them():
    logits = torch.randn(4, 6, requires_grad=True)
    with torch.no_grad():
        assert not marginals(MIXED, logits)[0].requires_grad
    with torch.inference_mode():
        torch.testing.assert_close(
            marginals(MIXED, logits)[0], marginals(MIXED, logits.detach())[0]
        )


def test_a_derivative_too_many_is_refused():
    logits = torch.randn(2, 6, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(
        (marginals(MIXED, logits)[0] ** 2).sum(), logits, create_graph=True
    )
    with pytest.raises(
        co.CorollaryError,
        match="first derivatives of the posterior and second ones of log Z, no more",
    ):
        slope.sum().backward()


def test_derivatives_forwards_are_refused_and_never_lost():
    onto = co.Ontology(["a", "b"], [co.exclusive("a", "b")])
    logits = torch.zeros(1, 2)
    with forward_ad.dual_level(), pytest.raises(NotImplementedError):
        marginals(onto, forward_ad.make_dual(logits, torch.ones(1, 2)))
    with forward_ad.dual_level():
        torch.testing.assert_close(marginals(onto, logits)[0], torch.full((1, 2), 1 / 3))
