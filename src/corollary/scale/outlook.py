"""The forecast of a pool, put together from the risks of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ..learning.stopping.calibration import Learnt
from ..learning.stopping.forecast import (
    AtRisk,
    Forecast,
    Needed,
    foretell,
    played,
    questions_of,
    risk_by_class,
)
from ..logic.engines import Floats
from .cluster import Progress
from .computing import Computing
from .table.parts import Block
from .work import Work, open_risk


def forecast_of(
    computing: Computing,
    work: Work,
    record: Sequence[Learnt],
    *,
    target: float,
    level: float,
    progress: Progress | None,
) -> Forecast:
    """The forecast of all items, as `learning.stopping.forecast` makes it of items in memory."""
    found = computing.all(open_risk, work, progress=progress)
    is_open = [
        np.unpackbits(one.is_open, count=part.rows).astype(np.bool_) for part, one in found.items()
    ]
    open_rows = np.flatnonzero(np.concatenate(is_open))
    at_risk = reduce(AtRisk.and_of, (one.at_risk for one in found.values()))
    if not len(open_rows):
        return foretell(
            work.rows,
            at_risk,
            lambda *_: Needed(),
            record,
            target=target,
            level=level,
            random_state=work.seed,
        )
    rows = open_rows[played(len(open_rows), work.seed)[0]]
    block = Block(rows, computing.rows(work, rows, work.columns.needed))
    known = work.known(block)
    beliefs = work.beliefs(block)
    group, _ = risk_by_class(work.onto, beliefs, known)

    def questions(sharp: Floats, allowed: float) -> Needed:
        _, rng = played(len(open_rows), work.seed)
        return questions_of(work.onto, beliefs, sharp[group], known, allowed, len(open_rows), rng)

    return foretell(
        work.rows, at_risk, questions, record, target=target, level=level, random_state=work.seed
    )
