"""The replies to people, as far as each may see: a blind second opinion sees nothing that others said.

Gold questions and second opinions are asked blind. Their cells are hidden from whoever may get them, and so is all that
would tell them: what is shown of such an item follows from answers that say nothing of the hidden cells. Of gold a
person only ever sees their own answer, for an undo would let them give it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...learning.question import Settled
from ...logic.engines import Facts, Floats
from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ...logic.readable import Names
from ...logic.reasoning.explanation import Explanation
from ..events import Event
from ..state.standing import Conflict, Opinion, Standing, conflict_in_words
from ..state.state import Change, State


@dataclass(frozen=True)
class Reply:
    """What an answer did. Each settled label has its reason as `why`, in plain words by `str`.

    `second_opinion`: its cell was settled before, or others gave theirs. `conflict`: what it cannot be true with.
    """

    event: Event
    settled: tuple[Settled, ...] = ()
    opened: tuple[tuple[str, bool], ...] = ()
    second_opinion: bool = False
    conflict: Conflict | None = None
    item_done: bool = False
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        """The place of the answer in the log."""
        return self.event.seq


@dataclass(frozen=True)
class Undone:
    """What an undo took back: the event, and the labels that are open again, or settled once more."""

    event: Event
    undone: Event
    opened: tuple[tuple[str, bool], ...]
    settled: tuple[Settled, ...]
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        """The place of the undo in the log."""
        return self.event.seq


@dataclass(frozen=True)
class ToSettle:
    """A conflict of an item for the lead, with what annotators noted about it; `waiting` labels are held back."""

    item: str
    conflict: Conflict
    doubts: tuple[Event, ...]
    waiting: int


@dataclass(frozen=True)
class Why:
    """Why a cell is what it is: the explanation, and who said the answers behind it; None if it is open."""

    item: str
    label: str
    value: bool | None
    explanation: Explanation | None
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True)
class Preview:
    """What another ontology would do: labels settled and reopened in all, and the items of which it breaks answers.

    `refused` are items of which decisions would clash: with these it cannot be put in force.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    settles: int
    reopens: int
    breaks: tuple[tuple[str, Conflict], ...]
    mends: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]

    def as_dict(self, names: Names = None) -> dict[str, Any]:
        """As JSON can hold it, messages with labels by their `names`."""
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "settles": self.settles,
            "reopens": self.reopens,
            "breaks": [
                {
                    "item": item,
                    "kind": conflict.kind,
                    "labels": list(conflict.labels),
                    "message": conflict_in_words(conflict, names),
                }
                for item, conflict in self.breaks
            ],
            "mends": list(self.mends),
            "refused": [{"item": item, "message": message} for item, message in self.refused],
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """What someone sees of an item: answers, all that follows from these, and what is hidden from them."""

    who: str
    hidden: frozenset[str]
    answers: dict[str, bool]
    known: dict[str, bool]

    def facts(self, onto: Ontology) -> Facts:
        """What is known, (K,)."""
        row = np.full(len(onto), -1, np.int8)
        row[[onto.index[label] for label in self.known]] = list(self.known.values())
        return row

    def may_show(self, opinion: Opinion) -> bool:
        """Whether someone's opinion says nothing that is hidden."""
        return opinion.label not in self.hidden or opinion.who == self.who


def seen_by(state: State, who: str | None, item: str, *, asked: str | None = None) -> Seen | None:
    """What someone sees of an item, who may just be asked about a label; None where nothing is hidden from them."""
    one = state.standing_of(item)
    hidden = frozenset() if who is None else state.waiting.blind(item, one, who)
    if asked is not None and asked in state.onto.index and state.is_known(item, asked):
        hidden |= {asked}
    if not hidden:
        return None
    own = _own(state.onto, who, one)
    mine = _follow(state.onto, own) or {}
    for answers in (
        _others(state, one, hidden) | {label: own[label] for label in hidden & own.keys()},
        own,
    ):
        known = _follow(state.onto, answers)
        if known is not None and not any(label in known and label not in mine for label in hidden):
            return Seen(who or "", hidden, answers, known)
    return Seen(who or "", hidden, {}, state.onto.propagate({}))


def believed_and_known(state: State, who: str | None, item: str) -> tuple[Floats, Facts]:
    """The beliefs and the facts that the options of a whole item are made of, as far as someone may see it, both (K,).

    A model may have learnt from hidden labels: then all labels are equally probable. In a fallible campaign it predicts
    an item without the answers about it, so that only a hidden label that is sure, such as gold, could show.
    """
    row = state.row(item)
    seen = seen_by(state, who, item)
    beliefs: Floats = state.session.beliefs[row].copy()
    if seen is None:
        return beliefs, state.session.sure[row].copy()
    hidden = [state.onto.index[label] for label in seen.hidden]
    if not state.settings.fallible or (state.session.sure[row, hidden] >= 0).any():
        beliefs = np.full(len(state.onto), 0.5)
    return beliefs, seen.facts(state.onto)


class Told(NamedTuple):
    """What an answer did, as far as its giver sees the item: what is known, what is open again, if all is known."""

    settled: tuple[Settled, ...] = ()
    opened: tuple[tuple[str, bool], ...] = ()
    done: bool = False


def told_of(state: State, seen: Seen, event: Event, change: Change) -> Told:
    """What to tell of an answer: the same as if what is hidden had never been said."""
    opinions = change.after.said.opinions.items()
    mine = {
        label: by[event.who]
        for label, by in opinions
        if event.who in by and label in state.onto.index
    }
    answers = {
        **seen.answers,
        **{label: one.value for label, one in mine.items() if one.seq == event.seq},
    }
    known = _follow(state.onto, answers)
    if known is None:
        return Told()
    settled = (
        Settled(event.item, one, known[one], state.onto, answers)
        for one in known
        if one not in seen.known
    )
    opened = ((one, value) for one, value in seen.known.items() if one not in known)
    return Told(tuple(settled), tuple(opened), len(known) == len(state.onto))


def opened_of_own(onto: Ontology, who: str, change: Change) -> tuple[tuple[str, bool], ...]:
    """What follows from someone's own answers no longer, whatever others said."""
    before, after = (
        _follow(onto, _own(onto, who, one)) or {} for one in (change.before, change.after)
    )
    return tuple((label, value) for label, value in before.items() if label not in after)


def _others(state: State, one: Standing, hidden: frozenset[str]) -> dict[str, bool]:
    """What is said of the cells that are not hidden, whatever stands in these: what is in effect may depend on them."""
    answers: dict[str, bool] = {}
    for label in {**one.said.decided, **one.said.opinions}.keys() - hidden:
        decided = one.said.decided.get(label)
        values = (
            {decided.value}
            if decided
            else {opinion.value for opinion in one.said.opinions[label].values()}
        )
        if len(values) == 1 and label in state.onto.index:
            answers[label] = values.pop()
    return answers


def _own(onto: Ontology, who: str | None, one: Standing) -> dict[str, bool]:
    opinions = {
        label: by[who].value
        for label, by in one.said.opinions.items()
        if who is not None and who in by
    }
    return {label: value for label, value in opinions.items() if label in onto.index}


def _follow(onto: Ontology, answers: Mapping[str, bool]) -> dict[str, bool] | None:
    try:
        return onto.propagate(answers)
    except Contradiction:
        return None
