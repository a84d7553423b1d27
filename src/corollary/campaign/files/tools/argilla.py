"""Argilla's records as JSON lines or a list: responses of people, and suggestions of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....logic.errors import CorollaryError
from ...items import Item
from .formats import Record
from .json_lines import (
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
from .label_studio.item_tasks import model_version

if TYPE_CHECKING:
    from ..exports.provenance import Cell, Snapshot

#: The question of a file that is written here: a MultiLabelQuestion with all labels.
QUESTION = "labels"
YES = "corollary_yes"
NO = "corollary_no"
DISCARDED = "discarded"


def recognise(one: Any) -> bool:
    """Whether an object is a record of Argilla."""
    parts = ("responses", "suggestions")
    return (
        isinstance(one, Mapping)
        and isinstance(one.get("fields"), Mapping)
        and any(isinstance(one.get(name), Mapping | list) for name in parts)
    )


def read(path: Path) -> Iterator[Record]:
    """Return the responses of people to the question about labels; suggestions are ignored."""
    return records_in(path, records_of)


def records_of(one: Mapping[str, Any], place: str) -> Iterator[Record]:
    """Yield a record for each response; without one, the labels known when we wrote the file."""
    shown = object_in(one, "fields")
    metadata = object_in(one, "metadata")
    first = next((name for name, value in shown.items() if isinstance(value, str)), "text")
    text = text_in(shown, "text" if "text" in shown else first)
    item = id_in((one.get("id"), one.get("external_id")), text)
    fields = fields_in(metadata, without=(YES, NO)) | fields_in(
        {name: value for name, value in shown.items() if value is not text}
    )
    no = dict.fromkeys(names_in(metadata.get(NO), f"{NO!r}"), False)
    said = list(_responses(one.get("responses")))
    for who, picked in said:
        yield Record(place, item, no | dict.fromkeys(picked, True), text, fields, who, listed=True)
    if not said:
        yes = dict.fromkeys(names_in(metadata.get(YES), f"{YES!r}"), True)
        yield Record(place, item, no | yes, text, fields, listed=False)


def _responses(responses: Any) -> Iterator[tuple[str | None, list[str]]]:
    """Yield each person with their picked labels, from the question about labels."""
    if responses is None:
        return
    if not isinstance(responses, Mapping):
        raise CorollaryError(
            "'responses' must be an object of lists by question, as Record.to_dict writes it"
        )
    for question, given in responses.items():
        if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
            raise CorollaryError(f"the responses to {question!r} must be a list of objects")
    for one in responses.get(_question(responses), ()):
        value = one.get("value")
        who = one.get("user_id")
        if one.get("status") != DISCARDED and value is not None:
            picked = (
                [value]
                if isinstance(value, str)
                else names_in(value, f"a response to {QUESTION!r}")
            )
            yield None if who is None else str(who), picked


def _question(responses: Mapping[str, list[Mapping[str, Any]]]) -> str | None:
    """Return the question called labels, else the only one with texts or lists of texts as answers."""
    if QUESTION in responses:
        return QUESTION
    values = {
        question: [one.get("value") for one in given] for question, given in responses.items()
    }
    lists = [question for question, given in values.items() if given and all(map(_is_names, given))]
    texts = [
        question
        for question, given in values.items()
        if given and all(isinstance(one, str) for one in given)
    ]
    found = lists or texts
    if len(found) > 1:
        raise CorollaryError(
            f"several questions may be about labels ({', '.join(found)}); rename the right one to "
            f"{QUESTION!r}"
        )
    return found[0] if found else None


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield a record for each item, with one MultiLabelQuestion called labels.

    If all labels are known, they are a response. Else the known ones, and with `predictions` the
    predicted ones, are a suggestion that people can complete. The metadata has the known labels.
    """
    agent = model_version(snapshot)
    rows = snapshot.rows(predictions=predictions)
    return json_lines(_record(item, cells, agent) for item, _, cells in rows)


def _record(item: Item, cells: list[Cell], agent: str) -> dict[str, Any]:
    yes = [cell.label for cell in cells if cell.value]
    known = [cell for cell in cells if cell.settled]
    record: dict[str, Any] = {
        "id": item.id,
        "fields": {"text": item.text or item.id},
        "metadata": fields_of(item, without=(YES, NO))
        | {
            NO: [cell.label for cell in known if not cell.value],
            YES: [cell.label for cell in known if cell.value],
        },
        "suggestions": {},
        "responses": {},
    }
    if len(known) == len(cells):
        people = dict.fromkeys(
            who for cell in cells for said in cell.answers for who in said.by if who not in NOBODY
        )
        record["responses"] = {QUESTION: [{"value": yes, "user_id": next(iter(people), None)}]}
    elif yes:
        scores = [
            1.0 if cell.probability is None else round(cell.probability, 6)
            for cell in cells
            if cell.value
        ]
        record["suggestions"] = {QUESTION: {"value": yes, "score": scores, "agent": agent}}
    return record
