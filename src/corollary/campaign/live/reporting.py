"""Reports of machines: a lead brings them, each is one event, and can be taken back as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ...logic.errors import CorollaryError
from ..events import REPORT, UNDO, Event, new_key, storable
from ..people import RESERVED
from ..state.state import State
from ..storage.reported import Reported
from .answering import itself
from .live import Live

#: One report of a machine: the item, the label, and its probability; 0 is no, 1 is yes.
Said = tuple[str, str, float]
LONGEST_NAME = 200


@dataclass(frozen=True)
class Witness:
    """A machine with reports in effect.

    Attributes
    ----------
    name
        Its name.
    cells, items
        The number of labels and items that it reported.
    at, by
        The time of its last report, and the lead who brought it.
    trust
        The current model's estimate: sensitivity, specificity, their 90 % intervals, error rate.
    """

    name: str
    cells: int
    items: int
    at: str
    by: str
    trust: dict[str, Any] | None


def report(
    live: Live, who: str, witness: str, said: Iterable[Said], *, key: str | None, kind: str
) -> Event:
    """Write a machine's report, all or none; it replaces the machine's earlier values."""
    live.members.check(who, lead=True)
    _check_name(live, witness)
    reported = gathered(live.state, said)
    items = len(np.unique(reported.item))
    detail = {"by": who, "sha256": reported.sha256, "items": items} | (
        {"kind": kind} if kind else {}
    )

    def draft(_: State) -> Event:
        live.members.check(who, lead=True)
        _check_name(live, witness)
        return Event(kind=REPORT, who=witness, value=len(reported.value), detail=detail)

    def tell(event: Event, _: object) -> Event:
        live.reports_changed()
        return event

    about = (REPORT, witness)
    return live.ledger.write(
        key or new_key(), about, draft, tell, retell=itself, reported=reported
    ).wait()


def _check_name(live: Live, witness: str) -> None:
    if (
        not isinstance(witness, str)
        or not witness.strip()
        or not storable(witness)
        or len(witness) > LONGEST_NAME
    ):
        raise CorollaryError(
            f"a witness's name must be a text of 1 to {LONGEST_NAME} characters, got {witness!r}"
        )
    if witness in RESERVED or any(person.name == witness for person in live.members.all()):
        raise CorollaryError(
            f"{witness!r} is the name of someone else in this campaign; give the witness another"
        )


def check_person(live: Live, name: str) -> None:
    """Raise CorollaryError if a machine in the log has this name, even without reports in effect."""
    if any(event.who == name for event in live.state.reports):
        raise CorollaryError(
            f"{name!r} is the name of a witness of this campaign; give the person another"
        )


def gathered(state: State, said: Iterable[Said]) -> Reported:
    """Check a report, and return it in the form that is stored."""
    labels: dict[str, int] = {}
    cells: dict[tuple[int, int], float] = {}
    for number, one in enumerate(said, start=1):
        try:
            item, label, value = one
        except (TypeError, ValueError):
            raise CorollaryError(
                f"report {number:,} must be an item, a label and a probability, got {one!r}"
            ) from None
        if not isinstance(value, int | float | np.number) or not (
            isfinite(value) and 0 <= value <= 1
        ):
            raise CorollaryError(
                f"report {number:,}, item {item!r}, label {label!r}: {value!r} is not a probability from 0 to 1"
            )
        row = state.row(item)
        label = state.find(label)
        cell = (row, labels.setdefault(label, len(labels)))
        if cell in cells:
            raise CorollaryError(
                f"report {number:,}: item {item!r}, label {label!r} is in the report twice; leave one out"
            )
        cells[cell] = float(value)
    if not cells:
        raise CorollaryError("the report is empty: give an item, a label and a probability")
    order = sorted(cells)
    places = np.array(order, np.int32).reshape(-1, 2)
    return Reported(
        tuple(labels),
        places[:, 0].copy(),
        places[:, 1].copy(),
        np.array([cells[one] for one in order], np.float32),
    )


def standing(state: State, name: str | None = None) -> list[Event]:
    """Return the reports in effect, of one machine or of all, in order."""
    return [
        event
        for event in state.reports
        if event.seq not in state.taken_back and (name is None or event.who == name)
    ]


def witnesses(state: State) -> list[Witness]:
    """Return the machines with reports in effect, in order of their first report."""
    found: dict[str, list[Event]] = {}
    for event in standing(state):
        found.setdefault(event.who, []).append(event)
    trusted = {} if state.model is None else (state.model.detail or {}).get("witnesses", {})
    out = []
    for name, events in found.items():
        last = events[-1]
        cells, items = _sizes(
            [state.reported[event.seq] for event in events if event.seq in state.reported]
        )
        out.append(
            Witness(name, cells, items, last.at, str((last.detail or {})["by"]), trusted.get(name))
        )
    return out


def _sizes(said: list[Reported]) -> tuple[int, int]:
    """Return the number of labels and of items in some reports."""
    place: dict[str, int] = {}
    for one in said:
        for label in one.labels:
            place.setdefault(label, len(place))
    cells = [
        one.item.astype(np.int64) * len(place)
        + np.array([place[label] for label in one.labels], np.int64)[one.label]
        for one in said
    ]
    items = [one.item for one in said]
    return tuple(len(np.unique(np.concatenate(each))) if each else 0 for each in (cells, items))  # type: ignore[return-value]


def remove(live: Live, who: str, witness: str) -> list[Event]:
    """Take back all reports of a machine; the log keeps them."""
    with live.ledger.lock:
        live.members.check(who, lead=True)
        reports = standing(live.state, witness)
        if not reports:
            known = ", ".join(one.name for one in witnesses(live.state)) or "none"
            raise CorollaryError(
                f"no report of witness {witness!r} is in effect; witnesses with reports: {known}"
            )
        tickets = live.ledger.put_all(
            [Event(kind=UNDO, who=who, refers=event.seq) for event in reports]
        )
        live.renewed()
        live.reports_changed()
    tickets[-1].receipt.wait()
    return [ticket.event for ticket in tickets]
