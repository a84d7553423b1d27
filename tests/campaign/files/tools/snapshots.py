"""Snapshots of campaigns that were never stored: items, answers, and perhaps a model's beliefs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.files.exports.provenance import Snapshot
from corollary.campaign.files.imports.file_form import Form, Import
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import write_file
from corollary.campaign.items import Item
from corollary.campaign.labels.statements import Statements
from corollary.campaign.state.standing import standing

ONTO = co.Ontology(
    ["animal", "bird", "fish", "sparrow", "plant", "red"],
    [
        co.subsumes("animal", "bird", "fish"),
        co.exclusive("bird", "fish"),
        co.implies("sparrow", "bird"),
        co.exactly_one("animal", "plant"),
    ],
)
Answers = Mapping[str, Mapping[str, bool]]


def snapshot_of(
    answers: Answers,
    *,
    items: Sequence[Item] = (),
    beliefs: Any = None,
    who: Sequence[str] = ("ann",),
) -> Snapshot:
    """What a campaign with these answers would hand to an export; with beliefs it has a model."""
    items = items or [Item(item, text=f"the {item}") for item in answers]
    events: list[Event] = []
    standings = {}
    rows = np.full((len(items), len(ONTO)), -1, np.int8)
    for i, item in enumerate(items):
        own = []
        for label, value in answers.get(item.id, {}).items():
            for person in who:
                about = {
                    "item": item.id,
                    "label": label,
                    "value": value,
                    "at": "2026-11-15T06:00:00+00:00",
                }
                own.append(Event(kind="answer", who=person, seq=len(events) + 1, **about))
                events.append(own[-1])
            rows[i, ONTO.index[label]] = value
        standings[item.id] = standing(own, ONTO, Statements({1: ONTO}))
    model = (
        None
        if beliefs is None
        else Event(kind="model", who="system", value=3, detail={"upto": 0, "sha256": "0"})
    )
    theta = np.full(rows.shape, 0.5) if beliefs is None else np.asarray(beliefs, np.float64)
    return Snapshot(
        items=list(items),
        onto=ONTO,
        version=1,
        facts=ONTO.propagate(rows),
        beliefs=theta,
        places=np.arange(len(items)),
        standings=standings,
        events=events,
        model=model,
        names=True,
        progress=lambda done, of: None,
    )


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, values: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def there_and_back(
    snapshot: Snapshot, format: str, path: Path, *, complete: bool = False, **options: Any
) -> Import:
    """Write a file and check it for a campaign that has none of its items."""
    write_file(snapshot, path, format, **options)
    return check_import(path, ONTO, Form(format=format, complete=complete))


def closed(found: Import) -> dict[str, dict[str, bool]]:
    """All that follows from what a file says, by item."""
    said: dict[str, dict[str, bool]] = {item.id: {} for item in found.items()}
    for item, label, value in found.facts:
        said[item][label] = value
    return {item: ONTO.propagate(labels) for item, labels in said.items()}


@st.composite
def some_answers(draw: st.DrawFn) -> dict[str, dict[str, bool]]:
    """Answers about a few items that can be true together; there is always one."""
    found: dict[str, dict[str, bool]] = {"sure": {"red": True}}
    for n in range(draw(st.integers(1, 4))):
        said: dict[str, bool] = {}
        for label in draw(st.lists(st.sampled_from(ONTO.labels), unique=True, max_size=4)):
            known = ONTO.propagate(said)
            if label not in known:
                said[label] = draw(st.booleans())
        found[f"item {n}"] = said
    return found


ANSWERS = {
    "robin": {"sparrow": True, "red": False},
    "oak": {"plant": True},
    "thing": {"bird": False},
    "new": {},
}


#: A model that is quite sure of everything.
BELIEFS = np.full((4, len(ONTO)), 0.999999)
