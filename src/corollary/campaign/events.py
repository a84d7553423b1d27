"""The events of a campaign: their kinds, their contents, and JSON both ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Self
from uuid import uuid4

from ..logic.errors import CorollaryError

ANSWER = "answer"
UNDO = "undo"
FLAG = "flag"
UNFLAG = "unflag"
DECISION = "decision"
DOUBT = "doubt"
FACT = "fact"
GOLD = "gold"
WITHDRAW = "withdraw"
ITEMS = "items"
ONTOLOGY = "ontology"
SETTINGS = "settings"
PAUSE = "pause"
RESUME = "resume"
MODEL = "model"
AUDIT = "audit"
ACCEPT = "accept"
REPORT = "report"
KINDS = (
    ANSWER, UNDO, FLAG, UNFLAG, DECISION, DOUBT, FACT, GOLD, WITHDRAW,
    ITEMS, ONTOLOGY, SETTINGS, PAUSE, RESUME, MODEL, AUDIT, ACCEPT, REPORT,
)  # fmt: skip

CANT_TELL = "cant_tell"
SKIP = "skip"
# details of an answer: the model's prediction, which the person saw, or did not see
SUGGESTED = "suggested"
PREDICTED = "predicted"
DRAWN = "drawn"  # the prediction for an answer to a random question
EXPECTED = "expected"  # how expected the answer was under the model of its time
GROUP = "group"  # the name of a group of events that were written together
LEFT = "left"  # the number of items of a group that are still to come after a batch
# details if annotators can be wrong: improbable answers, and reliabilities of people
DOUBTED = "doubted"
TRUST = "trust"
# details of an event that puts a release in force: moves of labels, and words about labels
SAME = "same"
WIDER = "wider"
LABELS = "labels"
REASONS = ("question", "text", "rule", "other")  # reasons for a flag
LONGEST_KEY = 200  # characters; keys are indexed
RESERVED_KEYS = "label-studio/"  # keys of annotations of Label Studio; clients may not choose them
YES_NO = {"true": True, "false": False}  # most values of most logs, as JSON has them


def now() -> str:
    """Return the time, UTC, in ISO 8601 with microseconds, which sorts as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def new_key() -> str:
    """Return a new unique key of an event."""
    return str(uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the log.

    Parameters
    ----------
    kind
        The kind of the event, which decides the contents of `value` and `detail`, see below.
    who
        The person, or a machine for a report.
    item, label
        The item and the label. Without a label it is about the whole item.
    value, detail
        The contents.
    seconds
        The time that an answer took.
    ontology, model
        The versions in force when it was written.
    refers
        The event that an undo, unflag or doubt is about.
    key
        A client that repeats a key repeats the event.
    at
        The time, UTC.
    seq
        Its number in the log, 0 before it has one.

    Notes
    -----
    The contents by kind:

    - answer: true, false, "cant_tell", "skip", or for the whole item the list of its labels. The
      model's prediction [answer, probability] is in detail as "suggested" if it was shown, else as
      "predicted", and as "drawn" for a random question. "expected" is a text of numbers: the risk
      of the predicted labelling, 1 if the answer contradicts it, else 0, and -log P(answer) in
      thousandths at each sharpness of the beliefs.
    - fact, decision, gold: true or false. Detail of a decision may have "reject": [seq, ...].
    - flag: detail {"reason", "note", "rule"}. withdraw: detail may have "reason".
    - ontology: value is the version. A new release has details: "same" (renamed labels; null if the
      name means another term), "wider" (merged labels), "labels" (that setting), "file".
    - model: value is the version; detail {"upto": seq, "sha256": ...} and more.
    - items: value is the number of new items. settings: detail has the changes.
    - audit: value is the list of questions, each [item, label, predicted], or for a whole item
      [item, null, its narrowest labels]. Detail {"at_least", "most_wrong", and "cells" or "items":
      the number sampled from}.
    - accept: value has yes or no by label, or is the list of the narrowest labels. Detail {"audit":
      seq, "probability": by label, or of the list, "group"}. The last event of a batch has "left",
      the number of items still to be accepted.
    - report: value is the number of cells. Detail {"by": the lead, "sha256": of the report,
      "items": their number}. An undo of a report is about no item.

    If annotators can be wrong, an event about an item may have "doubted": [[seq, label], ...], the
    answers about the item that are improbable since. A model has changes of them by item, and
    "trust" by person.
    """

    kind: str
    who: str
    item: str | None = None
    label: str | None = None
    value: Any = None
    seconds: float | None = None
    ontology: int = 1
    model: int = 0
    refers: int | None = None
    detail: dict[str, Any] | None = None
    key: str = field(default_factory=new_key)
    at: str = field(default_factory=now)
    seq: int = 0

    def __post_init__(self) -> None:
        if wrong := _wrong(self):
            raise CorollaryError(f"not an event: {self.kind!r} by {self.who!r}: {wrong}")

    def placed(self, seq: int) -> Self:
        """Return the event with its number in the log."""
        return replace(self, seq=seq)

    def to_json(self) -> str:
        """Return the event as one line of JSON."""
        return to_json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the event of one line of JSON."""
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise CorollaryError(f"not an event: not JSON ({error.msg}): {text[:80]!r}") from None
        if not isinstance(content, dict):
            raise CorollaryError(f"not an event: expected a JSON object, got {text[:80]!r}")
        if unknown := sorted(content.keys() - NAMES):
            raise CorollaryError(
                f"not an event: unknown field {unknown[0]!r}; an event has {', '.join(sorted(NAMES))}"
            )
        if missing := [name for name in ("kind", "who", "key", "at") if name not in content]:
            raise CorollaryError(f"not an event: {missing[0]!r} is missing in {text[:80]!r}")
        return cls(**content)


NAMES = frozenset(column.name for column in fields(Event))


def to_json(value: Any) -> str:
    """Return JSON as it is stored, without spaces, and without nan and infinity."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        raise CorollaryError(
            f"this text has half a character (a lone surrogate): {ascii(value)[:80]}"
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise CorollaryError(f"cannot be written as JSON: {error}") from None
    return text


def storable(text: str) -> bool:
    """Whether every database can store this text: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wrong(event: Event) -> str:
    """Return the fault of an event, or an empty string; every event is checked when a log is opened."""
    if event.kind not in KINDS:
        return f"the kind must be one of {', '.join(KINDS)}"
    needed = (event.who, event.key, event.at)
    about = tuple(text for text in (event.item, event.label) if text is not None)
    texts = needed + about
    plain = all(needed) and set(map(type, texts)) == {str} and storable("".join(texts))
    if not plain and (wrong := _wrong_text(event)):
        return wrong
    if len(event.key) > LONGEST_KEY:
        return f"the key has {len(event.key):,} characters; at most {LONGEST_KEY} are allowed"
    if not _is_count(event.seq, 0):
        return f"seq must be an integer from 0, got {event.seq!r}"
    if not _is_count(event.model, 0):
        return f"model must be an integer from 0, got {event.model!r}"
    if not _is_count(event.ontology, 1):
        return f"ontology must be an integer from 1, got {event.ontology!r}"
    if event.refers is not None and not _is_count(event.refers, 1):
        return f"refers must be the number of an event, got {event.refers!r}"
    if event.seconds is not None and not _is_duration(event.seconds):
        return f"seconds must be a number from 0, got {event.seconds!r}"
    if event.detail is not None and not isinstance(event.detail, dict):
        return f"detail must be an object, got {event.detail!r}"
    if (
        event.detail is not None
        and not event.detail.keys().isdisjoint((DOUBTED, TRUST))
        and not _are_verdicts(event.kind, event.detail.get(DOUBTED), event.detail.get(TRUST))
    ):
        return 'its details "doubted" and "trust" are not answers by event and label, and numbers by person'
    return _wrong_for_kind(event)


def _wrong_text(event: Event) -> str:
    """Return the fault of an event's texts; an empty string if all can be stored."""
    for name in ("who", "key", "at", "item", "label"):
        text = getattr(event, name)
        if text is None and name in ("item", "label"):
            continue
        if not isinstance(text, str) or (not text and name in ("who", "key", "at")):
            return f"{name} must be a text that is not empty, got {text!r}"
        if not storable(text):
            return f"{name} must be text without NUL and half characters, got {text!r}"
    return ""


def _wrong_for_kind(event: Event) -> str:
    kind = event.kind
    value = event.value
    detail = event.detail or {}
    if kind in (ANSWER, FLAG, DECISION, FACT, GOLD, WITHDRAW, ACCEPT) and event.item is None:
        return "it must name an item"
    if kind in (DECISION, FACT, GOLD) and event.label is None:
        return "it must name a label"
    if kind in (UNDO, UNFLAG, DOUBT) and event.refers is None:
        return "it must refer to an event"
    if kind == ANSWER and not _is_answer(value, whole=event.label is None):
        meant = "a list of labels" if event.label is None else "true, false"
        return f'an answer must be {meant}, "{CANT_TELL}" or "{SKIP}", got {value!r}'
    if kind in (DECISION, FACT, GOLD) and not isinstance(value, bool):
        return f"its value must be true or false, got {value!r}"
    if kind == DECISION and not _are_counts(detail.get("reject", [])):
        return f"it must reject a list of numbers of events, got {detail['reject']!r}"
    if kind == FLAG and detail.get("reason") not in REASONS:
        return f"the reason must be one of {', '.join(REASONS)}, got {detail.get('reason')!r}"
    if kind in (ITEMS, ONTOLOGY, MODEL) and not _is_count(value, 1):
        return f"its value must be an integer from 1, got {value!r}"
    if kind == ONTOLOGY and not (
        _are_labels(detail.get(SAME, {}), none=True)
        and _are_labels(detail.get(WIDER, {}))
        and isinstance(detail.get(LABELS, {}), dict)
    ):
        return (
            'its details "same", "wider" and "labels" must be labels by label, and words by label'
        )
    if kind == MODEL and not (
        _is_count(detail.get("upto"), 0) and isinstance(detail.get("sha256"), str)
    ):
        return f'it must have the details "upto" and "sha256", got {event.detail!r}'
    if kind == REPORT and not (
        _is_count(value, 1)
        and isinstance(detail.get("sha256"), str)
        and isinstance(detail.get("by"), str)
    ):
        return f'it must count cells, and have the details "by" and "sha256", got {value!r}, {event.detail!r}'
    if kind == SETTINGS and not detail:
        return "its detail must be what changed"
    if kind == AUDIT and not (
        _are_shares(detail.get("at_least"), detail.get("most_wrong"))
        and isinstance(value, list)
        and all(map(_is_prediction, value))
    ):
        return 'it must list the questions drawn, and have the details "at_least" and "most_wrong"'
    if kind == ACCEPT and not (_is_labelling(value) and _is_count(detail.get("audit"), 1)):
        return 'it must be yes or no by label, or a list of labels, and have the detail "audit"'
    return ""


def _is_answer(value: Any, *, whole: bool) -> bool:
    if whole:
        yes = isinstance(value, list) and all(isinstance(label, str) for label in value)
    else:
        yes = isinstance(value, bool)
    return yes or (isinstance(value, str) and value in (CANT_TELL, SKIP))


def _is_count(value: Any, least: int) -> bool:
    return type(value) is int and least <= value < 2**63


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_count(one, 1) for one in value)


