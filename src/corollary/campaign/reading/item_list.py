"""All items for a lead: searched, filtered and sorted as arrays, and shown a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import CorollaryError, nearest
from ..events import ACCEPT, ANSWER, DECISION, DOUBT, FACT, FLAG, GOLD, WITHDRAW
from ..items import Item
from ..live.live import Live
from ..state.standing import NOTHING, Standing
from ..state.state import Ints, State
from .item_texts import Texts
from .probabilities import Now, Probabilities, Probable, Small, doubt_of_label, likeliest

CellState = Literal["yes", "no", "open", "asked", "implied", "predicted", "predicted_no"]
Mark = Literal["doubtful", "flagged", "conflict", "gold", "withdrawn"]
Sort = Literal["order", "doubt", "probability"]
#: An item is doubtful if its most probable labelling, or that of the label asked for, is wrong with this probability.
DOUBTFUL = 0.25
SAYS = (ANSWER, FACT, DECISION, GOLD, FLAG, DOUBT, WITHDRAW, ACCEPT)
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The filters and the order of a list of items.

    Attributes
    ----------
    query
        A text in the id or text of the item.
    label, state
        The state of this label, or of any label: yes, no, open, asked (answered by people), implied,
        or predicted as yes or no.
    mark
        A mark of the item. Withdrawn items are only listed by theirs.
    who
        A person who answered something about the item.
    sort
        The order: as they are, by doubt, or by the probability of `label`. The doubt of an item is
        1 - P(its most probable labelling), or that of `label`.
    up
        Reverse the order.
    """

    query: str = ""
    label: str | None = None
    state: CellState | None = None
    mark: Mark | None = None
    who: str | None = None
    sort: Sort = "order"
    up: bool = False

    @property
    def of_all(self) -> bool:
        """Whether the order needs the probabilities of all items."""
        return (
            self.sort != "order"
            or self.mark == "doubtful"
            or self.state in ("predicted", "predicted_no")
        )


@dataclass(frozen=True, slots=True)
class Row:
    """An item of the list, with its narrowest known and predicted labels.

    `value`, `source` and `probability` are of the label asked for, and so is `doubt` if there is one.
    Without a model there are no probabilities.
    """

    item: Item
    yes: tuple[str, ...]
    predicted: tuple[tuple[str, float], ...]
    open: int
    doubt: float | None
    value: bool | None
    source: Literal["asked", "accepted", "implied"] | None
    probability: float | None
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the matching items, and the number of all.

    `model` is the model of probabilities, 0 for none.
    """

    rows: list[Row]
    total: int
    model: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of the data for filters and rows, taken at one moment."""

    labels: tuple[str, ...]
    k: int | None
    facts: Facts
    answered: Facts
    marked: Mapping[Mark, Ints]
    said: Ints | None
    standings: Mapping[str, Standing]


class ItemList:
    """The list of items of a campaign; keeps their probabilities and searched texts."""

    def __init__(self, live: Live):
        self._live = live
        self._probabilities = Probabilities()
        self._texts = Texts()

    def page(self, wanted: Wanted, *, offset: int = 0, limit: int = 50) -> Page:
        """Return a page of the items that fit; do not call it under the lock."""
        looked = self._look(wanted)
        now = looked.now
        snapshot = looked.snapshot
        rows = _in_order(looked.fitting, _key(snapshot, wanted, looked.p), wanted, offset, limit)
        some = (
            None
            if now is None or not len(rows)
            else likeliest(now.onto, now.beliefs[rows], now.facts[rows])
        )
        shown = []
        for n, i in enumerate(rows.tolist()):
            guess = (
                None
                if some is None
                else _Guess(some[0].yes[n], float(some[0].doubt[n]), some[1][n])
            )
            shown.append(_row(snapshot, looked.items[looked.ids[i]], i, guess, looked.parents))
        return Page(shown, len(looked.fitting), 0 if now is None else now.which[0])

    def ids(self, wanted: Wanted, *, most: int) -> list[str]:
        """Return all matching items in order, or raise an error if there are more than `most`."""
        looked = self._look(wanted)
        if (n := len(looked.fitting)) > most:
            raise CorollaryError(
                f"{n:,} items fit, and at most {most:,} can be answered at once: look for fewer"
            )
        return [looked.ids[i] for i in looked.fitting.tolist()]

    def _look(self, wanted: Wanted) -> _Looked:
        live = self._live
        with live.ledger.lock:
            state = live.state
            snapshot = _snapshot(state, wanted)
            now = self._probabilities.look(state, snapshot.facts)
            items = live.items
            ids = state.ids
            parents = live.places.parents
            new = self._texts.missing(items) if wanted.query else []
        p = self._probabilities.get(now) if wanted.of_all else None
        if p is None:
            self._probabilities.get_ready(now)
        mask = _fitting(snapshot, wanted, p)
        if wanted.query:
            mask &= self._texts.having(wanted.query, len(ids), new)
        return _Looked(snapshot, now, p, items, ids, parents, np.flatnonzero(mask))


