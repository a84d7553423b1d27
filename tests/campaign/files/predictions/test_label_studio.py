from __future__ import annotations

import json

import pytest

from corollary.campaign.files.predictions.label_studio import picked_in, versions_in
from corollary.campaign.files.tools.label_studio.tasks import choices_result, taxonomy_result
from corollary.logic.errors import CorollaryError


@pytest.fixture
def tasks(tmp_path):
    def write(*tasks):
        path = tmp_path / "tasks.json"
        path.write_text(json.dumps(tasks))
        return path

    return write


def task(*predictions, **data):
    return {
        "id": 7,
        "data": {"item": "a", "text": "robin", **data},
        "predictions": list(predictions),
    }


def prediction(*results, version="m1", **more):
    return {"model_version": version, "score": 0.3, "result": list(results), **more}


def test_what_a_version_picked(tasks):
    path = tasks(
        task(
            prediction(choices_result(["bird", "animal"])),
            prediction(choices_result(["fish"]), version="m2"),
        ),
        task(prediction(taxonomy_result([["animal", "fish"]]) | {"score": 0.75}), item="b"),
        task(item="c"),
    )
    assert versions_in(path) == ["m1", "m2"]
    assert list(picked_in(path, "m1")) == [
        ("object 1", "a", {"bird": 1.0, "animal": 1.0}),
        ("object 2", "b", {"animal": 0.75, "fish": 0.75}),
        ("object 3", "c", {}),
    ]
    assert next(iter(picked_in(path, "m2"))).said == {"fish": 1.0}


def test_the_answer_to_a_question(tasks):
    asked = {"label": "bird", "question": "Is it a bird?", "item": "a|bird"}
    path = tasks(
        task(prediction(choices_result(["No"]) | {"score": 0.9}), **asked),
        task(prediction(choices_result(["Can't tell"])), **asked),
    )
    assert [one.said for one in picked_in(path, "m1")] == [{"bird": pytest.approx(0.1)}, {}]
    assert next(iter(picked_in(path, "m1"))).item == "a"


def test_what_cannot_be_read_is_told_with_its_place(tasks):
    path = tasks(
        task(prediction({"type": "choices", "value": {"choices": "bird"}})),
        task(prediction(version=None)),
    )
    place, error = next(iter(picked_in(path, "m1")))
    assert place == "object 1"
    assert isinstance(error, CorollaryError)
    assert versions_in(path) == ["m1", "undefined"]
