"""Predictions for a question: the options of a pick, the most probable first, and suggestions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...learning.choosing.picks import by_narrowness, can_end_there, is_one_pick
from ...learning.stopping.calibration import log_odds
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import PREDICTED, SUGGESTED
from ..state.second_opinions import share
from ..state.state import State
from ..storage.records import Lease
from .replies import seen_by

#: The number of questions whose predictions are kept. Answers may come long after their lease.
REMEMBERED = 10_000
#: The least probability that is reported, never 0 or 1, because the question is open.
LEAST = 1e-4


class Guess(NamedTuple):
    """The most probable answer, its probability, and whether it is shown.

    For a whole item, the answer is the list of its narrowest labels, which may be empty.
    """

    value: bool | list[str]
    probability: float
    shown: bool

    def as_detail(self) -> dict[str, Any]:
        """Return the detail for the answer's event, under different names if shown or not."""
        return {SUGGESTED if self.shown else PREDICTED: [self.value, self.probability]}


def guess(state: State, lease: Lease) -> Guess | None:
    """Return the model's prediction for a question; None if there is none to show.

    An item with a hidden label (gold, second opinions) gets no prediction, because the
    probabilities could reveal the hidden label.
    """
    settings = state.settings
    item = lease.item
    label = lease.label
    if (
        not settings.suggest
        or not state.has_model
        or seen_by(state, lease.who, item, asked=label) is not None
    ):
        return None
    # Independent of the choice of second opinions, so that a share of them has no suggestion either.
    shown = share(settings.seed, "suggest", item, label) < settings.suggest
    return Guess(*predicted(state, item, label), shown)


def predicted(state: State, item: str, label: str | None) -> tuple[bool | list[str], float]:
    """Return the most probable answer to a question, and its probability."""
    row = state.row(item)
    beliefs = state.session.beliefs[row : row + 1]
    known = state.session.known_of(row)[None]
    value, probability = (
        _whole(state.onto, beliefs, known)
        if label is None
        else _yes_or_no(float(state.onto.posterior(beliefs, known)[0, state.onto.index[label]]))
    )
    return value, min(max(round(probability, 4), LEAST), 1.0 - LEAST)


def _yes_or_no(p: float) -> tuple[bool, float]:
    return (True, p) if p >= 0.5 else (False, 1.0 - p)


def _whole(onto: Ontology, beliefs: Floats, known: Facts) -> tuple[list[str], float]:
    """Return the narrowest open labels of an item's most probable labelling, and its probability."""
    labelling = onto.most_probable(beliefs, known)
    odds = log_odds(beliefs)
    log_z = onto.marginals(odds, known)[1]
    log_p = float(np.where(labelling == 1, odds, 0.0).sum() - log_z[0])
    on = np.flatnonzero((labelling[0] == 1) & (known[0] < 0))
    return [onto.labels[k] for k in _narrowest(onto, on).tolist()], float(np.exp(min(log_p, 0.0)))


def _narrowest(onto: Ontology, on: Any) -> Any:
    """Return the labels that no other one implies; only the first of equivalent ones."""
    alone = np.full((len(on), len(onto)), -1, np.int8)
    alone[np.arange(len(on)), on] = 1
    implies = onto.closure(alone)[0][:, on] == 1
    first = np.triu(np.ones_like(implies), 1)
    return on[~(implies & (~implies.T | first) & ~np.eye(len(on), dtype=np.bool_)).any(axis=0)]


class Guesses:
    """The predictions for questions that were handed out, by lease, including expired ones.

    They are kept here, so that the log has the predictions that were shown, whatever clients send.
    """

    def __init__(self) -> None:
        self._by_lease: OrderedDict[str, tuple[str, str, str | None, Guess | None]] = OrderedDict()

    def first(self, lease: Lease, found: Guess | None) -> Guess | None:
        """Return the prediction from when the question was first shown; later models do not change it."""
        if lease.id not in self._by_lease:
            self._by_lease[lease.id] = (lease.who, lease.item, lease.label, found)
            if len(self._by_lease) > REMEMBERED:
                self._by_lease.popitem(last=False)
        return self._by_lease[lease.id][3]

    def of(self, id: str | None, who: str, item: str, label: str | None) -> Guess | None:
        """Return the prediction for an answered question; None if the lease is for another one."""
        return self._by_lease[id or ""][3] if self.has(id, who, item, label) else None

    def has(self, id: str | None, who: str, item: str, label: str | None) -> bool:
        """Whether a lease is or was for this question to this person."""
        kept = self._by_lease.get(id or "")
        return kept is not None and kept[:3] == (who, item, label)


#: The labels right above each label.
Parents = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Options:
    """The open labels of an item, the most probable narrowest one first.

    Attributes
    ----------
    labels
        The open labels, or only the most probable ones.
    ends
        The labels that can be the narrowest.
    none, one
        Whether none of them may hold, and whether a single pick settles them all.
    open, pickable
        The number of open labels, and of those that can be the narrowest, even if not all are listed.
    """

    labels: tuple[str, ...]
    ends: frozenset[str]
    none: bool
    one: bool
    open: int
    pickable: int

    def narrowest(self) -> list[str]:
        """Return the labels that can be the narrowest, the most probable first."""
        return [label for label in self.labels if label in self.ends]


def options_of(onto: Ontology, beliefs: Floats, known: Facts) -> Options:
    """Return the options of an item with these beliefs and known labels, both (K,)."""
    likely = onto.posterior(beliefs[None], known[None])[0]
    order = by_narrowness(onto, likely, known)
    ends = can_end_there(onto, known)
    last = frozenset(onto.labels[k] for k in order if ends[k])
    labels = tuple(onto.labels[k] for k in order)
    return Options(labels, last, bool(ends[-1]), is_one_pick(onto, known), len(labels), len(last))


def likeliest(options: Options, most: int | None, parents: Parents) -> Options:
    """Return the `most` most probable options of a pick, with the open labels above them.

    If several labels may hold, all options are needed and returned.
    """
    if most is None or not options.one or options.pickable <= most:
        return options
    first = frozenset(options.narrowest()[:most])
    kept = with_those_above(first, parents)
    return replace(
        options, labels=tuple(label for label in options.labels if label in kept), ends=first
    )


def with_those_above(labels: Iterable[str], parents: Parents) -> set[str]:
    """Return the labels and all labels above them."""
    found: set[str] = set()
    waiting = list(labels)
    while waiting:
        label = waiting.pop()
        if label not in found:
            found.add(label)
            waiting += parents.get(label, ())
    return found
