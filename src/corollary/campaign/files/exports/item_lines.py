"""The rows of exported tables: one for each item, each cell, or each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from ....logic.ontology import Ontology
from ...events import ANSWER, DECISION, FACT, Event
from ...items import Item
from ...reading.views import opinions_behind
from ...state.measured_costs import KINDS, with_kind
from ...state.standing import NOTHING, Standing, taken_back
from .provenance import ACCEPTED, ASKED, IMPLIED, OPEN, PREDICTED, Cell, Part, Snapshot, accepted_at

#: Origins of values with the source "asked": from an imported file, or decided by a lead.
GIVEN = "given"
DECIDED = "decided"
LABELS_AT_ONCE = 1_000  # whose consequences are worked out together


class ItemLabel(NamedTuple):
    """A label of an item.

    The probability is 1 if the label is known, or that of the accepted prediction. If annotators can
    be wrong, it is the probability given all answers, and `witnesses` is the number of people behind
    the label.
    """

    label: str
    probability: float
    origin: str
    witnesses: int | None = None


class Line(NamedTuple):
    """An item and its narrowest labels. If it has none, `origin` says how that is known."""

    item: Item
    labels: list[ItemLabel]
    origin: str


def lines_of(
    snapshot: Snapshot, *, predictions: bool = True, open_cells: bool = True
) -> Iterator[Line]:
    """Yield every item, in order; without `open_cells` only those with known or predicted labels."""
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
            labels = [_label_of(snapshot, part, one, i, k) for k in own]
            yield Line(item, labels, "" if labels else _origin_of_none(snapshot, part, one, i))


def broader_labels(onto: Ontology) -> csr_array:
    """Return a matrix of the labels that each label implies, without equivalent ones."""
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


def _label_of(snapshot: Snapshot, part: Part, one: Standing, i: int, k: int) -> ItemLabel:
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
        return ItemLabel(label, chance, origin, witnesses)
    assert part.probable is not None
    return ItemLabel(
        label, float(part.probable[i, k]), PREDICTED, None if part.weighed is None else 0
    )


def _witnesses(one: Standing, label: str) -> int:
    """Return the number of people behind a label; all with an answer in effect if it is implied."""
    behind = [label] if label in one.effect else list(one.effect)
    return len({opinion.who for name in behind for opinion in opinions_behind(one, name)})


def _origin(snapshot: Snapshot, one: Standing, label: str) -> str:
    if one.is_accepted(label):
        return ACCEPTED
    kind = snapshot.events[one.effect[label].seq - 1].kind
    return {FACT: GIVEN, DECISION: DECIDED}.get(kind, ASKED)


def _origin_of_none(snapshot: Snapshot, part: Part, one: Standing, i: int) -> str:
    """Return the weakest origin of the knowledge that an item has no label."""
    if (part.known[i] < 0).any():
        return OPEN if part.likely is None else PREDICTED
    origins = {_origin(snapshot, one, label) for label in one.effect}
    return next(
        (origin for origin in (ACCEPTED, GIVEN, ASKED, DECIDED) if origin in origins), IMPLIED
    )


def long_row(
    item: Item, cell: Cell, named: Mapping[str, str], *, weighed: bool = False
) -> tuple[Any, ...]:
    """Return the row of one cell.

    Parameters
    ----------
    item, cell
        The item and its cell.
    named
        The given names of labels; empty if there are none.
    weighed
        Include the number of people behind the value.
    """
    by = (
        "; ".join(dict.fromkeys(name for said in cell.answers for name in said.by))
        if cell.answers
        else ""
    )
    model = cell.model or None
    return (
        item.id,
        cell.label,
        *([named[cell.label]] if named else []),
        word(cell.value),
        cell.source,
        cell.probability,
        *([cell.witnesses] if weighed else []),
        by,
        cell.at,
        cell.ontology,
        model,
        because(cell, named),
    )


def because(cell: Cell, named: Mapping[str, str]) -> str:
    """Return the reason of an implied value in words: `bird is yes (12); bird implies animal`."""
    if cell.reason is None:
        return ""
    called = {
        label: label if name == label else f"{name} ({label})" for label, name in named.items()
    }
    answers = [
        f"{called.get(said.label, said.label)} is {word(said.value)} ({', '.join(map(str, said.seqs))})"
        for said in cell.answers
    ]
    return "; ".join((*answers, cell.reason.words))


def word(value: bool | None) -> str:
    """Return "yes", "no", or an empty text for None."""
    return "" if value is None else "yes" if value else "no"


ANSWERS = ("event", "at", "by", "item", "label", "value", "question", "seconds", "stands")
NONE = "none of these"  # written if a person says that no label fits
EVENTS = 5_000  # between two reports of progress


def answer_rows(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each answer of a person about these items, in order.

    Answers that were taken back or rejected later are rows too. Progress counts items: when half
    of the log is written, half of the items count as done.
    """
    people = snapshot.pseudonyms()
    items = {item.id for item in snapshot.items}
    no_longer = set[int]().union(*taken_back(snapshot.events))
    for event, kind in with_kind(_given(snapshot)):
        if event.item in items:
            by = people.get(event.who, event.who)
            in_effect = word(event.seq not in no_longer)
            said = (event.seq, event.at, by, event.item, event.label, _value(event))
            yield (*said, KINDS[kind], event.seconds, in_effect)


def count_answers(snapshot: Snapshot) -> int:
    """Return the number of rows of `answer_rows`."""
    items = {item.id for item in snapshot.items}
    return sum(event.kind == ANSWER and event.item in items for event in snapshot.events)


def _given(snapshot: Snapshot) -> Iterator[Event]:
    n = len(snapshot.events)
    items = len(snapshot.items)
    for done, event in enumerate(snapshot.events):
        if done % EVENTS == 0:
            snapshot.progress(done * items // n, items)
        yield event
    snapshot.progress(items, items)


def _value(event: Event) -> str:
    if isinstance(event.value, bool):
        return word(event.value)
    return "; ".join(event.value) or NONE if isinstance(event.value, list) else event.value
