"""Rows of the log as events, many at once: yes and no, nearly all of a long log, are checked the short way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..events import ANSWER, DOUBTED, LONGEST_KEY, TRUST, YES_NO, Event, from_row, storable
from . import tables

COLUMNS = tuple(column.name for column in tables.events.columns)
#: Sets what the name says of an event that nobody has seen yet: an event is frozen, and made by checking everything.
SET: tuple[Callable[[Event, Any], None], ...] = tuple(getattr(Event, name).__set__ for name in COLUMNS)
(
    SET_SEQ, SET_KEY, SET_AT, SET_WHO, SET_KIND, SET_ITEM, SET_LABEL, SET_VALUE, SET_SECONDS, SET_ONTOLOGY, SET_MODEL,
    SET_REFERS, SET_DETAIL,
) = SET  # fmt: skip
INFINITY = float("inf")


class EventRows:
    """Makes events of rows, columns as in the table. Names of items, labels and people are checked once and shared."""

    def __init__(self) -> None:
        self._texts: dict[str | None, str] = {}

    def events(self, rows: Iterable[Sequence[Any]]) -> Iterator[Event]:
        """The event of each row; what is wrong with one is told as ever."""
        made, texts = Event.__new__, self._texts
        for row in rows:
            seq, key, at, who, kind, item, label, value, seconds, ontology, model, refers, detail = row
            if (
                kind != ANSWER
                or value not in YES_NO
                or not (item in texts or self._learn(item))
                or not (label in texts or self._learn(label))
                or not (who in texts or self._learn(who))
                or not _is_usual(seq, key, at, seconds, ontology, model, refers)
            ):
                yield from_row(dict(zip(COLUMNS, row, strict=True)))
                continue
            if detail is not None:
                detail = json.loads(detail)
                if type(detail) is not dict or DOUBTED in detail or TRUST in detail:
                    yield from_row(dict(zip(COLUMNS, row, strict=True)))
                    continue
            event = made(Event)
            SET_SEQ(event, seq)
            SET_KEY(event, key)
            SET_AT(event, at)
            SET_WHO(event, texts[who])
            SET_KIND(event, ANSWER)
            SET_ITEM(event, texts[item])
            SET_LABEL(event, texts[label])
            SET_VALUE(event, value == "true")
            SET_SECONDS(event, seconds)
            SET_ONTOLOGY(event, ontology)
            SET_MODEL(event, model)
            SET_REFERS(event, None)
            SET_DETAIL(event, detail)
            yield event

    def _learn(self, text: Any) -> bool:
        """Whether this is a text that an event may have; it is remembered."""
        if type(text) is not str or not text or not storable(text):
            return False
        self._texts[text] = text
        return True


def _is_usual(seq: Any, key: Any, at: Any, seconds: Any, ontology: Any, model: Any, refers: Any) -> bool:
    """Whether the rest of an answer is as it nearly always is; if not, the event itself tells what is wrong."""
    return (
        type(key) is str is type(at)
        and 0 < len(key) <= LONGEST_KEY
        and bool(at)
        and key.isascii()
        and at.isascii()
        and "\0" not in key
        and "\0" not in at
        and refers is None
        and type(seq) is int is type(ontology) is type(model)
        and 0 <= seq < 2**63
        and 1 <= ontology < 2**63
        and 0 <= model < 2**63
        and (seconds is None or (type(seconds) is float and 0.0 <= seconds < INFINITY))
    )
