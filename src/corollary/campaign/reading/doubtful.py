"""Where people can be wrong: which answers probably are, what speaks against them, and how far each can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...learning.session.hearing import Doubt, Trust
from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ..state.fallible_session import FallibleSession
from ..state.standing import Conflict, Opinion
from ..state.state import State


@dataclass(frozen=True)
class Doubtful:
    """An answer that may be wrong, how probably, and how probable its value would be had nobody given it.

    `against` are the answers about the item that speak against it. An answer that is doubted is not in effect.
    """

    item: str
    opinion: Opinion
    probability: float
    without: float
    against: tuple[Opinion, ...]
    doubted: bool


@dataclass(frozen=True)
class Weighed:
    """How far people can be trusted, by name, and how many of the labels that are known are probably wrong."""

    people: dict[str, Trust]
    known: int
    wrong: float


def doubtful(state: State, n: int, *, at_least: float = 0.0) -> list[Doubtful]:
    """The n answers that are most probably wrong, the worst first; a reply about a whole item by what it names."""
    session = _fallible(state)
    items, rows, found = _probable(state, session)
    wrong: list[tuple[float, int, str, Opinion]] = []
    for item, row, p in zip(items, rows.tolist(), found, strict=True):
        named = session.stated(row)
        for label, by in state.standing_of(item).said.opinions.items():
            if label in state.standing_of(item).said.decided or label not in state.onto.index:
                continue
            chance = float(p[state.onto.index[label]])
            for one in by.values():
                doubt = 1.0 - chance if one.value else chance
                if doubt >= at_least and (one.who, label) in named:
                    wrong.append((doubt, one.seq, item, one))
    wrong.sort(key=lambda each: (-each[0], each[1]))
    return [_told(state, session, item, one) for _, _, item, one in wrong[:n]]


def blamed(state: State, item: str, conflict: Conflict) -> Doubtful | None:
    """Of opinions that cannot all be true the one that is most probably wrong; None where answers are facts."""
    if not isinstance(state.session, FallibleSession):
        return None
    own = [one for one in conflict.opinions if not one.decided and _is_stated(state, state.session, item, one)]
    told = [_told(state, state.session, item, one) for one in own]
    return max(told, key=lambda one: (one.probability, -one.opinion.seq), default=None)


def weighed(state: State) -> Weighed | None:
    """How far people can be trusted, and how much of what is known is probably wrong; None where answers are facts."""
    if not isinstance(state.session, FallibleSession):
        return None
    _, rows, found = _probable(state, state.session)
    standing: Facts = state.facts[rows]
    chance_wrong = np.where(standing == 1, 1.0 - found, found)
    wrong = float(chance_wrong[standing >= 0].sum())
    people = {str(who): trust for who, trust in state.session.reliability().items()}
    return Weighed(people, state.tally.settled, wrong)


def _fallible(state: State) -> FallibleSession:
    if not isinstance(state.session, FallibleSession):
        raise CorollaryError(
            "answers count as the truth in this campaign, none is doubted; the setting 'fallible' weighs them"
        )
    return state.session


def _probable(state: State, session: FallibleSession) -> tuple[list[str], np.ndarray, Floats]:
    """The items of which people said something, their rows, and how probable each of their labels is."""
    items = [item for item, one in state.standings.items() if one.said.opinions and not one.withdrawn]
    rows = np.array([state.row(item) for item in items], np.int64)
    return items, rows, session.probable(rows)


def _is_stated(state: State, session: FallibleSession, item: str, one: Opinion) -> bool:
    return (one.who, one.label) in session.stated(state.row(item))


def _told(state: State, session: FallibleSession, item: str, one: Opinion) -> Doubtful:
    """What speaks against an answer."""
    said = state.standing_of(item).said
    found = next(doubt for doubt in reversed(session.doubts_of(state.row(item))) if _is_about(doubt, one))
    against = tuple(
        said.opinions[label][str(who)] for who, label, _ in found.against if str(who) in said.opinions.get(label, {})
    )
    doubted = (one.seq, one.label) in state.doubted.get(item, frozenset())
    return Doubtful(item, one, found.probability, found.without, against, doubted)


def _is_about(doubt: Doubt, one: Opinion) -> bool:
    return (doubt.who, doubt.label, doubt.value) == (one.who, one.label, one.value)
