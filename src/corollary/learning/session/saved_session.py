"""The log of a session as JSON lines: the first line has its options, each further line an event."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import sparse

from ...logic.engines import Facts
from ...logic.errors import Contradiction, CorollaryError
from ...logic.ontology import Ontology
from ..choosing.scores import name_of
from ..features.columns import read_columns
from ..features.matrices import check_matrix, is_numbers
from ..knowledge import Knowledge
from ..meaning.reader import check_texts, is_texts
from ..question import Asked
from .arguments import count_items
from .options import experiment, grouped

if TYPE_CHECKING:
    from .session import Session

SomeSession = TypeVar("SomeSession", bound="Session")
Event = dict[str, Any]
#: The version of the format that this code writes, and the newest that it reads.
VERSION = 3
#: The settings of a session that its log keeps, next to `random_state`.
ASKED = ("score", "pick", "stay", "share_at_random", "facts_at_random", "diverse", "costs",
         "item_cost", "propagate", "refresh")  # fmt: skip
READ = ("encoder", "meaning")
OF_PEOPLE = ("fallible", "prices")
SETTINGS = ("random_state", *ASKED, *READ, *OF_PEOPLE)
#: The names of settings in versions 1 and 2, and their names now.
RENAMED = {"by_chance": "share_at_random", "facts_by_chance": "facts_at_random"}


class Log:
    """The events of a session, in order; k = K means the whole item."""

    def __init__(self, knowledge: Knowledge, X: Any):
        self._ids = knowledge.ids
        self._labels = knowledge.onto.labels
        self._X = X
        self._events: list[Event | tuple[Asked, Facts]] = []

    def answered(
        self, i: int, k: int, value: bool | Collection[str] | None, who: Hashable | None = None
    ) -> None:
        """Add an answer: yes, no, labels, or None."""
        said = (
            value
            if value is None
            else list(value)
            if isinstance(value, Collection)
            else bool(value)
        )
        self._events.append({"event": "answer", **self._cell(i, k), "value": said, **_by(who)})

    def asked(self, batch: Asked, wholes: Facts) -> None:
        """Add many answers from a truth; `wholes` has the labels of whole items among them."""
        self._events.append((batch, wholes))

    def retracted(self, i: int, k: int, who: Hashable | None = None) -> None:
        """Add that an answer was taken back."""
        self._events.append({"event": "retract", **self._cell(i, k), **_by(who)})

    def restated(
        self, i: int, answers: Mapping[str, bool], skipped: Collection[str | None]
    ) -> None:
        """Add that all answers about an item were replaced."""
        said = {label: bool(value) for label, value in answers.items()}
        self._events.append(
            {"event": "restate", "item": self._ids[i], "answers": said, "skipped": list(skipped)}
        )

    def retrained(self, *, wait: bool) -> None:
        """Add that a training began; with `wait` it also ended."""
        self._events.append({"event": "retrain"} if wait else {"event": "retrain", "wait": False})

    def taken_up(self) -> None:
        """Add that a training in the background is in use."""
        self._events.append({"event": "taken up"})

    def lines(self, made: Mapping[str, Any]) -> Iterator[Event]:
        """Return all events; the first has the options of the session."""
        yield {
            "event": "session",
            "version": VERSION,
            "items": len(self._ids),
            "X": fingerprint(self._X),
            **made,
        }
        for event in self._events:
            if isinstance(event, dict):
                yield event
            else:
                yield from self._one_by_one(*event)

    def _one_by_one(self, batch: Asked, wholes: Facts) -> Iterator[Event]:
        labellings = iter(wholes)
        for i, k, value in zip(
            batch.item.tolist(), batch.label.tolist(), batch.value.tolist(), strict=True
        ):
            cell = self._cell(i, k)
            whole = cell["label"] is None
            said = (
                [self._labels[j] for j in np.flatnonzero(next(labellings))]
                if whole
                else bool(value)
            )
            yield {"event": "answer", **cell, "value": said}

    def _cell(self, i: int, k: int) -> Event:
        return {"item": self._ids[i], "label": self._labels[k] if k < len(self._labels) else None}


def _by(who: Hashable | None) -> Event:
    return {} if who is None else {"who": who}


def made_with(session: Session) -> dict[str, Any]:
    """Return the options of a session, as far as its log keeps them."""
    options = (
        (ASKED, experiment(session.asking)),
        (READ, session.reading),
        (OF_PEOPLE, session.annotators),
    )
    made: dict[str, Any] = {"ontology": str(session.onto), "random_state": session.random_state}
    made |= {name: getattr(values, name) for names, values in options for name in names}
    made["score"] = name_of(session.asking.score)  # a strategy is to be passed again
    for name in ("costs", "prices"):
        made[name] = dict(made[name] or {})
    if not isinstance(session.reading.encoder, str):
        del made["encoder"]  # to be passed again, as the items are
    return made


def rebuilt(
    kind: type[SomeSession], path: str | PathLike[str], X: Any, options: Mapping[str, Any]
) -> SomeSession:
    """Make a session with the options of a log, or those passed, and repeat its events."""
    head, *events = read_log(path)
    onto = Ontology.parse(head["ontology"])
    _check_items(path, head, X, options)
    session = kind(onto, X, **grouped(_made(head, onto) | dict(options)))
    for number, event in enumerate(events, start=2):
        replay(session, event, f"{path}, line {number}")
    return session


def _made(head: Event, onto: Ontology) -> dict[str, Any]:
    """Return the options in the first line of a log, by their names now."""
    named = {RENAMED.get(name, name): value for name, value in head.items()}
    made = {name: named[name] for name in SETTINGS if name in named}
    if made.get("fallible"):  # costs had the prices of people, too, up to version 2
        costs = made.get("costs") or {}
        prices = {name: price for name, price in costs.items() if name not in onto}
        made["costs"] = {name: price for name, price in costs.items() if name in onto}
        made["prices"] = {**prices, **made.get("prices", {})}
    return made


def _check_items(
    path: str | PathLike[str], head: Event, X: Any, options: Mapping[str, Any]
) -> None:
    """Raise an error if the items are not those of the log, as far as the log shows."""
    pairs = options.get("pairs")
    if "pairs" in head and pairs is None:
        raise CorollaryError(f"{path} is the log of a session with pairs; pass the same pairs=...")
    if pairs is not None and head.get("pairs") != fingerprint(np.stack([pairs.head, pairs.tail])):
        raise CorollaryError(f"{path} is the log of a session with other pairs; pass the same ones")
    n = count_items(X, options.get("beliefs"), options.get("facts"))
    if n != head.get("items", n):
        raise CorollaryError(
            f"{path} is the log of a session of {head['items']:,} items, got {n:,}; pass all of them"
        )
    if X is not None and None not in (was := head.get("X"), now := fingerprint(X)) and was != now:
        raise CorollaryError(
            f"{path} is the log of a session with another X; pass the same items in the same order"
        )


def fingerprint(X: Any) -> str | None:
    """Return a hash of items, the same for any form of the same texts or numbers; None if impossible."""
    found = blake2b(digest_size=16)
    try:
        if is_texts(X):
            found.update("\0".join(check_texts(X)).encode())
        elif sparse.issparse(X) or is_numbers(X):
            matrix = check_matrix(X)
            parts = (
                (matrix.indptr, matrix.indices, matrix.data)
                if sparse.issparse(matrix)
                else (matrix,)
            )
            for part in parts:
                found.update(np.ascontiguousarray(part, np.float64).tobytes())
        else:
            for name, column in read_columns(X).items():
                found.update(repr([name, column.values.tolist()]).encode())
    except CorollaryError:
        return None
    return found.hexdigest()


def replay(session: Session, event: Event, where: str) -> None:
    """Repeat an event of a log in a session."""
    try:
        match event["event"]:
            case "retrain":
                session.retrain(wait=event.get("wait", True))
            case "taken up":
                session.wait()
            case "retract":
                session.retract((event["item"], event["label"]), who=event.get("who"))
            case "restate":
                session.restate(event["item"], event["answers"], skipped=event["skipped"])
            case "answer":
                session.answer(
                    (event["item"], event["label"]), event["value"], who=event.get("who")
                )
            case kind:
                raise CorollaryError(f"unknown event {kind!r}")
    except Contradiction:
        raise
    except (KeyError, CorollaryError) as error:
        raise CorollaryError(f"{where}: {error}") from error


def write_log(path: str | PathLike[str], events: Iterable[Event]) -> None:
    """Write all events, or leave the file as it was."""
    try:
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        partial.write_text(
            "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events),
            encoding="utf-8",
        )
        partial.replace(target)
    except OSError as error:
        raise CorollaryError(
            f"the log {path} cannot be written: {error.strerror or error}"
        ) from error
    except (TypeError, ValueError) as error:
        raise CorollaryError(
            f"the log cannot be written to {path}: {error}; ids of items must be JSON"
        ) from error


def read_log(path: str | PathLike[str]) -> list[Event]:
    """Return all events; the first has the options of the session."""
    events: list[Event] = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, TypeError, UnicodeDecodeError) as error:
        raise CorollaryError(f"the log {path} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CorollaryError(
                f"{path}, line {number}: not JSON ({error}); is the file truncated?"
            ) from error
        if not isinstance(event, dict) or "event" not in event:
            raise CorollaryError(f"{path}, line {number}: not an event")
        events.append(event)
    if not events or events[0]["event"] != "session":
        raise CorollaryError(
            f"{path} is not the log of a session: its first line must be the event 'session'"
        )
    if not isinstance(events[0].get("ontology"), str):
        raise CorollaryError(f"{path} lacks the ontology of its session; is it the whole log?")
    if events[0].get("version") not in range(1, VERSION + 1):
        raise CorollaryError(
            f"{path} has version {events[0].get('version')!r} of the format, this reads up to {VERSION}"
        )
    return events
