"""What the questions drawn by chance told, from the log alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...learning.stopping.calibration import Learnt
from ..events import DRAWN
from ..state.state import State
from .expected import record_of, told_by

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
    from scipy.stats import hypergeom

    wrong = np.concatenate(
        [np.zeros(0, np.bool_), *(part.surprised[part.drawn] for part in record)]
    )
    before = wrong[:-LATELY]
    lately = wrong[-LATELY:]
    if (
        len(before) < LATELY
        or hypergeom.sf(lately.sum() - 1, len(wrong), wrong.sum(), LATELY) >= RARE
    ):
        return None
    return (
        f"predictions have become worse: {lately.sum():,} of the last {LATELY} answers to questions drawn by chance "
        f"were not as predicted, {before.sum():,} of {len(before):,} before"
    )
