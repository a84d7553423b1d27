"""Confusions: P(said c | it is d) of each witness about a choice, estimated from the replies.

Witnesses do not err independently: some birds look like bats to everyone. So the items of each
option have a few kinds, the clearest first. A kind shifts the replies of all witnesses in the same
way:

    P(said c | d, kind, w) ~ own[w, d, c] * kinds[d, kind, c] / everyone[d, c]

All three are counted from probable labels. A witness's own is shrunk towards everyone's, a kind's
towards its option's.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ....logic.engines import Floats
from .choice_replies import ChoiceReplies

KINDS = 3
#: Counts of the shrinkage of a witness towards everyone, and of a kind towards all kinds.
LEANING = 2.0
KIND_LEANING = 10.0
#: What a witness of whom nothing is known says rightly.
EXPECTED = 0.7


class Confusion:
    """The model of the whole replies about one choice; `update` and `log_likelihood` in turn make EM."""

    def __init__(self, replies: ChoiceReplies, n_items: int, n_witnesses: int):
        self.replies = replies
        self.n_witnesses = n_witnesses
        self.n = len(replies.options)
        column = replies.witness * self.n + replies.said
        #: Items x (witness, said): how often.
        self.said = sparse.csr_array(
            (np.ones(len(column)), (replies.item, column)), shape=(n_items, n_witnesses * self.n)
        )
        rest = (1 - EXPECTED) / max(1, self.n - 1)
        start = np.full((self.n, self.n), rest) + (EXPECTED - rest) * np.eye(self.n)
        #: How items of an option divide into kinds, and P(said | option, kind) of each witness, in this order:
        #: option x kind, and witness x option x kind x said.
        self.shares = np.full((self.n, KINDS), 1 / KINDS)
        self.rates = np.tile(start[None, :, None, :], (n_witnesses, 1, KINDS, 1))
        self._kinds: Floats | None = None
        self.weight = np.ones(n_witnesses)

    def log_likelihood(self, include: Floats | float = 1.0) -> Floats:
        """Return log P(replies about the item | option), (N, options).

        `include` is 0 for witnesses to leave out.
        """
        by_kind = self._by_kind(self.weight * include)
        top = by_kind.max(axis=2, keepdims=True)
        total = np.exp(by_kind - top).sum(axis=2, keepdims=True)
        self._kinds = np.exp(by_kind - top) / total
        return np.asarray((top + np.log(total))[:, :, 0])

    def _by_kind(self, weight: Floats) -> Floats:
        columns = np.log(self.rates) * weight[:, None, None, None]
        flat = np.moveaxis(columns, 3, 1).reshape(self.n_witnesses * self.n, -1)
        found = (self.said @ flat).reshape(-1, self.n, KINDS) + np.log(self.shares)
        return np.asarray(found)

    def update(self, truth: Floats) -> None:
        """Count all replies anew; `truth` is how probable each option is of each item."""
        chances = truth[:, :, None] * self._of_kinds(truth)
        counted = (self.said.T @ chances.reshape(len(truth), -1)).reshape(
            self.n_witnesses, self.n, self.n, KINDS
        )
        counts = np.moveaxis(counted, 1, 3)  # witness, option, kind, said
        everyone = counts.sum((0, 2)) + 0.01
        everyone /= everyone.sum(axis=1, keepdims=True)
        own = counts.sum(2) + LEANING * everyone
        own /= own.sum(axis=2, keepdims=True)
        kinds = counts.sum(0) + KIND_LEANING * everyone[:, None, :]
        kinds /= kinds.sum(axis=2, keepdims=True)
        self.rates = own[:, :, None, :] * (kinds / everyone[:, None, :])
        self.rates /= self.rates.sum(axis=3, keepdims=True)
        self.shares = chances.sum(0) + 1.0
        self.shares /= self.shares.sum(axis=1, keepdims=True)

    def _of_kinds(self, truth: Floats) -> Floats:
        """Which kind items of each option are; to begin with, by how far witnesses agree on them."""
        if self._kinds is not None:
            return self._kinds
        order = np.argsort(-truth.max(axis=1), kind="stable")
        kind = np.empty(len(truth), np.int64)
        kind[order] = np.arange(len(truth)) * KINDS // max(1, len(truth))
        return np.asarray(0.2 / KINDS + 0.8 * (kind[:, None, None] == np.arange(KINDS)))

    def says(self, witness: int | None, items: slice) -> Floats:
        """P(says c | it is d) of one more reply of a witness, or of anyone, (items, options, options)."""
        assert self._kinds is not None, "log_likelihood comes first"
        rates = self.rates.mean(axis=0) if witness is None else self.rates[witness]
        return np.asarray(np.einsum("ndm,dmc->ndc", self._kinds[items], rates))

    def surprise(self, truth: Floats) -> Floats:
        """Of each reply, whether it is right, less how probable that was: what should not go together."""
        who = self.replies.witness
        item = self.replies.item
        said = self.replies.said
        right = np.einsum("wddm->wdm", np.swapaxes(self.rates, 2, 3))  # P(says d | d, kind)
        joint = (truth[:, :, None] * self._of_kinds(truth))[item]
        return np.asarray(truth[item, said] - (joint * right[who]).sum((1, 2)))
