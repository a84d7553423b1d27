"""Complete the probabilities of some labels of a choice.

0.9 for bird leaves 0.1 for all others together.

A long table has a row for the label that a model predicts. If at most one label of the group holds,
the row is a vote: it has the probability of its label, and the logic gives the rest to the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...logic.compiled.choices import Choice
from ...logic.engines import Floats
from ...logic.ontology import Ontology
from .groups.choice_replies import MOST_LABELS
from .reports import Flags, Ints, Reports

#: Probabilities worked out together, in cells.
AT_ONCE = 20_000_000


class Votes(NamedTuple):
    """Which label of a choice a witness takes for the narrowest that holds, item by item.

    `labels` are those of which it speaks, `wider` the next wider one of each among them (-1: there is none). `said` is
    a place in `labels`, or -1 for none of them.
    """

    witness: int
    labels: Ints
    wider: Ints
    item: Ints
    said: Ints

    def right(self, posterior: Floats) -> tuple[Floats, Floats]:
        """How probably each vote is right, from the posterior of all items (N, K), and how probably a perfect one is.

        A perfect vote is right as often as the posterior is: by the sum of the squares of what it says.
        """
        right = np.empty(len(self.said))
        perfect = np.zeros(len(self.said))
        for j in range(-1, len(self.labels)):
            own = np.ones(len(self.said)) if j < 0 else posterior[self.item, self.labels[j]]
            narrower = posterior[np.ix_(self.item, self.labels[self.wider == j])].sum(axis=1)
            share = np.clip(own - narrower, 0.0, 1.0)
            perfect += share**2
            right[self.said == j] = share[self.said == j]
        return right, perfect


def completed(said: Reports, onto: Ontology) -> tuple[Reports, list[Votes]]:
    """Reports with what they leave for labels of which a witness is silent; and the votes there are among them.

    Only probabilities are completed, and only for labels of which the witness speaks somewhere: of the others it may
    know nothing. A witness that speaks of a single label of a choice does not vote. A choice of more than `MOST_LABELS`
    labels is taken label by label.
    """
    scores = np.flatnonzero(~said.are_votes)
    more = [said]
    votes = list[Votes]()
    for choice in onto.choices:
        place = np.full(len(onto), -1)
        place[choice.labels] = np.arange(len(choice.labels))
        about = scores[place[said.label[scores]] >= 0]
        if not len(about) or len(choice.labels) > MOST_LABELS:
            continue
        for w in np.unique(said.witness[about]).tolist():
            own = said.some(_among(about[said.witness[about] == w], len(said.value)))
            if len(spoken := np.unique(place[own.label])) > 1:
                for rest, vote in _of_witness(choice, own, place, spoken, w):
                    more.append(rest)
                    votes.append(vote)
    columns = (
        [getattr(one, name) for one in more] for name in ("witness", "item", "label", "value")
    )
    return Reports(said.witnesses, said.items, *(np.concatenate(one) for one in columns)), votes


def _among(which: Ints, n: int) -> Flags:
    flags = np.zeros(n, np.bool_)
    flags[which] = True
    return flags


def _of_witness(
    choice: Choice, own: Reports, place: Ints, spoken: Ints, w: int
) -> Iterator[tuple[Reports, Votes]]:
    """What one witness leaves for labels that it does not name, and its votes; some items at a time."""
    wider = _next_wider(choice, spoken)
    items, row = np.unique(own.item, return_inverse=True)
    step = max(1, AT_ONCE // len(choice.labels))
    for first in range(0, len(items), step):
        some = items[first : first + step]
        here = (row >= first) & (row < first + step)
        given = np.full((len(some), len(choice.labels)), np.nan)
        given[row[here] - first, place[own.label[here]]] = own.value[here]
        found = spread(choice, given)[:, spoken]
        at, silent = np.nonzero(np.isnan(given[:, spoken]))
        rest = Reports(
            own.witnesses,
            own.items,
            np.full(len(at), w),
            some[at],
            choice.labels[spoken[silent]],
            found[at, silent],
        )
        own_share = np.column_stack([found, np.ones(len(found))])  # the last one is none of them
        for j, at_least in enumerate(wider.tolist()):
            own_share[:, at_least] -= found[:, j]
        said = own_share.argmax(axis=1)
        yield (
            rest,
            Votes(w, choice.labels[spoken], wider, some, np.where(said < len(spoken), said, -1)),
        )


def _next_wider(choice: Choice, spoken: Ints) -> Ints:
    """Of each label that is spoken of, the place of the next wider one that is, -1 where there is none."""
    at = {label: j for j, label in enumerate(spoken.tolist())}
    out = np.full(len(spoken), -1)
    for j, label in enumerate(spoken.tolist()):
        up = int(choice.parent[label])
        while up >= 0 and up not in at:
            up = int(choice.parent[up])
        out[j] = at.get(up, -1)
    return out


def spread(choice: Choice, given: Floats) -> Floats:
    """Return all probabilities of a choice from those of some labels (N, n), nan if not given.

    A given label may leave some probability beside the given narrower ones. It goes evenly to the
    other narrowest labels within it. The rest of all goes to the remaining labels, and to none if
    none may hold.
    """
    n = len(choice.labels)
    root = len(choice.labels)
    parent = np.where(choice.parent >= 0, choice.parent, root)
    named = ~np.isnan(given)
    mass = np.column_stack([np.where(named, given, 0.0), np.ones(len(given))])
    order = _wide_first(choice)
    near = np.full(
        (len(given), n + 1), root
    )  # the narrowest label that was named, of those at least as wide
    left = mass.copy()
    ends = np.zeros_like(mass)
    for j in order:
        above = near[:, parent[j]]
        near[:, j] = np.where(named[:, j], j, above)
        rows = np.flatnonzero(named[:, j])
        left[rows, above[rows]] -= mass[rows, j]
    every = np.arange(len(given))
    for j in [*np.flatnonzero(choice.final).tolist(), *([root] if choice.none else [])]:
        ends[every, near[:, j]] += 1
    share = left.clip(0.0) / np.maximum(ends, 1)
    found = np.where(choice.final, np.take_along_axis(share, near[:, :n], axis=1), 0.0)
    for j in reversed(order):  # a wider label is as probable as all that is narrower, together
        found[:, j] = np.where(named[:, j], given[:, j], found[:, j].clip(0.0, 1.0))
        if parent[j] < root:
            found[:, parent[j]] += found[:, j]
    return found


def _wide_first(choice: Choice) -> list[int]:
    depth = np.zeros(len(choice.labels), np.int64)
    for j in range(len(depth)):
        up = int(choice.parent[j])
        while up >= 0:
            depth[j] += 1
            up = int(choice.parent[up])
    return [int(j) for j in np.argsort(depth, kind="stable")]
