"""Who takes what for what where there is too little to learn it of each witness: one table, and how good each is.

    P(said c | it is d, w) ~ everyone[d, c] * (lead[w] if c is d, else 1)

The same as `Confusion`, in which witnesses have tables of their own and items come in kinds, but for these two.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ....logic.engines import Floats
from .choice_replies import ChoiceReplies

#: How often a witness of whom nothing is known is right; counts with which a witness's rate leans on everyone's.
EXPECTED = 0.7
LEANING = 4.0
#: Counts of the shrinkage of an option's replies towards evenly spread errors.
SPREAD = 10.0


class PooledConfusion:
    """The model of whole replies about a choice of many options; `update` and `log_likelihood` in turn make EM."""

    def __init__(self, replies: ChoiceReplies, n_items: int, n_witnesses: int):
        self.replies = replies
        self.n_items = n_items
        self.n_witnesses = n_witnesses
        self.n = len(replies.options)
        self.weight = np.ones(n_witnesses)
        even = (1.0 - EXPECTED) / max(1, self.n - 1)
        self.everyone = np.full((self.n, self.n), even) + (EXPECTED - even) * np.eye(self.n)
        self.lead = np.ones(n_witnesses)

    def log_likelihood(self, include: Floats | float = 1.0) -> Floats:
        """Return log P(replies about the item | option), (N, options).

        `include` is 0 for witnesses to leave out.
        """
        weight = self.weight * include
        who = self.replies.witness
        found = self._table(weight[who]) @ np.log(self.everyone).T
        found += self._table(weight[who] * np.log(self.lead)[who]).toarray()
        shape = self.n_items, self.n_witnesses
        asked = sparse.csr_array((weight[who], (self.replies.item, who)), shape=shape)
        return np.asarray(found - asked @ np.log(self._total()))

    def update(self, truth: Floats) -> None:
        """Count all replies anew; `truth` is how probable each option is of each item."""
        said = self._table(np.ones(len(self.replies.said)))
        counts = (said.T @ truth).T  # option x said
        share = counts.diagonal().sum() / max(counts.sum(), 1e-9)
        even = np.full(counts.shape, (1.0 - share) / max(1, self.n - 1))
        np.fill_diagonal(even, share)
        self.everyone = counts + SPREAD * even + 1e-6
        self.everyone /= self.everyone.sum(axis=1, keepdims=True)
        right = truth[self.replies.item, self.replies.said]
        asked = np.bincount(self.replies.witness, minlength=self.n_witnesses)
        hits = np.bincount(self.replies.witness, right, minlength=self.n_witnesses)
        rate = ((hits + LEANING * share) / (asked + LEANING)).clip(1e-3, 1 - 1e-3)
        usual = np.clip(share, 1e-3, 1 - 1e-3)
        self.lead = rate / (1.0 - rate) * (1.0 - usual) / usual

    def says(self, witness: int | None, items: slice) -> Floats:  # noqa: ARG002 (as `Confusion` has it)
        """P(says c | it is d) of one more reply of a witness, or of anyone: the same of all items, so (1, ...)."""
        lead = np.ones(1) if witness is None else self.lead[witness]
        found = self.everyone * np.where(np.eye(self.n, dtype=np.bool_), lead, 1.0)
        return np.asarray(found / found.sum(axis=1, keepdims=True))[None]

    def surprise(self, truth: Floats) -> Floats:
        """Of each reply, whether it is right, less how probable that was: what should not go together."""
        who = self.replies.witness
        item = self.replies.item
        said = self.replies.said
        right = self.lead[:, None] * self.everyone.diagonal() / self._total()
        return np.asarray(truth[item, said] - np.einsum("rd,rd->r", truth[item], right[who]))

    def _total(self) -> Floats:
        """What P must be divided by, (witness, option)."""
        return np.asarray(1.0 + (self.lead[:, None] - 1.0) * self.everyone.diagonal())

    def _table(self, weights: Floats) -> sparse.csr_array:
        at = self.replies.item, self.replies.said
        return sparse.csr_array((weights, at), shape=(self.n_items, self.n))
