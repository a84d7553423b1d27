"""The replies to people, without labels that are hidden from them.

Gold questions and second opinions are asked blind. Their labels are hidden from everyone who may be
asked about them, and so is everything from which they would follow. All that is shown follows from
answers that do not settle a hidden label. A person only ever sees their own answer to a gold
question, because an undo would let them give it again.
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
    """The effect of an answer.

    Attributes
    ----------
    event
        The answer in the log.
    settled
        Labels that are known only now. Each has its reason as `why`, and as text with `str`.
    opened
        Labels that are open again, with their earlier values.
    second_opinion
        Whether the label was settled before, or others had answered it.
    conflict
        The conflict that the answer is part of.
    item_done
        Whether all labels of the item are known.
    counts
        The figures of the campaign.
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
    """The effect of an undo: the undone event, and the labels that are open or settled again."""

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
    """A conflict for the lead, with the notes of annotators; `waiting` labels are held back."""

    item: str
    conflict: Conflict
    doubts: tuple[Event, ...]
    waiting: int


@dataclass(frozen=True)
class Why:
    """Why a label of an item has its value, and whose answers it follows from.

    `value` and `explanation` are None if the label is open.
    """

    item: str
    label: str
    value: bool | None
    explanation: Explanation | None
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True)
class Preview:
    """The effect that another ontology would have.

    Attributes
    ----------
    added, removed
        Labels that only the new, or only the current ontology has.
    settles, reopens
        The number of labels that it would settle and reopen.
    breaks
        Items whose answers would conflict.
    mends
        Items whose conflicts would be gone.
    refused
        Items whose decisions would contradict each other. With these it cannot be put in force.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    settles: int
    reopens: int
    breaks: tuple[tuple[str, Conflict], ...]
    mends: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]

    def as_dict(self, names: Names = None) -> dict[str, Any]:
        """Return a dict for JSON, with the displayed `names` of labels in messages."""
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
    """The part of an item that a person may see: answers, known labels, and hidden labels."""

    who: str
    hidden: frozenset[str]
    answers: dict[str, bool]
    known: dict[str, bool]

    def facts(self, onto: Ontology) -> Facts:
        """Return the known labels, int8 (K,)."""
        row = np.full(len(onto), -1, np.int8)
        row[[onto.index[label] for label in self.known]] = list(self.known.values())
        return row

    def may_show(self, opinion: Opinion) -> bool:
        """Whether the person may see this opinion."""
        return opinion.label not in self.hidden or opinion.who == self.who


def seen_by(state: State, who: str | None, item: str, *, asked: str | None = None) -> Seen | None:
    """Return the part of an item that `who` may see; None if nothing is hidden from them.

    `asked` is a label that they are being asked about.
    """
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
    """Return beliefs and known labels for the options of a whole item that `who` may see, both (K,).

    If the model may have learnt from hidden labels, all labels get the same probability. In a
    fallible campaign, a model predicts an item without the answers about it. Then only a sure
    hidden label, such as gold, has this effect.
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


class Outcome(NamedTuple):
    """The effect of an answer that its giver may see."""

    settled: tuple[Settled, ...] = ()
    opened: tuple[tuple[str, bool], ...] = ()
    done: bool = False


def outcome_of(state: State, seen: Seen, event: Event, change: Change) -> Outcome:
    """Return the effect of an answer as if the hidden answers had never been given."""
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
        return Outcome()
    settled = (
        Settled(event.item, one, known[one], state.onto, answers)
        for one in known
        if one not in seen.known
    )
    opened = ((one, value) for one, value in seen.known.items() if one not in known)
    return Outcome(tuple(settled), tuple(opened), len(known) == len(state.onto))


def opened_of_own(onto: Ontology, who: str, change: Change) -> tuple[tuple[str, bool], ...]:
    """Return the labels that no longer follow from the person's own answers."""
    before, after = (
        _follow(onto, _own(onto, who, one)) or {} for one in (change.before, change.after)
    )
    return tuple((label, value) for label, value in before.items() if label not in after)


def _others(state: State, one: Standing, hidden: frozenset[str]) -> dict[str, bool]:
    """Return undisputed answers about labels that are not hidden.

    It does not use the answers in effect, because they may depend on hidden ones.
    """
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
