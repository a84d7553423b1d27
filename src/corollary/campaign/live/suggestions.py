"""What the model predicts of a question: the options of a pick, the likeliest first, and suggestions."""

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

#: Of so many questions it is remembered what was shown with them: answers may come long after their lease.
REMEMBERED = 10_000
#: Probabilities are told to so much, and never as 0 or 1: the question is open.
LEAST = 1e-4


class Guess(NamedTuple):
    """The answer that is most probable, how probable it is, and whether it is shown.

    Of a whole item the answer is the list of its narrowest labels; it may be empty.
    """

    value: bool | list[str]
    probability: float
    shown: bool

    def as_detail(self) -> dict[str, Any]:
        """For the event of the answer: one that was shown is called otherwise than one that was not."""
        return {SUGGESTED if self.shown else PREDICTED: [self.value, self.probability]}


def guess(state: State, lease: Lease) -> Guess | None:
    """What the model predicts of a question; None where nobody is shown such, or something may not show.

    Where any label of the item is hidden from the person (gold, second opinions) nothing is predicted of the others
    either: how probable they are could tell it.
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
    # Chosen apart from those that get further opinions: a share of these too is asked without a suggestion.
    shown = share(settings.seed, "suggest", item, label) < settings.suggest
    return Guess(*predicted(state, item, label), shown)


def predicted(state: State, item: str, label: str | None) -> tuple[bool | list[str], float]:
    """The answer to a question that is most probable, and how probable it is."""
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
    """The most probable labelling of an item (1, K), as its narrowest open labels, and how probable it is."""
    labelling = onto.most_probable(beliefs, known)
    odds = log_odds(beliefs)
    log_z = onto.marginals(odds, known)[1]
    log_p = float(np.where(labelling == 1, odds, 0.0).sum() - log_z[0])
    on = np.flatnonzero((labelling[0] == 1) & (known[0] < 0))
    return [onto.labels[k] for k in _narrowest(onto, on).tolist()], float(np.exp(min(log_p, 0.0)))


def _narrowest(onto: Ontology, on: Any) -> Any:
    """Those of some labels that no other of them implies; of labels that mean the same the first."""
    alone = np.full((len(on), len(onto)), -1, np.int8)
    alone[np.arange(len(on)), on] = 1
    implies = onto.closure(alone)[0][:, on] == 1
    first = np.triu(np.ones_like(implies), 1)
    return on[~(implies & (~implies.T | first) & ~np.eye(len(on), dtype=np.bool_)).any(axis=0)]


class Guesses:
    """What was predicted of the questions that were handed out, by lease; those that ran out among them.

    It is kept here and not asked of those who answer: the log is to tell what they were shown, not what they say.
    """

    def __init__(self) -> None:
        self._by_lease: OrderedDict[str, tuple[str, str, str | None, Guess | None]] = OrderedDict()

    def first(self, lease: Lease, found: Guess | None) -> Guess | None:
        """What was predicted when the question was first told: it stays, whatever a model says meanwhile."""
        if lease.id not in self._by_lease:
            self._by_lease[lease.id] = (lease.who, lease.item, lease.label, found)
            if len(self._by_lease) > REMEMBERED:
                self._by_lease.popitem(last=False)
        return self._by_lease[lease.id][3]

    def of(self, id: str | None, who: str, item: str, label: str | None) -> Guess | None:
        """What was predicted of a question that someone answers; None where the lease is not one for it."""
        return self._by_lease[id or ""][3] if self.has(id, who, item, label) else None

    def has(self, id: str | None, who: str, item: str, label: str | None) -> bool:
        """Whether a lease is, or was, one for this question to this person."""
        told = self._by_lease.get(id or "")
        return told is not None and told[:3] == (who, item, label)


#: The labels right above each label.
Parents = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Options:
    """The open labels of an item, the one first that is most probably the narrowest.

    Those in `ends` can be the narrowest, and with `none` it may be that none of them holds. With `one` a single pick
    settles them all. `open` and `pickable` count the open labels and those that can be the narrowest, also where only
    some of them are here.
    """

    labels: tuple[str, ...]
    ends: frozenset[str]
    none: bool
    one: bool
    open: int
    pickable: int

    def narrowest(self) -> list[str]:
        """Those that can be the narrowest, the likeliest first."""
        return [label for label in self.labels if label in self.ends]


def options_of(onto: Ontology, beliefs: Floats, known: Facts) -> Options:
    """The options of an item, of which this is believed and known, both (K,)."""
    likely = onto.posterior(beliefs[None], known[None])[0]
    order = by_narrowness(onto, likely, known)
    ends = can_end_there(onto, known)
    last = frozenset(onto.labels[k] for k in order if ends[k])
    labels = tuple(onto.labels[k] for k in order)
    return Options(labels, last, bool(ends[-1]), is_one_pick(onto, known), len(labels), len(last))


def likeliest(options: Options, most: int | None, parents: Parents) -> Options:
    """Of a pick the likeliest so many, with what is open above them; where several may hold all of them are needed."""
    if most is None or not options.one or options.pickable <= most:
        return options
    first = frozenset(options.narrowest()[:most])
    kept = with_those_above(first, parents)
    return replace(
        options, labels=tuple(label for label in options.labels if label in kept), ends=first
    )


def with_those_above(labels: Iterable[str], parents: Parents) -> set[str]:
    """The labels and all that is above them."""
    found: set[str] = set()
    waiting = list(labels)
    while waiting:
        label = waiting.pop()
        if label not in found:
            found.add(label)
            waiting += parents.get(label, ())
    return found
