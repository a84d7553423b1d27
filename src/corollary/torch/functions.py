"""What the ontology makes of a network's logits: the posterior, the likelihood of facts, the best legal labelling.

A world, which is a labelling that the constraints allow, weighs e to the sum of the logits of its labels that are on.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..logic.compiled.soft import helper_odds
from ..logic.ontology import Ontology
from . import gradient, on_engines
from .forest import forest_of
from .inputs import Given, check_logits, known_and_odds, widened


def marginals(
    onto: Ontology, logits: Tensor, facts: Given = None, evidence: Given = None, *, propagated: bool = False
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


def _marginals(onto: Ontology, odds: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    model = onto.reasoner.weighed
    odds, known = widened(model, odds, known, helper_odds(model.weights))
    posterior, log_z = gradient.infer(model, odds, known)
    return posterior[:, : len(onto)], log_z - float(model.weights.sum())


def log_likelihood(onto: Ontology, logits: Tensor, facts: Given, *, propagated: bool = False) -> Tensor:
    """The log-likelihood of the facts of each item (N,): less its mean is a loss, however many labels are unknown.

    Its gradient is exact: the posterior with the facts less the posterior without.
    """
    logits = check_logits(onto, logits)
    known, _ = known_and_odds(onto, logits, facts, None, propagated=propagated)
    anything, _ = known_and_odds(onto, logits, None, None, propagated=False)
    return _marginals(onto, logits, known)[1] - _marginals(onto, logits, anything)[1]


def most_probable(
    onto: Ontology, logits: Tensor, facts: Given = None, evidence: Given = None, *, propagated: bool = False
) -> Tensor:
    """The most probable legal labelling of each item, int8 (N, K)."""
    logits = check_logits(onto, logits.detach())
    known, odds = known_and_odds(onto, logits, facts, evidence, propagated=propagated)
    model = onto.reasoner.weighed
    odds, known = widened(model, odds, known, model.weights)
    world = known.t() == 1
    with torch.no_grad():
        if (forest := forest_of(model, odds.device)) is not None:
            world = world.index_copy(0, forest.labels, forest.most_probable(odds, known))
        for service in on_engines.beyond_trees(model):
            found = on_engines.most_probable(service, odds, known)
            world = world.index_copy(0, on_engines.labels_of(service, odds.device), found)
    return world[: len(onto)].t().to(torch.int8)
