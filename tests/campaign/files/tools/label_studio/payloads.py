"""Payloads in the shapes that Label Studio sends, written by hand."""

from __future__ import annotations

import json

from hypothesis import strategies as st

import corollary as co
from corollary.campaign.items import Item

#: Values that nobody expects where they stand.
JUNK = st.sampled_from(
    (
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "\0",
        "\ud800",
        "a/b",
        [],
        [[]],
        [None],
        {},
        {"id": {}},
        {"data": []},
        10**30,
    )
)


def taxonomy(*paths, name="labels"):
    value = {"taxonomy": [list(path) for path in paths]}
    return {"id": "r1", "from_name": name, "to_name": "text", "type": "taxonomy", "value": value}


def choices(*labels, name="labels"):
    return {
        "id": "r2",
        "from_name": name,
        "to_name": "text",
        "type": "choices",
        "value": {"choices": list(labels)},
    }


def annotation(*results, id=101, task=1, who=7, at="2026-11-15T06:00:00.000000Z", **more):
    return {
        "id": id,
        "result": list(results),
        "task": task,
        "project": 5,
        "completed_by": who,
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 1.7,
        "created_at": "2026-11-15T06:00:00.000000Z",
        "updated_at": at,
        **more,
    }


def task(item="robin", id=1, annotations=(), **data):
    return {
        "id": id,
        "data": {"item": item, "text": f"the {item}", **data},
        "meta": {},
        "project": 5,
        "annotations": list(annotations),
        "predictions": [],
    }


def question(item="robin", label="bird", id=11, annotations=()):
    about = {
        "label": label,
        "question": f"Is the {item} a {label}?",
        "key": f"{item}|{label}",
        "gain": 0.5,
    }
    return task(item, id, annotations, **about)


def project(config=""):
    return {"id": 5, "title": "zoo", "label_config": config, "task_number": 3}


def webhook(action, *annotations, task=None, config=""):
    """One annotation comes by itself, many in a list, deleted ones by their numbers."""
    if action.endswith("S_DELETED"):
        return {
            "action": action,
            "annotations": [{"id": one["id"]} for one in annotations],
            "project": project(config),
        }
    one = list(annotations) if "ANNOTATIONS" in action else annotations[0]
    sent = {"action": action, "annotation": one, "project": project(config)}
    return sent if task is None else {**sent, "task": task}


def spoil(data, sent):
    """Put something unexpected in place of some part of a payload."""
    place, name = sent, data.draw(st.sampled_from(sorted(sent)))
    while isinstance(place[name], dict | list) and place[name] and data.draw(st.booleans()):
        place = place[name]
        name = data.draw(
            st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))
        )
    place[name] = data.draw(JUNK)
    return sent


ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nbird > sparrow\nexactly one: animal, plant\n"
)


ITEMS = [
    Item(name, text=f"the {name}", fields={"size": n})
    for n, name in enumerate(("robin", "carp", "cow", "oak"))
]


def written(tmp_path, *tasks, name="tasks.json"):
    path = tmp_path / name
    path.write_text(json.dumps(list(tasks)), encoding="utf-8")
    return path
