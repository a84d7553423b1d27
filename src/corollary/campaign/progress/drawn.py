"""What the questions drawn by chance told, from the log alone: how probable each answer was, and what it was."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...learning.stopping.calibration import SHARPNESS, Learnt
from ..events import ANSWER, DRAWN
from ..state.state import State
from .suggested import comparing


def drawn_so_far(state: State) -> Learnt:
    """Of each answer to a question drawn by chance, that stands, what it told of the beliefs of its time."""
    as_predicted = comparing(state.ontologies)
    found = [
        (event.detail[DRAWN][1], same)
        for event in state.events
        if event.kind == ANSWER and event.detail and DRAWN in event.detail
        if event.seq not in state.taken_back and event.item not in state.withdrawn
        if (same := as_predicted(event, DRAWN)) is not None
    ]
    probable = np.array([p for p, _ in found], np.float64)
    surprised = np.array([not same for _, same in found], np.bool_)
    # As of a question with two answers: at sharpness a, odds to that power.
    log_p = -np.logaddexp(0.0, -SHARPNESS * _odds(np.where(surprised, 1.0 - probable, probable))[:, None])
    return Learnt(1.0 - probable, log_p, surprised, np.ones(len(found), np.bool_))


def drawn_in_figures(state: State) -> dict[str, Any]:
    """How many questions were drawn by chance, how many answers were not as predicted, and what share is drawn now."""
    told = drawn_so_far(state)
    return {
        "answers": len(told.surprised),
        "not_as_predicted": int(told.surprised.sum()),
        "share": state.settings.by_chance,
    }


def _odds(p: Any) -> Any:
    return np.log(p) - np.log1p(-p)
