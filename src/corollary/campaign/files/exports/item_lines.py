"""A line for each item, as people read a table: its narrowest labels, how probable each is, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from ....logic.ontology import Ontology
from ...events import DECISION, FACT
from ...items import Item
from ...reading.views import opinions_behind
from ...state.standing import NOTHING, Standing
from .provenance import ACCEPTED, ASKED, IMPLIED, OPEN, PREDICTED, Part, Snapshot, accepted_at

#: Of values that an export calls asked: those that came with a file, and those that a lead decided.
GIVEN = "given"
DECIDED = "decided"
LABELS_AT_ONCE = 1_000  # whose consequences are worked out together


class Told(NamedTuple):
    """A label that an item has; one that is known has the probability 1, or that with which it was accepted.

    Where people can be wrong it is that in the light of all that was said, and `witnesses` tells how many said so.
    """

    label: str
    probability: float
    origin: str
    witnesses: int | None = None


class Line(NamedTuple):
    """An item and the narrowest labels that it has. Where it has none `origin` says how that is known."""

    item: Item
    labels: list[Told]
    origin: str


def lines_of(
    snapshot: Snapshot, *, predictions: bool = True, open_cells: bool = True
) -> Iterator[Line]:
    """Every item, in order; without `open_cells` only those of which something is known or predicted."""
    broader = broader_labels(snapshot.onto)
    for part in snapshot.parts(predictions=predictions):
        values = (
            part.known
            if part.likely is None
            else np.where(part.known >= 0, part.known, part.likely)
        )
        yes = csr_array(values == 1, dtype=np.int32)
        narrowest = yes - yes.multiply((yes @ broader) > 0)
        narrowest.eliminate_zeros()
        narrowest.sort_indices()
        for i, item in enumerate(part.items):
            one = snapshot.standings.get(item.id, NOTHING)
            if not (open_cells or one.effect or part.likely is not None):
                continue
            own = narrowest.indices[narrowest.indptr[i] : narrowest.indptr[i + 1]].tolist()
            told = [_told(snapshot, part, one, i, k) for k in own]
            yield Line(item, told, "" if told else _origin_of_none(snapshot, part, one, i))


def broader_labels(onto: Ontology) -> csr_array:
    """Which labels hold wherever a label does, without those that mean the same: a row for each label."""
    n = len(onto)
    rows = []
    for start in range(0, n, LABELS_AT_ONCE):
        size = min(LABELS_AT_ONCE, n - start)
        alone = np.full((size, n), -1, np.int8)
        alone[np.arange(size), start + np.arange(size)] = 1
        known, clash = onto.closure(alone)
        rows.append(csr_array((known == 1) & ~clash[:, None], dtype=np.int32))
    implies = vstack(rows, format="csr")
    return csr_array(implies - implies.multiply(implies.T))


def _told(snapshot: Snapshot, part: Part, one: Standing, i: int, k: int) -> Told:
    label = snapshot.onto.labels[k]
    if part.known[i, k] >= 0:
        origin = _origin(snapshot, one, label) if label in one.effect else part.follows(i, k)
        chance = 1.0
        witnesses = None
        if part.weighed is not None:
            chance = float(part.weighed[i, k])
            witnesses = _witnesses(one, label)
        if origin == ACCEPTED:
            chance = accepted_at(snapshot.events[one.effect[label].seq - 1], label)
        return Told(label, chance, origin, witnesses)
    assert part.probable is not None
    return Told(label, float(part.probable[i, k]), PREDICTED, None if part.weighed is None else 0)


def _witnesses(one: Standing, label: str) -> int:
    """How many people are behind a label of an item; behind one that follows all who said something that stands."""
    behind = [label] if label in one.effect else list(one.effect)
    return len({opinion.who for name in behind for opinion in opinions_behind(one, name)})


def _origin(snapshot: Snapshot, one: Standing, label: str) -> str:
    if one.is_accepted(label):
        return ACCEPTED
    kind = snapshot.events[one.effect[label].seq - 1].kind
    return {FACT: GIVEN, DECISION: DECIDED}.get(kind, ASKED)


def _origin_of_none(snapshot: Snapshot, part: Part, one: Standing, i: int) -> str:
    """How it is known that an item has no label: the weakest of what says so."""
    if (part.known[i] < 0).any():
        return OPEN if part.likely is None else PREDICTED
    origins = {_origin(snapshot, one, label) for label in one.effect}
    return next(
        (origin for origin in (ACCEPTED, GIVEN, ASKED, DECIDED) if origin in origins), IMPLIED
    )
