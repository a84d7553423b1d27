"""What the formats of JSON lines share: ids, texts, fields, and places of errors."""

from __future__ import annotations

import json

import pytest

from corollary import CorollaryError
from corollary.campaign.files.tools.formats import Record
from corollary.campaign.files.tools.json_lines import (
    fields_in,
    fields_of,
    id_in,
    json_lines,
    names_in,
    object_in,
    records_in,
    text_in,
)
from corollary.campaign.items import Item


def test_the_first_id_that_there_is_or_one_of_the_text():
    assert id_in([None, " ", 7, "x"], None) == "7"
    assert id_in([" x "], "text") == "x"
    assert id_in([None], "a robin") == id_in([], "a robin") != id_in([], "a wren")
    for wrong in (True, 1.5, ["x"]):
        with pytest.raises(CorollaryError, match="an id must be a text or a whole number"):
            id_in([wrong], "text")
    with pytest.raises(CorollaryError, match="neither an id nor a text"):
        id_in([None], " ")


def test_parts_are_of_their_kind():
    one = {"text": "a", "meta": {"page": 1}, "labels": ["x"], "none": None}
    assert (text_in(one), text_in(one, "none"), text_in(one, "gone")) == ("a", None, None)
    assert (object_in(one, "meta"), object_in(one, "none")) == ({"page": 1}, {})
    assert (names_in(one["labels"], "labels"), names_in(None, "labels")) == (["x"], [])
    for wrong, told in (
        (lambda: text_in(one, "meta"), "'meta' must be text"),
        (lambda: object_in(one, "labels"), "'labels' must be an object in braces"),
        (lambda: names_in("x", "labels"), "labels must be a list of labels"),
        (lambda: names_in([1], "labels"), "labels must be a list of labels"),
    ):
        with pytest.raises(CorollaryError, match=told):
            wrong()


def test_fields_that_people_read():
    values = {
        "page": 3,
        "tags": ["ä"],
        "_hidden": 1,
        "none": None,
        "nan": float("nan"),
        "text": "x",
    }
    assert fields_in(values, without=["text"]) == {"page": 3, "tags": '["ä"]'}
    item = Item("a", fields={"page": 3, "_hidden": 1, "vector": [1.0], "answer": "x"})
    assert fields_of(item, without=["answer"]) == {"page": 3}


def test_an_object_a_line_and_errors_with_their_place(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json_lines([{"id": "ä"}, {"id": 1.5}])), encoding="utf-8")
    assert path.read_text(encoding="utf-8").splitlines() == ['{"id":"ä"}', '{"id":1.5}']
    records = records_in(path, lambda one, place: [Record(place, id_in([one["id"]], None), {})])
    assert next(records).item == "ä"
    with pytest.raises(
        CorollaryError, match="x.jsonl, line 2: an id must be .*Nothing was imported"
    ):
        next(records)
    assert json.loads(next(json_lines([{"a": [1]}]))) == {"a": [1]}
