"""How expected answers were, and how answers to random questions agree, from the log alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...learning.stopping.calibration import SHARPNESS, Learnt
from ...logic.engines import Floats
from ...logic.ontology import Ontology
from ..events import ANSWER, DRAWN, EXPECTED, Event
from ..state.state import State
from .suggested import comparing

N_SHARPNESS = len(SHARPNESS)


def answers_with(state: State, *names: str) -> list[Event]:
    """Return the answers in effect with at least one of the details `names`, without doubted answers."""
    doubts = state.doubts or {}
    doubted = {seq for cells in doubts.values() for seq, _ in cells}
    return [
        event
        for event in state.events
        if event.detail is not None
        and event.kind == ANSWER
        and any(name in event.detail for name in names)
        if event.seq not in state.taken_back
        and event.item not in state.withdrawn
        and event.seq not in doubted
    ]


def record_of(answers: Iterable[Event], ontologies: Mapping[int, Ontology]) -> list[Learnt]:
    """Return how expected each answer was under its model, one part for each model, oldest first.

    It is the same record that a session keeps, but by answer, not by item. Older logs have it only
    for random questions, which then count as questions with two possible answers.
    """
    as_predicted = comparing(ontologies)
    return [
        _part(list(of_model), as_predicted)
        for _, of_model in groupby(answers, lambda event: event.model)
    ]


class _Expected(NamedTuple):
    risk: float
    log_p: Floats
    surprised: bool
    drawn: bool
    chance: Floats


def _part(answers: Sequence[Event], as_predicted: Callable[[Event, str], bool | None]) -> Learnt:
    found = [one for event in answers if (one := _expected(event, as_predicted)) is not None]
    return Learnt(
        np.array([one.risk for one in found], np.float64),
        _by_sharpness(one.log_p for one in found),
        np.array([one.surprised for one in found], np.bool_),
        np.array([one.drawn for one in found], np.bool_),
        _by_sharpness(one.chance for one in found),
    )


def _by_sharpness(rows: Iterable[Floats]) -> Floats:
    return np.array(list(rows), np.float64).reshape(-1, N_SHARPNESS)


def _expected(event: Event, as_predicted: Callable[[Event, str], bool | None]) -> _Expected | None:
    detail: dict[str, Any] = event.detail or {}
    drawn = DRAWN in detail
    if isinstance(detail.get(EXPECTED), str):
        risk, surprised, *numbers = map(float, detail[EXPECTED].split())
        log_p, log_chance = (
            np.array(part) / -1000.0 for part in (numbers[:N_SHARPNESS], numbers[N_SHARPNESS:])
        )
        if len(log_p) == N_SHARPNESS:  # else it is of a version with other sharpnesses
            # Without further numbers, the question has two answers.
            chance = (
                np.exp(log_chance if len(log_chance) else log_p) if surprised else -np.expm1(log_p)
            )
            return _Expected(risk, log_p, bool(surprised), drawn, chance)
    if not drawn or (same := as_predicted(event, DRAWN)) is None:
        return None
    probable = detail[DRAWN][1]
    # At sharpness a, the odds are raised to the power a.
    powers = SHARPNESS * (np.log(probable) - np.log1p(-probable))
    right, wrong = (-np.logaddexp(0.0, -one) for one in (powers, -powers))
    return _Expected(1.0 - probable, right if same else wrong, not same, True, np.exp(wrong))


#: Compare this number of the last answers with all before.
LATELY = 50
#: Report a change for the worse if chance alone shows it this rarely.
RARE = 0.01


def drawn_in_figures(state: State) -> dict[str, Any]:
    """Return the figures of random questions: answers, answers not as predicted, and current share.

    `worse` is a warning if predictions have become worse.
    """
    record = record_of(answers_with(state, DRAWN), state.ontologies)
    return {
        "answers": sum(len(part.surprised) for part in record),
        "not_as_predicted": sum(int(part.surprised.sum()) for part in record),
        "share": state.settings.by_chance,
        "worse": worse(record),
    }


def worse(record: Sequence[Learnt]) -> str | None:
    """Return a warning if the last answers were less often as predicted, by Fisher's exact test.

    It uses only random questions. All others are about items that the model finds hard.
    """
    wrong = np.concatenate(
        [np.zeros(0, np.bool_), *(part.surprised[part.drawn] for part in record)]
    )
    before = wrong[:-LATELY]
    lately = wrong[-LATELY:]
    if len(before) < LATELY:
        return None
    from scipy.stats import hypergeom  # slow to import

    if hypergeom.sf(lately.sum() - 1, len(wrong), wrong.sum(), LATELY) >= RARE:
        return None
    return (
        f"predictions have become worse: {lately.sum():,} of the last {LATELY} answers to random questions "
        f"were not as predicted, {before.sum():,} of {len(before):,} before"
    )
