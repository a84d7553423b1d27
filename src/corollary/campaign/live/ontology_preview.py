"""A changed ontology: refused where it cannot be, else what it would settle, reopen or break; nothing changes here."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..state.label_moves import Moves
from ..state.standing import Conflict
from ..state.standing_of_many import Standings, blank
from ..state.state import State
from .replies import Preview

#: The version of an ontology that is only looked at.
NEXT = 2**62


def parse_ontology(text: str) -> Ontology:
    """An ontology from its text; one that contradicts itself is refused."""
    onto = Ontology.parse(text)
    if not len(onto):
        raise CorollaryError("an ontology needs at least one label")
    onto.propagate({})
    return onto


def preview(state: State, onto: Ontology) -> Preview:
    """Compare what is known now with what would be known; labels that only one of the two has are not counted."""
    return compare(state, onto, Moves(), state.standings_after(onto, NEXT, Moves()))


def compare(state: State, onto: Ontology, moves: Moves, after: Standings) -> Preview:
    """The same for an ontology whose labels moved, where the standings under it are there."""
    old = state.onto
    kept = np.array([item not in state.withdrawn for item in after.items], np.bool_)
    found = after.some(kept)
    called = {label: now for label in old.labels if (now := moves.label(label)) in onto.index}
    was = [old.index[label] for label in called]
    will = [onto.index[str(label)] for label in called.values()]
    rows = np.array([state.row(item) for item in found.items], np.int64)
    settles, reopens = _compare(state.facts[rows][:, was], found.known[:, will])
    untouched = state.tally.items - len(rows)
    more, less = _compare(blank(old)[None, was], blank(onto)[None, will])
    breaks = []
    mends = []
    for item, one in zip(found.items, found.standings, strict=True):
        before = {_same(conflict, moves) for conflict in state.standing_of(item).conflicts}
        breaks += [
            (item, conflict) for conflict in one.conflicts if _same(conflict, Moves()) not in before
        ]
        if before and not one.conflicts and item not in found.refused:
            mends.append(item)
    return Preview(
        tuple(label for label in onto.labels if label not in set(called.values())),
        tuple(label for label in old.labels if label not in called),
        settles + untouched * more,
        reopens + untouched * less,
        tuple(breaks),
        tuple(mends),
        tuple((item, str(clash)) for item, clash in found.refused.items()),
    )


def _compare(before: Facts, after: Facts) -> tuple[int, int]:
    """How many cells are known only after, and how many only before, or the other way round."""
    return int(((after >= 0) & (before != after)).sum()), int(
        ((before >= 0) & (before != after)).sum()
    )


def _same(conflict: Conflict, moves: Moves) -> object:
    said = (
        (one.who, moves.target(one.label) or one.label, one.value, one.seq)
        for one in conflict.opinions
    )
    return (conflict.kind, tuple(said))
