"""How far answers were to be expected, and how answers to random questions agree, from the log alone."""

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


def told_by(state: State, *names: str) -> list[Event]:
    """The answers with a detail of one of these names that stand; where people can be wrong, without those doubted."""
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
    """What each answer told of the beliefs of its time, a part for each model, oldest first; each answer once.

    It is what a session keeps of the answers to its questions; but one part is one answer, not all about an item.
    Answers of old logs have it only where chance drew their questions, and there as of a question with two answers.
    """
    as_predicted = comparing(ontologies)
    return [
        _part(list(of_model), as_predicted)
        for _, of_model in groupby(answers, lambda event: event.model)
    ]


class _Told(NamedTuple):
    risk: float
    log_p: Floats
    surprised: bool
    drawn: bool
    chance: Floats


def _part(answers: Sequence[Event], as_predicted: Callable[[Event, str], bool | None]) -> Learnt:
    found = [told for event in answers if (told := _told(event, as_predicted)) is not None]
    return Learnt(
        np.array([one.risk for one in found], np.float64),
        _by_sharpness(one.log_p for one in found),
        np.array([one.surprised for one in found], np.bool_),
        np.array([one.drawn for one in found], np.bool_),
        _by_sharpness(one.chance for one in found),
    )


def _by_sharpness(rows: Iterable[Floats]) -> Floats:
    return np.array(list(rows), np.float64).reshape(-1, N_SHARPNESS)


def _told(event: Event, as_predicted: Callable[[Event, str], bool | None]) -> _Told | None:
    detail: dict[str, Any] = event.detail or {}
    drawn = DRAWN in detail
    if isinstance(detail.get(EXPECTED), str):
        risk, surprised, *told = map(float, detail[EXPECTED].split())
        log_p, log_chance = (
            np.array(part) / -1000.0 for part in (told[:N_SHARPNESS], told[N_SHARPNESS:])
        )
        if len(log_p) == N_SHARPNESS:  # else of a version that tells other sharpnesses apart
            # Unless it says more, a question with two answers.
            chance = (
                np.exp(log_chance if len(log_chance) else log_p) if surprised else -np.expm1(log_p)
            )
            return _Told(risk, log_p, bool(surprised), drawn, chance)
    if not drawn or (same := as_predicted(event, DRAWN)) is None:
        return None
    probable = detail[DRAWN][1]
    # At sharpness a, odds to that power.
    powers = SHARPNESS * (np.log(probable) - np.log1p(-probable))
    right, wrong = (-np.logaddexp(0.0, -one) for one in (powers, -powers))
    return _Told(1.0 - probable, right if same else wrong, not same, True, np.exp(wrong))


#: Compare this number of the last answers with all before.
LATELY = 50
#: Report a change for the worse if chance alone shows it this rarely.
RARE = 0.01


def drawn_in_figures(state: State) -> dict[str, Any]:
    """How many questions were drawn by chance, how many answers were not as predicted, and what share is drawn now.

    `worse` is a warning, if predictions have become worse.
    """
    told = record_of(told_by(state, DRAWN), state.ontologies)
    return {
        "answers": sum(len(part.surprised) for part in told),
        "not_as_predicted": sum(int(part.surprised.sum()) for part in told),
        "share": state.settings.by_chance,
        "worse": worse(told),
    }


def worse(record: Sequence[Learnt]) -> str | None:
    """A warning if the last answers were less often as predicted than those before, by Fisher's exact test.

    It uses only questions drawn by chance. All others are about items that the model finds hard.
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
        f"predictions have become worse: {lately.sum():,} of the last {LATELY} answers to questions drawn by chance "
        f"were not as predicted, {before.sum():,} of {len(before):,} before"
    )
