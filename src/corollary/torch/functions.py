"""What the ontology makes of a network's logits: posterior, likelihood of facts, best labelling, worth of answers.

A world, which is a labelling that the constraints allow, weighs e to the sum of the logits of its labels that are on.
"""

from __future__ import annotations

from math import isfinite

import torch
from torch import Tensor
from torch.nn.functional import softplus
from torch.special import entr

from ..logic.compiled.soft import helper_odds
from ..logic.ontology import Ontology
from . import gradient, inference
from .inputs import Given, check_finite, check_logits, known_and_odds, widened
from .layouts import on_engines
from .parts import parts_of


def marginals(
    onto: Ontology,
    logits: Tensor,
    facts: Given = None,
    evidence: Given = None,
    *,
    propagated: bool = False,
) -> tuple[Tensor, Tensor]:
    """The posterior (N, K) and log Z (N,) of logits (N, K), on their device and in their precision.

    Facts are -1 (unknown), 0 or 1; evidence is log-likelihood ratios, inf and -inf are facts. log Z sums over the legal
    worlds that agree with the facts, and its gradient is the posterior. The posterior can be differentiated once, too:
    cheaply for trees, at the cost of a posterior for each label in other components. `propagated` says that the facts
    come from `Ontology.propagate` as int8, and need not be completed, nor leave their device.
    """
    logits = check_logits(onto, logits)
    known, odds = known_and_odds(onto, logits, facts, evidence, propagated=propagated)
    return _marginals(onto, odds, known)


def _marginals(onto: Ontology, odds: Tensor, known: Tensor | None) -> tuple[Tensor, Tensor]:
    model = onto.reasoner.weighed
    if not (finds := inference.finds_what_is_not_finite(model, odds)):
        check_finite(onto, odds)
    if len(model.weights):
        wide, wide_known = widened(model, odds, known, helper_odds(model.weights))
        posterior, log_z = gradient.infer(model, wide, wide_known)
        return posterior[:, : len(onto)], log_z - float(model.weights.sum())
    posterior, log_z = gradient.infer(model, odds, known)
    if finds and not isfinite(log_z.sum().item()):
        check_finite(onto, odds)
    return posterior, log_z


def log_likelihood(
    onto: Ontology, logits: Tensor, facts: Given, *, propagated: bool = False
) -> Tensor:
    """The log-likelihood of the facts of each item (N,): less its mean is a loss, however many labels are unknown.

    Its gradient is exact: the posterior with the facts less the posterior without.
    """
    logits = check_logits(onto, logits)
    known, _ = known_and_odds(onto, logits, facts, None, propagated=propagated)
    return _marginals(onto, logits, known)[1] - _marginals(onto, logits, None)[1]


def most_probable(
    onto: Ontology,
    logits: Tensor,
    facts: Given = None,
    evidence: Given = None,
    *,
    propagated: bool = False,
) -> Tensor:
    """The most probable legal labelling of each item, int8 (N, K)."""
    logits = check_logits(onto, logits.detach())
    known, odds = known_and_odds(onto, logits, facts, evidence, propagated=propagated)
    check_finite(onto, odds)
    model = onto.reasoner.weighed
    odds, known = widened(model, odds, known, model.weights)
    states = (
        torch.from_numpy(model.base).to(odds.device).expand(odds.shape) if known is None else known
    )
    world = (states == 1).to(torch.int8)
    served = parts_of(model, odds.device)
    with torch.no_grad():
        for part in served.parts:
            world.index_copy_(1, part.labels, part.most_probable(odds, states).t().to(torch.int8))
        for service in served.others:
            found = on_engines.most_probable(service, odds, states)
            world.index_copy_(
                1, on_engines.labels_of(service, odds.device), found.t().to(torch.int8)
            )
    return world[:, : len(onto)]


def gain(
    onto: Ontology,
    logits: Tensor,
    facts: Given = None,
    evidence: Given = None,
    *,
    propagated: bool = False,
) -> Tensor:
    """Return the information of each answer about the item's other labels, (N, K), in nats.

    It is `Ontology.gain` of the sigmoid of the logits, on their device, and 0 for known labels.
    With soft constraints, `Ontology.gain` computes it.
    """
    logits = check_logits(onto, logits.detach())
    check_finite(onto, logits)
    known, odds = known_and_odds(onto, logits, facts, evidence, propagated=propagated)
    if onto.reasoner.soft_gain is not None:
        beliefs = torch.sigmoid(odds.double()).cpu().numpy()
        found = onto.gain(beliefs, None if known is None else known.cpu().numpy())
        return torch.from_numpy(found).to(odds.dtype).to(odds.device)
    posterior, _, both = inference.infer(onto.reasoner.weighed, odds, known, both=True)
    assert both is not None
    alone = odds.abs()
    alone = softplus(-alone) + alone * torch.sigmoid(-alone)  # the entropy of the belief
    found = (entr(posterior) + entr(1.0 - posterior) - both * alone).clamp_(min=0.0)
    return found if known is None else torch.where(known < 0, found, 0.0)
