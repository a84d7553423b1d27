"""Prodigy's JSON lines: an example for each question, accepted or rejected; choices from a list are read as well."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....logic.errors import CorollaryError
from ....items import Item
from ....jsontext import parse_json
from ..formats import Record
from ..json_lines import (
    HIDDEN,
    NOBODY,
    fields_in,
    fields_of,
    id_in,
    json_lines,
    names_in,
    object_in,
    records_in,
    text_in,
)
from ..json_objects import objects_in

if TYPE_CHECKING:
    from ...exports.provenance import Cell, Snapshot

ANSWERS = ("accept", "reject", "ignore")
INPUT_HASH = "_input_hash"
TASK_HASH = "_task_hash"
#: The field in which an item keeps the hashes it came with: {"input": 1, "tasks": {label, or "" for a choice: 2}}.
HASHES = f"{HIDDEN}prodigy"
HASH_LIMIT = 2**31
#: The keys about the item itself.
ITEM = "item"
NOT_SAID = ("implied", "predicted", "open")


def recognise(one: Any) -> bool:
    """Whether an object is an example of Prodigy."""
    return isinstance(one, Mapping) and (one.get("answer") in ANSWERS or INPUT_HASH in one)


def read(path: Path) -> Iterator[Record]:
    """Yield the labels of each example; an ignored example means that someone could not tell."""
    hashes: dict[str, dict[str, Any]] = {}
    for place, one in objects_in(path):
        try:
            _keep_hashes(one, hashes)
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {place}: {error}. Nothing was imported") from None

    def records_of(one: Mapping[str, Any], place: str) -> Iterator[Record]:
        record = record_of(one, place)
        if kept := hashes.get(record.item):
            record.fields[HASHES] = json.dumps(kept)
        yield record

    return records_in(path, records_of)


def record_of(one: Mapping[str, Any], place: str) -> Record:
    """Return the labels of an example."""
    answer = one.get("answer")
    if answer is not None and answer not in ANSWERS:
        raise CorollaryError(
            f"'answer' must be one of {', '.join(ANSWERS)}, got {str(answer)[:40]!r}"
        )
    meta = object_in(one, "meta")
    labels: dict[str, bool] = {}
    unsure: tuple[str, ...] = ()
    listed = "options" in one
    if listed:
        picked = names_in(one.get("accept"), "'accept'")
        known = _options(one["options"])
        if strange := [name for name in picked if name not in known]:
            raise CorollaryError(f"'accept' names {strange[0]!r}, which is none of the options")
        labels = dict.fromkeys(picked, True) if answer == "accept" else {}
    elif (label := text_in(one, "label")) is not None and meta.get("source") not in NOT_SAID:
        labels = {label: answer == "accept"} if answer in ("accept", "reject") else {}
        unsure = (label,) if answer == "ignore" else ()
    who = one.get("_annotator_id") or one.get("_session_id")
    fields = fields_in(meta, without=(ITEM, "id", "source", "score", "gain", "probability"))
    # an example that nobody accepted has no picks, so that unpicked labels stay open
    listed = listed and answer == "accept"
    return Record(
        place,
        item_in(one),
        labels,
        text_in(one),
        fields,
        None if who is None else str(who),
        listed,
        unsure,
    )


def item_in(one: Mapping[str, Any]) -> str:
    """Return the id of an example's item."""
    meta = object_in(one, "meta")
    return id_in((meta.get(ITEM), meta.get("id"), one.get("id")), text_in(one))


def _options(options: Any) -> set[str]:
    if not isinstance(options, list) or not all(
        isinstance(option, Mapping) and "id" in option for option in options
    ):
        raise CorollaryError(
            f"'options' must be a list of objects with an id, got {str(options)[:60]}"
        )
    return {str(option["id"]) for option in options}


def _keep_hashes(one: Mapping[str, Any], hashes: dict[str, dict[str, Any]]) -> None:
    for name in (INPUT_HASH, TASK_HASH):
        value = one.get(name)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if value is not None and not (whole and -HASH_LIMIT <= value < HASH_LIMIT):
            raise CorollaryError(
                f"{name!r} must be a whole number of 32 bits with a sign, got {str(value)[:40]}"
            )
    if one.get(INPUT_HASH) is None and one.get(TASK_HASH) is None:
        return
    kept = hashes.setdefault(item_in(one), {"input": one.get(INPUT_HASH), "tasks": {}})
    if one.get(TASK_HASH) is not None:
        kept["tasks"]["" if "options" in one else text_in(one, "label") or ""] = one[TASK_HASH]


# -- writing -----------------------------------------------------------------------------------------------------------


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield an example for each known label of each item, accepted or rejected.

    Open labels have none, because `prodigy db-in` takes an example without an answer as accepted.
    """
    del predictions
    return json_lines(
        example
        for item, _, cells in snapshot.rows(predictions=False)
        for example in examples_of(item, cells)
    )


def examples_of(item: Item, cells: list[Cell]) -> Iterator[dict[str, Any]]:
    """Yield the examples of an item: one for each person who answered, one for implied labels."""
    for cell in cells:
        if cell.value is None:
            continue
        example = about(item, task=cell.label) | {
            "label": cell.label,
            "answer": "accept" if cell.value else "reject",
        }
        example["meta"] |= {"source": cell.source}
        example["_view_id"] = "classification"
        people = [
            who
            for said in cell.answers
            for who in said.by
            if who not in NOBODY and cell.source == "asked"
        ]
        for who in people or (None,):
            yield example | _signed(who, cell.at)


def about(item: Item, *, task: str) -> dict[str, Any]:
    """Return an example's item with its original hashes; `task` is the label, "" for a choice."""
    example: dict[str, Any] = {"text": item.text or item.id}
    example["meta"] = {
        **fields_of(item, without=(ITEM, "id", "source", "score", "gain", "probability")),
        ITEM: item.id,
    }
    kept = _hashes_of(item)
    if kept.get("input") is not None:
        example[INPUT_HASH] = kept["input"]
    if task in object_in(kept, "tasks"):
        example[TASK_HASH] = kept["tasks"][task]
    return example


def _hashes_of(item: Item) -> Mapping[str, Any]:
    """Return the original hashes of an item; any other contents of that field are ignored."""
    text = item.fields.get(HASHES)
    try:
        kept = parse_json(text) if isinstance(text, str) else {}
    except ValueError:
        kept = {}
    return (
        kept if isinstance(kept, Mapping) and isinstance(kept.get("tasks"), Mapping | None) else {}
    )


def _signed(who: str | None, at: str | None) -> dict[str, Any]:
    signed: dict[str, Any] = {} if who is None else {"_annotator_id": who, "_session_id": who}
    if at is not None:
        signed["_timestamp"] = int(datetime.fromisoformat(at).timestamp())
    return signed
