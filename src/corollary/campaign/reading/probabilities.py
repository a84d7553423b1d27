"""The probability of every label of every item, computed once for each model, then kept up to date."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock, Thread
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...learning.stopping.calibration import log_odds, log_probability
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..live.live import Live
from ..live.reporting import standing
from ..state.state import State

#: The number of cells that are worked on at once, so that scratch memory stays below 100 MB.
CELLS = 2_000_000
Small = npt.NDArray[np.float32]


class Now(NamedTuple):
    """A copy of a campaign's data for an update of the probabilities, taken under its lock."""

    which: tuple[
        int, int, int, int
    ]  # the model, the ontology, the number of items, the state object
    seq: int
    onto: Ontology
    beliefs: Floats
    facts: Facts
    changed: npt.NDArray[np.int64]  # rows of items with events since the last update


class Probable(NamedTuple):
    """P(yes) of every cell given the item's known labels, (N, K), and the doubt of each item, (N,).

    The doubt of an item is 1 - P(its most probable labelling); it is 0 if all labels are known.
    """

    yes: Small
    doubt: Small


class Probabilities:
    """The probabilities by the current model; may be used from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._which: tuple[int, int, int, int] | None = None
        self._seq = 0
        self._found = Probable(np.empty((0, 0), np.float32), np.empty(0, np.float32))

    def look(self, state: State, facts: Facts) -> Now | None:
        """Return the data for an update; None before the first model. Needs the campaign's lock.

        `facts` is a copy of the state's facts.
        """
        if not state.has_model or not state.ids:
            return None
        assert state.model is not None
        which = (int(state.model.value), state.version, len(state.ids), id(state))
        since = state.events[self._seq :] if which == self._which else ()
        rows = {state.row(event.item) for event in since if event.item is not None}
        return Now(
            which,
            state.seq,
            state.onto,
            state.session.beliefs,
            facts,
            np.array(sorted(rows), np.int64),
        )

    def get(self, now: Now | None) -> Probable | None:
        """Return the updated probabilities, for reading only.

        It may take long, so do not call it under the campaign's lock.
        """
        if now is None:
            return None
        with self._lock:
            if now.which != self._which:
                parts = [_work_out(now, rows) for rows in blocks(len(now.facts), now.onto)]
                self._found = Probable(*map(np.concatenate, zip(*parts, strict=True)))
                self._which = now.which
                self._seq = now.seq
            elif now.seq > self._seq:
                if len(now.changed):
                    self._found = Probable(
                        *(array.copy() for array in self._found)
                    )  # copies, because the old arrays may be read at this moment
                    self._found.yes[now.changed], self._found.doubt[now.changed] = _work_out(
                        now, now.changed
                    )
                self._seq = now.seq
            return self._found

    def get_ready(self, now: Now | None) -> None:
        """Start an update in the background if the model is new."""
        if now is not None and now.which != self._which and not self._lock.locked():
            Thread(target=self.get, args=(now,), daemon=True).start()


def blocks(n: int, onto: Ontology) -> Iterator[slice]:
    """Return slices of the rows of n items, in blocks of about CELLS cells."""
    step = max(1, CELLS // max(1, len(onto)))
    return (slice(start, start + step) for start in range(0, n, step))


def _work_out(now: Now, rows: slice | npt.NDArray[np.int64]) -> Probable:
    return likeliest(now.onto, now.beliefs[rows], now.facts[rows])[0]


def likeliest(onto: Ontology, beliefs: Floats, facts: Facts) -> tuple[Probable, Facts]:
    """Return probabilities and doubts of some items, and their most probable labellings."""
    odds = log_odds(beliefs)
    labelling = onto.most_probable(beliefs, facts)
    p, log_z = onto.marginals(odds, facts)
    doubt = -np.expm1(log_probability(onto, odds, labelling, log_z))
    doubt[(facts >= 0).all(axis=1)] = 0.0
    return Probable(p.astype(np.float32), doubt.astype(np.float32)), labelling


def doubt_of_label(p: Small, facts: Facts) -> Small:
    """Return the probability that a label's more probable value is wrong; 0 if it is known."""
    return np.where(facts < 0, np.minimum(p, np.float32(1) - p), np.float32(0))


def unheard(live: Live, witness: str) -> list[str]:
    """Return the ids of items that are not fully labelled and without a report of this machine.

    The least sure come first; before the first model, in the order of the items.
    """
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
