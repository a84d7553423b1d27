"""Reports divided by kind, each kind with the model that weighs it: what they say of cells, and how that is learnt."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..reliability import Reliability
from .calibration import Calibration
from .groups.choice_replies import ChoiceReplies, as_chances, whole_replies
from .groups.confusion import Confusion
from .groups.pooled_confusion import PooledConfusion
from .prevalence import Prevalence
from .reports import Flags, Reports
from .shared_errors import shared_weights
from .shares import completed

#: Confusions are learnt for each witness if it has this number of replies for each option on
#: average, or half as many as there are options, and if the tables are small enough. Otherwise all
#: witnesses share one.
ENOUGH_REPLIES = 10
MOST_CONFUSIONS = 20_000_000


class Parts:
    """The reports by kind, each with the model that weighs them, and the prevalence of labels.

    With `pooled` all witnesses share one table of confusions, however many replies there are.
    """

    def __init__(self, said: Reports, onto: Ontology, known: Facts, *, pooled: bool = False):
        self.shape = known.shape
        n_witnesses = len(said.witnesses)
        said, self._named = completed(said, onto)
        votes = said.some(said.are_votes)
        taken = np.zeros(len(votes.value), np.bool_)
        self.choices: list[Confusion | PooledConfusion] = []
        for choice in onto.choices:
            replies, of_them = whole_replies(choice, votes)
            if replies is not None:
                model = PooledConfusion if pooled else _model
                self.choices.append(model(replies, len(said.items), n_witnesses))
                taken |= of_them
        self.votes = votes.some(~taken)
        self.scores = said.some(~said.are_votes)
        self.trust = Reliability(n_witnesses, len(onto))
        self.calibration = Calibration(self.scores, len(onto))
        self.weight = np.ones(n_witnesses)
        first, reported = self._first_look()
        look = onto.posterior(first, known)
        for choice in onto.choices:
            free = (known[:, choice.labels] < 0).all(axis=1)
            look[np.ix_(free, choice.labels)] = as_chances(choice, first[free])
        of_choices = np.zeros(len(onto), np.bool_)
        for one in self.choices:
            of_choices[one.replies.choice.labels] = True
        self.prevalence = Prevalence(onto, look, reported, of_choices)
        self._learn(look)

    def _first_look(self) -> tuple[Floats, Flags]:
        """Beliefs to begin with, the mean of what was said of each cell or else of the label; and labels spoken of."""
        sums = np.zeros(self.shape)
        counts = np.zeros(self.shape)
        for part in (self.votes, self.scores):
            cell = part.item * self.shape[1] + part.label
            sums += np.bincount(cell, part.value, minlength=sums.size).reshape(self.shape)
            counts += np.bincount(cell, minlength=sums.size).reshape(self.shape)
        for one in self.choices:
            labels = one.replies.choice.labels
            sums[:, labels] += one.replies.said_of_labels(self.shape[0])
            counts[:, labels] += np.bincount(one.replies.item, minlength=self.shape[0])[:, None]
        usual = (sums.sum(axis=0) + 0.5) / (counts.sum(axis=0) + 1.0)
        return (sums + usual) / (counts + 1.0), counts.sum(axis=0) > 0

    def evidence(self, of: Flags | None = None) -> Floats:
        """What all reports together add to the log-odds of each cell, or those of some witnesses."""
        total = np.zeros(self.shape)
        include = np.ones(len(self.weight)) if of is None else of.astype(np.float64)
        for part, ratio in (
            (
                self.votes,
                self.trust.log_ratio(self.votes.witness, self.votes.label, self.votes.value),
            ),
            (self.scores, self.calibration.log_ratio()),
        ):
            cell = part.item * self.shape[1] + part.label
            counts = (self.weight * include)[part.witness]
            total += np.bincount(cell, ratio * counts, minlength=total.size).reshape(self.shape)
        for one in self.choices:
            total[:, one.replies.choice.labels] += one.replies.evidence(one.log_likelihood(include))
        return total

    def update(self, posterior: Floats) -> None:
        """Update trust, calibration, confusion, weights and prevalence from the posterior."""
        self._learn(posterior)
        self._share_weights(posterior)
        self.prevalence.update(posterior)

    def _learn(self, posterior: Floats) -> None:
        votes = self.votes
        scores = self.scores
        self.trust.update(
            votes.witness, votes.label, votes.value, posterior[votes.item, votes.label]
        )
        self.calibration.update(posterior[scores.item, scores.label])
        for one in self.choices:
            one.update(one.replies.chances(posterior))

    def _share_weights(self, posterior: Floats) -> None:
        """Lower the weights of reports if witnesses err together.

        About labels, and about each choice.
        """
        votes = self.votes
        scores = self.scores
        n = len(self.weight)
        truth = posterior[votes.item, votes.label]
        (no, yes) = self.trust.rates[:, votes.witness, votes.label]
        self.weight = shared_weights(
            np.concatenate(
                [
                    votes.value - (truth * yes + (1.0 - truth) * (1.0 - no)),
                    self.calibration.surprise,
                ]
            ),
            np.concatenate([votes.witness, scores.witness]),
            np.concatenate([part.item * self.shape[1] + part.label for part in (votes, scores)]),
            n,
        )
        for one in self.choices:
            surprise = one.surprise(one.replies.chances(posterior))
            # Items that are hard for everyone are in the kinds already.
            one.weight = shared_weights(
                surprise, one.replies.witness, one.replies.item, n, beyond_usual=True
            )

    def right_votes(self, posterior: Floats) -> tuple[Floats, Floats, Floats]:
        """Return for each witness the votes about choices, the right ones, and a perfect witness's."""
        n = len(self.weight)
        found = [(one.replies.witness, *one.replies.right(posterior)) for one in self.choices]
        found += [
            (np.full(len(one.said), one.witness), *one.right(posterior)) for one in self._named
        ]
        votes = np.zeros(n)
        right = np.zeros(n)
        perfect = np.zeros(n)
        for witness, hits, most in found:
            votes += np.bincount(witness, minlength=n)
            right += np.bincount(witness, hits, minlength=n)
            perfect += np.bincount(witness, most, minlength=n)
        return votes, right, perfect

    def counts(self, posterior: Floats) -> tuple[Floats, Floats]:
        """How often labels were no and yes where each witness spoke, and were said to be: 2 x witnesses x labels."""
        every = Reliability(len(self.weight), self.shape[1])
        both = (self.votes, self.scores)
        truth = np.concatenate([posterior[of.item, of.label] for of in both])
        witness, label, value = (
            np.concatenate([getattr(of, name) for of in both])
            for name in ("witness", "label", "value")
        )
        every.update(witness, label, value > 0.5, truth)
        counts = every.counts
        right = every.right
        for one in self.choices:
            of_labels = one.replies.label_counts(posterior, len(self.weight))
            for total, found in zip((counts, right), of_labels, strict=True):
                total[:, :, one.replies.choice.labels] += found
        return counts, right


def _model(replies: ChoiceReplies, n_items: int, n_witnesses: int) -> Confusion | PooledConfusion:
    n = len(replies.options)
    rows = n_witnesses * n
    enough = min(ENOUGH_REPLIES, n / 2)
    own = len(replies.said) >= enough * rows and rows * n <= MOST_CONFUSIONS
    return (Confusion if own else PooledConfusion)(replies, n_items, n_witnesses)
