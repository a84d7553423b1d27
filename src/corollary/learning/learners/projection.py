"""From marginals to the scores of a field that has them: trees and boosting as members of a log-linear pool."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...logic.engines import Floats
from ...logic.ontology import Ontology

#: Differences of marginals below this are as good as 0.
LEAST = 1e-9
#: Marginals need not be met more closely than this, and are not worth more sweeps over the labels than that.
CLOSE = 1e-3
SWEEPS = 12
#: Scores are limited to this; larger ones make no difference to a belief.
LARGEST = 27.0
#: The share of the uniform distribution of legal worlds that is added if scores would be larger.
LITTLE = 1e-8


#: Rows at once, so that a training in the background never holds up others for long.
AT_ONCE = 4_096


class Projection:
    """The field over an ontology's legal worlds that is nearest to a distribution (in Kullback-Leibler divergence).

    It is the one with the same marginals. Where labels form a forest whose siblings are free, exclusive or exactly
    one, its scores have a closed form: with groups g of exclusive children, a label k of a group under p has
    f_k = log m_k / (m_p - Σ m of its group) - Σ_g log m_k / (m_k - Σ_g m). Elsewhere that is where fitting starts; it
    ends when no marginal is off by more than 0.001, or after 12 sweeps over the labels.
    """

    def __init__(self, onto: Ontology):
        self.onto = onto
        n = len(onto)
        nothing = onto.propagate(np.full((1, n), -1))[0]
        #: The labels that scores are for: not forced, and the first of those that are equivalent.
        self._labels, follows = _free_labels(onto, nothing)
        above = (follows == 1) & ~np.eye(len(self._labels), dtype=np.bool_)
        self._parent = _parents(above)
        self._group, self._group_parent = _groups(follows == 0, self._parent)
        #: The marginals of the uniform distribution of legal worlds.
        self.even, _ = onto.marginals(np.zeros((1, n)))

    def scores(self, marginals: Floats) -> Floats:
        """Scores (N, K) of fields with these marginals, which must be those of a mix of all legal worlds."""
        found = np.zeros(marginals.shape)
        found[:, self._labels] = self._closed_form(marginals[:, self._labels])
        return self._fitted(np.clip(found, -LARGEST, LARGEST), marginals)

    def bounded(self, scores: Floats) -> Floats:
        """Return the same fields with scores that beliefs can hold.

        Only very improbable labels change.
        """
        out = scores.copy()
        for first in range(
            0, len(out), AT_ONCE
        ):  # numpy gathers rows under the interpreter's lock: people wait for it
            block = out[first : first + AT_ONCE]
            rows = np.flatnonzero(np.abs(block).max(axis=1, initial=0.0) > LARGEST)
            if len(rows):
                q, _ = self.onto.marginals(block[rows])
                block[rows] = np.clip(
                    self.scores((1 - LITTLE) * q + LITTLE * self.even), -LARGEST, LARGEST
                )
        return out

    def _closed_form(self, m: Floats) -> Floats:
        """The closed form over the free labels; where labels form no such forest, a start."""
        room = np.hstack([m, np.ones((len(m), 1))])  # the last column is the root
        together = np.zeros((len(m), len(self._group_parent)))
        np.add.at(together.T, self._group, m.T)
        whole = room[:, self._group_parent]
        rest = np.maximum(whole - together, LEAST * whole)
        scores = np.log(np.maximum(m, LEAST)) - np.log(np.maximum(rest, LEAST**2))[:, self._group]
        below = np.log(np.maximum(rest, LEAST**2)) - np.log(np.maximum(whole, LEAST))
        inner = np.flatnonzero(self._group_parent < m.shape[1])
        np.add.at(scores.T, self._group_parent[inner], below.T[inner])
        return scores

    def _fitted(self, scores: Floats, m: Floats) -> Floats:
        """Scores with the marginals, from a start that may have them already: proportional fitting, label by label.

        That is coordinate descent on log Z(f) - f m, which is convex: the best score of a label, all others fixed, is
        its score plus the difference of the log-odds of m and q.
        """
        wanted = _log_odds(m)
        rows = np.arange(len(m))
        for _ in range(SWEEPS):
            q, _ = self.onto.marginals(scores[rows])
            rows = rows[np.abs(q - m[rows]).max(axis=1, initial=0.0) > CLOSE]
            if not len(rows):
                break
            for k in self._labels:
                q, _ = self.onto.marginals(scores[rows])
                moved = scores[rows, k] + wanted[rows, k] - _log_odds(q[:, k])
                scores[rows, k] = np.clip(moved, -LARGEST, LARGEST)
        return scores


def _log_odds(p: Floats) -> Floats:
    inside = np.clip(p, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(inside) - np.log(1.0 - inside))


def _free_labels(
    onto: Ontology, nothing: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """The labels that are not forced, one of each set of equivalent ones, and what follows from each (n, n)."""
    free = np.flatnonzero(nothing < 0)
    asked = np.full((len(free), len(onto)), -1, np.int8)
    asked[np.arange(len(free)), free] = 1
    follows = onto.propagate(asked)[:, free]
    same = (follows == 1) & (follows == 1).T
    first = np.argmax(same, axis=1) == np.arange(len(free)) if len(free) else np.zeros(0, np.bool_)
    return free[first], follows[np.ix_(first, first)]


def _parents(above: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The nearest label above each, the one with the most above itself; n, the root, where there is none."""
    n = len(above)
    depth = above.sum(axis=1)
    deepest = np.where(above, depth[None, :], -1)
    return (
        np.where(above.any(axis=1), deepest.argmax(axis=1, keepdims=False), n)
        if n
        else np.zeros(0, np.int64)
    )


def _groups(
    exclusive: npt.NDArray[np.bool_], parent: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A number for each label's group of exclusive siblings, and the parent of each group: greedily, in their order."""
    group = np.empty(len(parent), np.int64)
    members: list[list[int]] = []
    for k, p in enumerate(parent.tolist()):
        for number, labels in enumerate(members):
            if parent[labels[0]] == p and exclusive[k, labels].all():
                labels.append(k)
                group[k] = number
                break
        else:
            group[k] = len(members)
            members.append([k])
    return group, np.array([parent[labels[0]] for labels in members], np.int64)
