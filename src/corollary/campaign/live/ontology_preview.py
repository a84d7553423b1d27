"""A changed ontology: refused where it cannot be, else what it would settle, reopen or break; nothing changes here."""

from __future__ import annotations

import numpy as np

from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..state.standing_of_many import blank, stand_all
from ..state.state import State
from .replies import Preview


def parse_ontology(text: str) -> Ontology:
    """An ontology from its text; one that contradicts itself is refused."""
    onto = Ontology.parse(text)
    if not len(onto):
        raise CorollaryError("an ontology needs at least one label")
    onto.propagate({})
    return onto


def preview(state: State, onto: Ontology) -> Preview:
    """Compare what is known now with what would be known; labels that only one of the two has are not counted."""
    old = state.onto
    in_use = {item: events for item, events in state.of_item.items() if item not in state.withdrawn}
    found = stand_all(in_use, onto, state.statements, doubted=state.doubts)
    both = [label for label in old.labels if label in onto.index]
    was = [old.index[label] for label in both]
    will = [onto.index[label] for label in both]
    rows = np.array([state.row(item) for item in found.items], np.int64)
    settles, reopens = _compare(state.facts[rows][:, was], found.known[:, will])
    untouched = state.tally.items - len(rows)
    more, less = _compare(blank(old)[None, was], blank(onto)[None, will])
    breaks = []
    mends = []
    for item, one in zip(found.items, found.standings, strict=True):
        before = {_same(conflict) for conflict in state.standing_of(item).conflicts}
        breaks += [(item, conflict) for conflict in one.conflicts if _same(conflict) not in before]
        if before and not one.conflicts and item not in found.refused:
            mends.append(item)
    return Preview(
        tuple(label for label in onto.labels if label not in old.index),
        tuple(label for label in old.labels if label not in onto.index),
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


def _same(conflict: object) -> object:
    return (conflict.kind, conflict.opinions)  # type: ignore[attr-defined]
