"""What the questions drawn by chance told, from the log alone."""

from __future__ import annotations

from typing import Any

from ..events import DRAWN
from ..state.state import State
from .expected import record_of, told_by


def drawn_in_figures(state: State) -> dict[str, Any]:
    """How many questions were drawn by chance, how many answers were not as predicted, and what share is drawn now."""
    told = record_of(told_by(state, DRAWN), state.ontologies)
    return {
        "answers": sum(len(part.surprised) for part in told),
        "not_as_predicted": sum(int(part.surprised.sum()) for part in told),
        "share": state.settings.by_chance,
    }
