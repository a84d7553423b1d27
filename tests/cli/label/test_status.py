"""`corollary status`."""

from __future__ import annotations

import json

from corollary.cli.label.status import model_in_words


def test_status_in_words_tables_and_json(call, place):
    text = call("status", place, "--labels", "--people").stdout
    assert text.startswith("things\n")
    assert "4 items, 8 labels, 1 person" in text
    assert "2 imported" in text
    assert "no model yet" in text
    assert "red square" in text
    found = json.loads(call("status", place, "--json").stdout)
    assert (found["name"], found["items"], found["imported"]) == ("things", 4, 2)
    assert [one["label"] for one in found["by_label"]][:2] == ["animal", "bird"]


def test_a_training_that_is_under_way_is_told():
    under_way = {"training": True, "seconds": 12.4, "took": None}
    assert model_in_words(0, under_way) == "no model yet: the first is being trained, for 12 s"
    assert model_in_words(3, under_way | {"took": 61.8}) == (
        "model 3: the next is being trained, for 12 s; the last took 62 s"
    )
    assert model_in_words(3, {"training": False, "seconds": None, "took": 61.8}) == "model 3"
