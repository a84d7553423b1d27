"""One reply about a whole group of which only one can hold: one report, however many labels the group has.

"It is a bird" says no to every other animal as well; counted label by label, one mistake would look like several. Votes
of one witness on one item that settle a whole choice (`Ontology.choices`) are therefore taken together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....logic.compiled.choices import Choice
from ....logic.engines import Floats
from ..reports import Flags, Ints, Reports

#: A choice of more labels is taken label by label.
MOST_LABELS = 5_000
#: Votes looked at together, in cells.
AT_ONCE = 20_000_000


@dataclass(frozen=True, eq=False)
class ChoiceReplies:
    """Whole replies about one choice: who said of which item which of the options, by position in `options`.

    An option is a label that can be the narrowest, by its place in `choice.labels`; -1 is none of them.
    """

    choice: Choice
    options: Ints
    witness: Ints
    item: Ints
    said: Ints

    def evidence(self, log_likelihood: Floats) -> Floats:
        """What the likelihood of all that was said (N, options) adds to the log-odds of each label of the choice.

        The worlds of a choice are chains: a label's share is what it adds to that of the next wider one.
        """
        of_label = np.tile(log_likelihood.max(axis=1, keepdims=True), (1, len(self.choice.labels)))
        named = self.options >= 0
        none = (
            log_likelihood[:, ~named]
            if self.choice.none
            else log_likelihood.max(axis=1, keepdims=True)
        )
        of_label[:, self.options[named]] = log_likelihood[:, named]
        wider = np.where(self.choice.parent >= 0, of_label[:, self.choice.parent], none)
        return np.asarray(of_label - wider)

    def said_yes(self) -> Flags:
        """What saying each option says of each label of the choice, (options, labels)."""
        yes = _wider(self.choice)[self.options]
        yes[self.options < 0] = False
        return np.asarray(yes)

    def said_of_labels(self, n_items: int) -> Floats:
        """How many said yes to each label of the choice, item by item."""
        n = len(self.options)
        counts = np.bincount(self.item * n + self.said, minlength=n_items * n).reshape(n_items, n)
        return np.asarray(counts @ self.said_yes().astype(np.float64))

    def label_counts(self, posterior: Floats, n_witnesses: int) -> tuple[Floats, Floats]:
        """How often each label of the choice was no and yes where a witness spoke, and was said to be so then."""
        counts, right = (np.zeros((2, n_witnesses, len(self.choice.labels))) for _ in range(2))
        said_yes = self.said_yes()
        for j, label in enumerate(self.choice.labels.tolist()):
            yes = posterior[self.item, label]
            said = said_yes[self.said, j]
            for y, chance, so in ((0, 1.0 - yes, ~said), (1, yes, said)):
                counts[y, :, j] = np.bincount(self.witness, chance, minlength=n_witnesses)
                right[y, :, j] = np.bincount(self.witness, chance * so, minlength=n_witnesses)
        return counts, right

    def right(self, posterior: Floats) -> tuple[Floats, Floats]:
        """How probably each reply is right, from the posterior of all labels, and a perfect one; see `Votes`."""
        chances = self.chances(posterior)
        return np.asarray(chances[self.item, self.said]), np.asarray(
            (chances**2).sum(axis=1)[self.item]
        )

    def chances(self, posterior: Floats) -> Floats:
        """How probable each option is, (N, options), from the posterior of all labels."""
        narrowest = self.choice.narrowest(posterior)
        none = (1.0 - narrowest.sum(axis=1)).clip(0.0)
        found = np.where(self.options >= 0, narrowest[:, self.options], none[:, None])
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def as_chances(choice: Choice, beliefs: Floats) -> Floats:
    """Beliefs of all labels as probabilities of those of a choice; where they sum to too much, they share it."""
    narrowest = choice.narrowest(beliefs)
    total = narrowest.sum(axis=1, keepdims=True)
    shared = narrowest / np.maximum(total, 1.0 if choice.none else 1e-9)
    return np.asarray(shared @ _wider(choice))


def whole_replies(choice: Choice, votes: Reports) -> tuple[ChoiceReplies | None, Flags]:
    """The whole replies about a choice, and which of the votes they are made of."""
    options = np.flatnonzero(choice.final)
    options = np.append(options, -1) if choice.none else options
    place = np.full(int(max(votes.label.max(initial=0), choice.labels.max())) + 1, -1)
    place[choice.labels] = np.arange(len(choice.labels))
    about = np.flatnonzero(place[votes.label] >= 0)
    nothing = np.zeros(len(votes.label), np.bool_)
    if not len(about) or len(choice.labels) > MOST_LABELS:
        return None, nothing
    key = votes.witness[about] * len(votes.items) + votes.item[about]
    asked, reply = np.unique(key, return_inverse=True)
    order = np.argsort(reply, kind="stable")
    narrowest = np.empty(len(asked), np.int64)
    step = max(1, AT_ONCE // len(choice.labels))
    for first in range(0, len(asked), step):
        last = min(first + step, len(asked))
        these = about[order[slice(*np.searchsorted(reply[order], (first, last)))]]
        said = np.full((last - first, len(choice.labels)), -1, np.int8)
        row = (
            np.searchsorted(asked, votes.witness[these] * len(votes.items) + votes.item[these])
            - first
        )
        said[row, place[votes.label[these]]] = votes.value[these]
        narrowest[first:last] = _narrowest(choice, said)
    option_of = np.full(
        len(choice.labels) + 2, -1
    )  # two more: for none (-1) and for incomplete replies (-2)
    option_of[options] = np.arange(len(options))
    found = option_of[narrowest]
    whole = (narrowest >= -1) & (found >= 0)
    if not whole.any():
        return None, nothing
    nothing[about] = whole[reply]
    who, item = np.divmod(asked[whole], len(votes.items))
    return ChoiceReplies(choice, options, who, item, found[whole]), nothing


def _narrowest(choice: Choice, said: np.ndarray) -> Ints:
    """The place of the narrowest label that each row of votes says holds, -1 for none, -2 where it does not say."""
    wider = _wider(choice)
    depth = wider.sum(axis=1)
    yes = said == 1
    no = said == 0
    deepest = np.where(yes, depth, 0).argmax(axis=1)
    some = yes.any(axis=1)
    on_way = wider[deepest]
    consistent = ~(yes & ~on_way).any(axis=1) & ~(no & on_way).any(axis=1)
    below = choice.parent[None, :] == np.where(some, deepest, -1)[:, None]
    closed = ~(below & ~no).any(axis=1)  # a no to all that would be narrower
    whole = np.where(some, consistent, ~some) & closed
    return np.where(whole, np.where(some, deepest, -1), -2)


def _wider(choice: Choice) -> Flags:
    """[a, b]: whether label b is a, or wider than a."""
    n = len(choice.labels)
    wider = np.zeros((n, n), np.bool_)
    for j in range(n):
        up = j
        while up >= 0:
            wider[j, up] = True
            up = int(choice.parent[up])
    return wider