def _is_prediction(one: Any) -> bool:
    """Whether a value is [item, label, yes or no] or [item, null, labels]."""
    if not isinstance(one, list | tuple) or len(one) != 3 or not isinstance(one[0], str):
        return False
    return (
        _are_names(one[2])
        if one[1] is None
        else isinstance(one[1], str) and isinstance(one[2], bool)
    )


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(label, str) for label in value)


def _are_labels(value: Any, *, none: bool = False) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str) or (none and one is None) for one in value.values()
    )


def _are_shares(*values: Any) -> bool:
    return all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in values)


def _are_verdicts(kind: str, doubted: Any, trust: Any) -> bool:
    """Whether doubted answers and reliabilities have the right form, or are absent."""
    if trust is not None and not (
        isinstance(trust, dict) and all(map(_are_numbers, trust.values()))
    ):
        return False
    if doubted is None or kind != MODEL:
        return doubted is None or _are_answers(doubted)
    return isinstance(doubted, dict) and all(map(_are_answers, doubted.values()))


def _are_answers(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and _is_count(one[0], 1) and isinstance(one[1], str)
        for one in value
    )


def _are_numbers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 5
        and all(isinstance(one, int | float) for one in value)
    )


def _is_labelling(value: Any) -> bool:
    if isinstance(value, list):
        return _are_names(value)
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(one, bool) for one in value.values())
    )


def _is_duration(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and isfinite(value)
        and value >= 0
    )


def to_row(event: Event) -> dict[str, Any]:
    """Return the event as a row of the table, with value and detail as JSON."""
    row = {name: getattr(event, name) for name in NAMES}
    row["value"] = to_json(event.value)
    row["detail"] = None if event.detail is None else to_json(event.detail)
    return row


def from_row(row: Mapping[Any, Any]) -> Event:
    """Return the event of a row of the table."""
    value = row["value"]
    detail = row["detail"]
    value = YES_NO[value] if value in YES_NO else json.loads(value)
    detail = None if detail is None else json.loads(detail)
    return Event(**{**row, "value": value, "detail": detail})
