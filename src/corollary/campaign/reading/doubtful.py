"""Answers of fallible people.

Which are probably wrong, the evidence against them, and the trust in each person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...learning.session.hearing import Doubt, Hearing, Trust
from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.readable import Names, called
from ...logic.wording import percent
from ..state.fallible_session import FallibleSession
from ..state.standing import IMPORT, Conflict, Opinion, opinion_in_words
from ..state.state import State


@dataclass(frozen=True)
class Doubtful:
    """An answer that may be wrong, its probability, and the probability of its value without it.

    `against` are the answers about the item that are evidence against it. A doubted answer is not
    in effect.
    """

    item: str
    opinion: Opinion
    probability: float
    without: float
    against: tuple[Opinion, ...]
    doubted: bool


@dataclass(frozen=True)
class Weighed:
    """The reliability of people by name, and how many of the known labels are probably wrong."""

    people: dict[str, Trust]
    known: int
    wrong: float


def hearing_of(state: State) -> Hearing:
    """Return the current answers of people, to be weighed without the lock."""
    if not isinstance(state.session, FallibleSession):
        raise CorollaryError(
            "answers count as the truth in this campaign; the setting 'fallible' weighs them"
        )
    return state.session.frozen()


def doubtful(state: State, found: Sequence[Doubt]) -> list[Doubtful]:
    """Return doubtful answers that were not taken back since; a pick once, by its worst label."""
    doubtful = []
    picks = set[int]()
    for doubt in found:
        one = (
            state.standing_of(str(doubt.item))
            .said.opinions.get(doubt.label, {})
            .get(str(doubt.who))
        )
        if one is not None and one.value == doubt.value and one.seq not in picks:
            doubtful.append(_with_evidence(state, str(doubt.item), one, doubt))
            picks.update([one.seq] if one.picked is not None else [])
    return doubtful


def blamed(state: State, item: str, conflict: Conflict) -> Doubtful | None:
    """Return the opinion in a conflict that is most probably wrong; None if answers are facts."""
    if not isinstance(state.session, FallibleSession):
        return None
    said = {(doubt.who, doubt.label): doubt for doubt in state.session.doubts_of(state.row(item))}
    weighed = [one for one in conflict.opinions if not one.decided and (one.who, one.label) in said]
    sure = tuple(
        one for one in conflict.opinions if one not in weighed
    )  # decisions and imported labels
    answers = [_with_evidence(state, item, one, said[one.who, one.label]) for one in weighed]
    worst = max(answers, key=lambda one: (one.probability, -one.opinion.seq), default=None)
    return None if worst is None else replace(worst, against=worst.against + sure)


def doubt_in_words(found: Doubtful, names: Names = None, call: Callable[[str], str] = str) -> str:
    """Describe the evidence against an answer, with names of people and labels for the reader."""
    others: dict[str, dict[str, None]] = {}
    for other in found.against:
        others.setdefault(other.who, {})[opinion_in_words(other, names)] = None
    evidence = "; ".join(
        f"{'the import' if who == IMPORT else call(who)} said {' and '.join(said)}"
        for who, said in others.items()
    )
    why = f"Against it: {evidence}." if others else "Nothing contradicts it."
    if not others and found.without < 0.5:
        why = "No other answer contradicts it, but the model does."
    one = found.opinion
    said = f"{'yes' if one.value else 'no'} to {called(one.label, names)}"
    if one.picked:
        said = opinion_in_words(one, names)
    return f"{why} Without this answer, {said} would be {percent(found.without)} probable."


def weighed(state: State) -> Callable[[], Weighed] | None:
    """Return a function that computes the trust in people and the expected number of wrong labels.

    It may be called without the lock. None if answers are facts.
    """
    if not isinstance(state.session, FallibleSession):
        return None
    hearing = state.session.frozen()
    known = state.tally.settled
    rows = hearing.rows
    standing: Facts = state.facts[rows]

    def find() -> Weighed:
        found = hearing.probable(rows)
        wrong = np.where(standing == 1, 1.0 - found, found)[standing >= 0].sum()
        return Weighed(
            {str(who): trust for who, trust in hearing.reliability().items()}, known, float(wrong)
        )

    return find


def improbable(state: State) -> int:
    """Return the number of improbable answers that are neither decided nor sure by now."""
    sure = state.session.sure
    index = state.onto.index
    seqs = {
        seq
        for item, cells in (state.doubts or {}).items()
        for seq, label in cells
        if label in index and sure[state.row(item), index[label]] < 0
    }
    return len(seqs)


def _with_evidence(state: State, item: str, one: Opinion, doubt: Doubt) -> Doubtful:
    """Return an answer with the evidence against it."""
    said = state.standing_of(item).said
    against = tuple(
        said.opinions[label][str(who)]
        for who, label, _ in doubt.against
        if str(who) in said.opinions.get(label, {})
    )
    doubted = (one.seq, one.label) in state.doubted.get(item, frozenset())
    return Doubtful(item, one, doubt.probability, doubt.without, against, doubted)