class _Looked(NamedTuple):
    """The data of one request: items, known and probable labels, and the matching rows."""

    snapshot: Snapshot
    now: Now | None
    p: Probable | None
    items: Mapping[str, Item]
    ids: Sequence[str]
    parents: Mapping[str, list[str]]
    fitting: Ints


class _Guess(NamedTuple):
    """The prediction for an item.

    Probabilities of labels, the doubt, and the most probable labelling.
    """

    yes: Small
    doubt: float
    labelling: Facts


def _snapshot(state: State, wanted: Wanted) -> Snapshot:
    if wanted.label is not None:
        wanted = replace(wanted, label=state.find(wanted.label))
    if wanted.who is not None and wanted.who not in state.of_person:
        people = state.of_person
        raise CorollaryError(
            f"nobody called {wanted.who!r} said anything here{nearest(wanted.who, people)}"
        )
    for name, value, known in (
        ("state", wanted.state, (None, *get_args(CellState))),
        ("mark", wanted.mark, (None, *get_args(Mark))),
        ("sort", wanted.sort, get_args(Sort)),
    ):
        if value not in known:
            raise CorollaryError(
                f"{name} must be one of {', '.join(map(str, known))}, got {value!r}"
            )
    if wanted.sort == "probability" and wanted.label is None:
        raise CorollaryError("items are sorted by the probability of a label: say which label")
    gold = (item for item, label in state.waiting.gold.cells() if wanted.label in (None, label))
    marked: dict[Mark, Ints] = {
        "flagged": _rows(state, state.marked),
        "conflict": _rows(state, state.held),
        "gold": _rows(state, dict.fromkeys(gold)),
        "withdrawn": _rows(state, state.withdrawn),
    }
    return Snapshot(
        state.onto.labels,
        None if wanted.label is None else state.onto.index[wanted.label],
        state.facts.copy(),
        state.session.answers,
        marked,
        None if wanted.who is None else _said_by(state, wanted.who),
        state.standings,
    )


def _rows(state: State, items: Iterable[str]) -> Ints:
    return np.array([state.row(item) for item in items], np.int64)


def _said_by(state: State, who: str) -> Ints:
    """Return the rows of items with a current answer of a person."""
    own = state.of_person[who]
    about = {
        event.item for event in own if event.kind in SAYS and event.seq not in state.taken_back
    }
    return _rows(state, (item for item in about if item is not None))


def _fitting(snapshot: Snapshot, wanted: Wanted, p: Probable | None) -> Mask:
    """Return which items fit the filters, without the query."""
    facts = snapshot.facts
    k = snapshot.k
    fits = np.ones(len(facts), np.bool_)
    if wanted.mark != "withdrawn":
        fits[snapshot.marked["withdrawn"]] = False
    if wanted.mark == "doubtful":
        fits &= False if p is None else _doubts(snapshot, p) >= DOUBTFUL
    elif wanted.mark is not None:
        fits &= _mask(snapshot.marked[wanted.mark], len(facts))
    if snapshot.said is not None:
        fits &= _mask(snapshot.said, len(facts))
    if wanted.state is not None:
        cells = (slice(None),) if k is None else (slice(None), slice(k, k + 1))
        fits &= _in_state(
            wanted.state,
            facts[cells],
            snapshot.answered[cells],
            None if p is None else p.yes[cells],
        )
    return fits


