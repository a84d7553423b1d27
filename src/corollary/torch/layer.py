"""A layer to put on top of any network: logits in, probabilities out that keep every constraint."""

from __future__ import annotations

from torch import Tensor, nn

from ..logic.ontology import Ontology
from .functions import log_likelihood, marginals, most_probable
from .inputs import Given


class Consistent(nn.Module):  # type: ignore[misc]  # PyTorch is not there where types are checked
    """The posterior of logits under an ontology, as the last layer of a network. It has no parameters of its own.

    Train with `loss`, which takes partial labels and is exact and cheap; the probabilities can be differentiated, too.
    """

    def __init__(self, onto: Ontology):
        super().__init__()
        self.onto = onto

    def forward(
        self,
        logits: Tensor,
        facts: Given = None,
        evidence: Given = None,
        *,
        propagated: bool = False,
    ) -> Tensor:
        """The probability of each label (N, K) given the constraints, the facts and the evidence."""
        return marginals(self.onto, logits, facts, evidence, propagated=propagated)[0]

    def loss(self, logits: Tensor, facts: Given, *, propagated: bool = False) -> Tensor:
        """Less the mean log-likelihood of the facts: -1 is unknown, and asks nothing of the network."""
        return -log_likelihood(self.onto, logits, facts, propagated=propagated).mean()

    def most_probable(
        self,
        logits: Tensor,
        facts: Given = None,
        evidence: Given = None,
        *,
        propagated: bool = False,
    ) -> Tensor:
        """The most probable legal labelling of each item, int8 (N, K)."""
        return most_probable(self.onto, logits, facts, evidence, propagated=propagated)

    def extra_repr(self) -> str:
        """Return the text for this layer when a network is printed."""
        return f"{len(self.onto):,} labels, {len(self.onto.constraints):,} constraints"
