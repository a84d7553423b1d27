"""Items that a machine was not heard about yet, those first whose labelling the model in use doubts most."""

from __future__ import annotations

import numpy as np

from ..live.live import Live
from ..live.reporting import standing
from .probabilities import blocks, likeliest


def unheard(live: Live, witness: str) -> list[str]:
    """Their ids: in use, not labelled in full, and not spoken of; before the first model in the order of the items."""
    with live.ledger.lock:
        state = live.state
        wanted = np.zeros(len(state.ids), np.bool_)
        wanted[state.in_use()] = True
        wanted &= (state.facts < 0).any(axis=1)
        for event in standing(state, witness):
            if (said := state.reported.get(event.seq)) is not None:
                wanted[said.item] = False
        rows = np.flatnonzero(wanted)
        ids = state.ids
        onto = state.onto
        facts = state.facts[rows]
        beliefs = state.session.beliefs[rows] if state.has_model else None
    if beliefs is None:
        return [ids[row] for row in rows]
    parts = (
        likeliest(onto, beliefs[part], facts[part])[0].doubt for part in blocks(len(rows), onto)
    )
    unsure = np.concatenate([np.empty(0, np.float32), *parts])
    return [ids[rows[at]] for at in np.argsort(-unsure, kind="stable")]