def _in_state(wanted: CellState, facts: Facts, answered: Facts, p: Small | None) -> Mask:
    """Whether one of the labels is in a state, for each item."""
    match wanted:
        case "yes" | "no":
            cells = facts == (wanted == "yes")
        case "open":
            cells = facts < 0
        case "asked":
            cells = answered >= 0
        case "implied":
            cells = (facts >= 0) & (answered < 0)
        case _ if p is None:
            return np.zeros(len(facts), np.bool_)
        case _:
            cells = (facts < 0) & ((p >= 0.5) == (wanted == "predicted"))
    found: Mask = cells.any(axis=1)
    return found


def _mask(rows: Ints, n: int) -> Mask:
    mask = np.zeros(n, np.bool_)
    mask[rows] = True
    return mask


def _doubts(snapshot: Snapshot, p: Probable) -> Small:
    """The doubt of each item, or that of the label asked for."""
    if snapshot.k is None:
        return p.doubt
    return doubt_of_label(p.yes[:, snapshot.k], snapshot.facts[:, snapshot.k])


def _key(snapshot: Snapshot, wanted: Wanted, p: Probable | None) -> Small | None:
    """Return the sort key of items; None for their own order, also before the first model."""
    if wanted.sort == "order" or p is None:
        return None
    if wanted.sort == "doubt":
        return _doubts(snapshot, p)
    assert snapshot.k is not None
    known = snapshot.facts[:, snapshot.k]
    return np.where(known < 0, p.yes[:, snapshot.k], known.astype(np.float32))


def _in_order(rows: Ints, key: Small | None, wanted: Wanted, offset: int, limit: int) -> Ints:
    """Return the page from `offset` on; of equal items the first comes first.

    Numbers that are not negative sort by their bits. With the row added no two are equal, and the
    first ones are found without sorting all.
    """
    if key is None:
        return rows[::-1][offset : offset + limit] if wanted.up else rows[offset : offset + limit]
    bits = np.ascontiguousarray(key[rows], np.float32).view(np.uint32)
    mixed = ((bits if wanted.up else ~bits).astype(np.uint64) << np.uint64(32)) | rows.astype(
        np.uint64
    )
    if offset + limit < len(mixed):
        mixed = np.partition(mixed, offset + limit)[: offset + limit]
    return (np.sort(mixed)[offset : offset + limit] & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _row(
    snapshot: Snapshot, item: Item, i: int, guess: _Guess | None, parents: Mapping[str, list[str]]
) -> Row:
    facts = snapshot.facts[i]
    labels = snapshot.labels
    k = snapshot.k
    p, doubt, likely = (
        _Guess(np.zeros(len(labels), np.float32), 0.0, facts) if guess is None else guess
    )
    if k is not None:
        doubt = float(doubt_of_label(p[k], facts[k]))
    yes = [labels[one] for one in np.flatnonzero(facts == 1).tolist()]
    guessed = np.flatnonzero((facts < 0) & (likely == 1)).tolist()
    narrowest = narrowest_of([*yes, *(labels[one] for one in guessed)], parents)
    value = None if k is None or facts[k] < 0 else bool(facts[k])
    return Row(
        item,
        tuple(narrowest_of(yes, parents)),
        tuple((labels[one], float(p[one])) for one in guessed if labels[one] in narrowest),
        int(np.count_nonzero(facts < 0)),
        None if guess is None else doubt,
        value,
        None if k is None or value is None else _source(snapshot, item, i, k),
        None if k is None or guess is None or value is not None else float(p[k]),
        tuple(mark for mark, rows in snapshot.marked.items() if i in rows),
    )


def _source(
    snapshot: Snapshot, item: Item, i: int, k: int
) -> Literal["asked", "accepted", "implied"]:
    """Return the origin of a label's known value."""
    if snapshot.answered[i, k] < 0:
        return "implied"
    one = snapshot.standings.get(item.id, NOTHING)
    label = snapshot.labels[k]
    return "accepted" if label in one.effect and one.is_accepted(label) else "asked"


def narrowest_of(labels: Iterable[str], parents: Mapping[str, list[str]]) -> list[str]:
    """Return the labels that are not above another of them."""
    names = list(labels)
    above: set[str] = set()
    for name in names:
        waiting = [name]
        while waiting:
            further = [up for up in parents.get(waiting.pop(), ()) if up not in above]
            above.update(further)
            waiting += further
    return [name for name in names if name not in above]
