"""How far an answer was to be expected: held against the beliefs in use before it changes anything, for the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...learning.stopping.calibration import CLIP, Learnt, learnt_of_one
from ...logic.engines import Floats
from ...logic.errors import Contradiction
from ..events import EXPECTED, Event
from ..state.state import State


def expectation(state: State, answer: Event) -> dict[str, Any]:
    """The detail of an answer that is about to be written.

    Nothing before there is a model, nor where nothing is learnt: can't tell, what is known already, and what cannot be
    true with what is known.
    """
    if not state.has_model or isinstance(answer.value, str):
        return {}
    onto = state.onto
    row = state.row(str(answer.item))
    before = state.session.known_of(row)[None]
    after = before.copy()
    for label, value in state.statements.of(
        replace(answer, ontology=state.version), onto
    ).cells.items():
        if label is not None:
            after[0, onto.index[label]] = value
    if ((before >= 0) & (before != after)).any() or (before == after).all():
        return {}
    try:
        after = state.session.follow(after)
    except Contradiction:
        return {}
    return {
        EXPECTED: as_detail(
            learnt_of_one(onto, state.session.beliefs[row : row + 1], before, after)
        )
    }


def as_detail(one: Learnt) -> str:
    """What was learnt of one item, as a text: a log may have a million of them, all in memory.

    Its risk, whether it surprised, and in thousandths the -log of how probable it was at each sharpness; then, if it
    was one of several surprises that could have come, of how probable any was.
    """
    told = _thousandths(one.log_p[0])
    if one.surprised[0] and not np.allclose(one.chance, np.exp(one.log_p), rtol=1e-3, atol=CLIP):
        told += _thousandths(np.log(np.maximum(one.chance[0], CLIP)))
    return f"{one.risk[0]:.4g} {one.surprised[0]:d} {' '.join(map(str, told))}"


def _thousandths(log_p: Floats) -> list[int]:
    found: list[int] = (-1000.0 * log_p).round().astype(int).tolist()
    return found
