"""Rows of the log as events, many at once: yes and no, nearly all of a long log, are checked the short way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..events import ANSWER, DOUBTED, LONGEST_KEY, TRUST, YES_NO, Event, from_row, storable
from . import tables

COLUMNS = tuple(column.name for column in tables.events.columns)
#: Sets what the name says of an event that nobody has seen yet: an event is frozen, and made by checking everything.
SET: tuple[Callable[[Event, Any], None], ...] = tuple(
    getattr(Event, name).__set__ for name in COLUMNS
)
(
    SET_SEQ, SET_KEY, SET_AT, SET_WHO, SET_KIND, SET_ITEM, SET_LABEL, SET_VALUE, SET_SECONDS, SET_ONTOLOGY, SET_MODEL,
    SET_REFERS, SET_DETAIL,
) = SET  # fmt: skip
INFINITY = float("inf")


class EventRows:
    """Makes events of rows, columns as in the table. Names of items, labels and people are checked once and shared."""

    def __init__(self) -> None:
        self._texts: dict[str | None, str] = {}

    def events(self, rows: Sequence[Sequence[Any]]) -> Iterator[Event]:
        """The event of each row; what is wrong with one is told as ever."""
        made = Event.__new__
        texts = self._texts
        usual = _are_usual(rows)
        for row in rows:
            (
                seq,
                key,
                at,
                who,
                kind,
                item,
                label,
                value,
                seconds,
                ontology,
                model,
                refers,
                detail,
            ) = row
            if (
                kind != ANSWER
                or value not in YES_NO
                or not (item in texts or self._learn(item))
                or not (label in texts or self._learn(label))
                or not (who in texts or self._learn(who))
                or refers is not None
                or not (usual or _are_usual([row]))
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


def _are_usual(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether all but the words of answers is as it nearly always is; if not, an event itself tells what is wrong."""
    if not rows:
        return True
    seqs, keys, times, _, _, _, _, _, seconds, ontologies, models, _, _ = zip(*rows, strict=True)
    took = [each for each in seconds if each is not None]
    return (
        _are_texts(keys, LONGEST_KEY)
        and _are_texts(times, LONGEST_KEY)
        and _are_whole(seqs, 0)
        and _are_whole(ontologies, 1)
        and _are_whole(models, 0)
        and set(map(type, took)) <= {float}
        and all(0.0 <= each < INFINITY for each in took)
    )


def _are_texts(texts: Sequence[Any], longest: int) -> bool:
    """Whether these are short texts of plain letters, none of them empty."""
    if set(map(type, texts)) != {str} or not all(texts) or len(max(texts, key=len)) > longest:
        return False
    together = "".join(texts)
    return together.isascii() and "\0" not in together


def _are_whole(numbers: Sequence[Any], least: int) -> bool:
    """Whether these are whole numbers that a database can hold."""
    return set(map(type, numbers)) == {int} and least <= min(numbers) and max(numbers) < 2**63
